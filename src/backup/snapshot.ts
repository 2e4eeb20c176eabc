import pg from 'pg';
import { to } from 'pg-copy-streams';
import { singleConnection } from '../database/connections/single-connection.ts';
import { connectionOptions } from '../database/database.ts';
import { isCluster } from '../database/distribution/cluster.ts';
import { Failure } from '../domain/errors.ts';
import type { BackupTable, Manifest } from './manifest.ts';

/** Key of the advisory lock that a backup holds; the value is arbitrary. */
const ADVISORY_LOCK = 7_410_262;

/** A table, and the columns that are stored: PostgreSQL computes the others. */
export type Table = Pick<BackupTable, 'schema' | 'name' | 'columns'>;

type Facts = Pick<Manifest, 'at' | 'postgresql' | 'migrations' | 'log_position' | 'sequences' | 'log_partitions' | 'audit_heads'>;

/** A file that a row of the snapshot names. */
export interface NamedFile {
  organizationId: number;
  id: string;
  key: string;
  sha256: string;
}

/** One consistent state of the database, as of the moment when it was opened; the server goes on beside it. */
export interface Snapshot {
  /** For other connections: `SET TRANSACTION SNAPSHOT`. */
  name: string;
  /** The mark of the database. */
  owner: string;
  /** Number of the process of PostgreSQL that reads it. */
  process: number;
  /** The largest table first. Tables that a crash of the database empties are left out. */
  tables: Table[];
  facts: Facts;
  /** The rows of a table in PostgreSQL's text form, a line each. */
  copy(table: Table): { bytes: AsyncIterable<Buffer>; countRows(): number };
  /** A page of the files after one of them. */
  filesAfter(last: NamedFile | null, limit: number): Promise<NamedFile[]>;
  close(): Promise<void>;
}

/** A connection for statements that may take hours. */
export async function connectForHours(url: string): Promise<pg.Client> {
  const client = singleConnection({ ...connectionOptions(url, 0), query_timeout: 0 });
  await client.connect();
  // Zero is not sent with the connection, and the role may have a limit of its own.
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0');
  return client;
}

/** @throws Failure where another backup of this database is under way, and on a cluster, whose nodes have no snapshot in common */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await connectForHours(url);
  try {
    if (await isCluster(client)) throw ofCluster();
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ADVISORY_LOCK]);
    if (rows[0]?.locked !== true)
      throw new Failure('conflict', 'backup_under_way', 'Another backup of this database is running. Wait until it ends.');
    // A transaction that writes nothing has no number, so it delays neither events nor seals.
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const [facts, identity, tables] = [await readFacts(client), await identify(client), await listTables(client)];
    return {
      ...identity,
      tables,
      facts,
      copy: (table) => copyOut(client, table),
      filesAfter: (last, limit) => readFiles(client, last, limit),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

const ofCluster = () =>
  new Failure(
    'unprocessable',
    'backup_of_cluster',
    'This database is a Citus cluster, whose nodes share no snapshot, so this command cannot read it as of one moment. ' +
      'Archive the write-ahead log of every node, and set restore points (docs/scaling.md, "Backup").',
  );

async function identify(client: pg.Client): Promise<Pick<Snapshot, 'name' | 'owner' | 'process'>> {
  const { rows } = await client.query<{ name: string; process: number }>(
    'SELECT pg_export_snapshot() AS name, pg_backend_pid() AS process',
  );
  const [row] = rows;
  if (!row) throw new Error('the database says nothing');
  return { ...row, owner: await databaseMark(client) };
}

/** Eight hexadecimal digits that a database keeps, and others do not have: its backups end with them. */
export async function databaseMark(db: { query: pg.Pool['query'] }): Promise<string> {
  const { rows } = await db.query<{ mark: string }>(
    `SELECT left(encode(sha256(id::bytea), 'hex'), 8) AS mark FROM _prisma_migrations ORDER BY started_at, id LIMIT 1`,
  );
  const [row] = rows;
  if (!row) throw new Error('the database has no migrations');
  return row.mark;
}

async function readFacts(client: pg.Client): Promise<Facts> {
  // Sequences are not part of a snapshot; read after it began, they are at least as high as every id in it.
  const { rows } = await client.query<Facts>(`
    SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, current_setting('server_version') AS postgresql,
           (SELECT json_agg(migration_name ORDER BY migration_name) FROM _prisma_migrations WHERE finished_at IS NOT NULL) AS migrations,
           (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + (SELECT transaction_offset FROM log_epoch))::text AS log_position,
           (SELECT coalesce(json_agg(json_build_object('schema', schemaname, 'name', sequencename, 'last_value', last_value::text)
                                     ORDER BY schemaname, sequencename), '[]')
              FROM pg_sequences WHERE schemaname IN (current_schema(), 'queue') AND last_value IS NOT NULL) AS sequences,
           (SELECT coalesce(json_agg(json_build_object('log', log, 'name', name, 'lower', lower, 'upper', upper) ORDER BY log, upper), '[]')
              FROM log_partitions() WHERE upper IS NOT NULL) AS log_partitions,
           (${AUDIT_HEADS}) AS audit_heads`);
  const [facts] = rows;
  if (!facts) throw new Error('the database says nothing');
  return facts;
}

/** The newest link of each organization's chain, as a manifest names it. */
export const AUDIT_HEADS = `
  SELECT coalesce(json_agg(json_build_object('organization_id', o.id, 'head',
           head.position || ':' || rtrim(translate(encode(head.hash, 'base64'), E'+/\\n', '-_'), '=')) ORDER BY o.id), '[]')
    FROM organization o CROSS JOIN LATERAL (
      SELECT position, hash FROM audit_link WHERE organization_id = o.id ORDER BY position DESC LIMIT 1) AS head`;

/** Statistics of the queue are not stored: they are of the hour, in partitions of the day. */
async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    SELECT n.nspname AS schema, c.relname AS name,
           (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN (current_schema(), 'queue') AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
       AND c.relname <> '_prisma_migrations' AND (n.nspname, c.relname) <> ('queue', 'queue_stats')
     ORDER BY coalesce((SELECT sum(pg_table_size(relid)) FROM pg_partition_tree(c.oid)), pg_table_size(c.oid)) DESC, n.nspname, c.relname`);
  return rows;
}

export const writeTableName = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;

/** The columns of a table between parentheses, as COPY takes them. */
export const writeColumnNames = ({ columns }: Pick<Table, 'columns'>): string =>
  columns.map((column) => pg.escapeIdentifier(column)).join(', ');

function copyOut(client: pg.Client, table: Table): { bytes: AsyncIterable<Buffer>; countRows(): number } {
  const stream = client.query(to(`COPY (SELECT ${writeColumnNames(table)} FROM ${writeTableName(table)}) TO STDOUT`));
  // If its place refuses the backup, nobody reads this stream, and an error without a listener would end the process.
  stream.on('error', () => {});
  return { bytes: stream, countRows: () => stream.rowCount };
}

/** In the order of the numbers: that of their text, which has the same name here, would give files of a later page twice or never. */
async function readFiles(client: pg.Client, last: NamedFile | null, limit: number): Promise<NamedFile[]> {
  const { rows } = await client.query<NamedFile>(
    `SELECT organization_id AS "organizationId", id::text, storage_key AS key, encode(sha256, 'hex') AS sha256 FROM attachment
      WHERE (organization_id, id) > ($1, $2) ORDER BY attachment.organization_id, attachment.id LIMIT $3`,
    [last?.organizationId ?? 0, last?.id ?? '0', limit],
  );
  return rows;
}
