import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { type DatabaseUrls, isOwner } from '../database/connections/runtime-role.ts';
import { raiseLogsAbove } from '../database/logs/log-order.ts';
import { makeLogPartitionsAtOnce, replaceLogPartitions } from '../database/logs/log-partitions.ts';
import { writeQuantity } from '../database/measures/quantities.ts';
import { notOwner } from '../database/migrations/migrate-on-start.ts';
import { migrate, migrationNames } from '../database/migrations/migrations.ts';
import { Failure } from '../domain/errors.ts';
import type { Files } from '../gateways/files/files.ts';
import { type BackupTable, type Manifest, REPORTED_ROWS, requireMasterKeys, unreadable } from './manifest.ts';
import { readPart } from './parts.ts';
import { putOn, takeOff } from './restore-schema.ts';
import { AUDIT_HEADS, connectForHours, writeColumnNames, writeTableName } from './snapshot.ts';
import { type FoundBackup, readFiles, requireRows } from './verify-backup.ts';

interface RestoreTarget {
  urls: DatabaseUrls;
  files: Files;
  /** Ids of the master keys that the restored server will have, and of those that nobody has any more. */
  masterKeys: readonly string[];
  lostMasterKeys: readonly string[];
}

interface RestoreOptions {
  /** Whether migrations that the backup lacks are applied in the end. */
  migrate: boolean;
  report: (step: string) => void;
}

/** Key of the advisory lock that a restore holds; the value is arbitrary. */
const ADVISORY_LOCK = 7_410_263;

/**
 * Restores a backup into an empty database: its migrations, its files, and then its rows in one transaction. A restore that was
 * cut off can be run again.
 * @returns names of the migrations that the restored database lacks
 * @throws Failure where the database is not empty or another restore is at work in it, a master key is missing, or the backup does
 * not hold
 * @throws StartError where the role that was given for the owner is none
 */
export async function restoreBackup(backup: FoundBackup, target: RestoreTarget, options: RestoreOptions): Promise<string[]> {
  const newer = await newerMigrations(backup.manifest);
  requireMasterKeys(backup.manifest, target.masterKeys, target.lostMasterKeys);
  const client = await connectForHours(target.urls.ownerUrl);
  try {
    if (!(await isOwner(client))) throw notOwner(target.urls);
    await requireAlone(client);
    await restoreOn(client, backup, target, options.report);
  } finally {
    await client.end();
  }
  if (!options.migrate || newer.length === 0) return newer;
  options.report(`applying ${writeQuantity(newer.length, 'migration')}`);
  await migrate(target.urls);
  return [];
}

async function restoreOn(client: pg.Client, backup: FoundBackup, { urls, files }: RestoreTarget, report: RestoreOptions['report']) {
  await requireEmpty(client, backup.manifest);
  report('creating the tables');
  await migrate(urls, () => {}, { only: backup.manifest.migrations });
  report('restoring files');
  await readFiles(backup, async (key, content) => {
    // A restore that was killed may have left a part of it.
    await files.remove(key);
    await files.write(key, content);
  });
  await restoreTables(client, backup, report);
}

/** Of a restore that was killed, PostgreSQL ends the statement first that runs, such as the building of an index. */
async function requireAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ADVISORY_LOCK]);
  if (rows[0]?.locked === true) return;
  const sentence =
    'Another restore is running on this database, or PostgreSQL is still ending a killed one. Wait a few minutes and run it again.';
  throw new Failure('conflict', 'restore_under_way', sentence);
}

/** @returns migrations of this program that the backup lacks @throws Failure where it has one that this program lacks */
async function newerMigrations({ migrations, version }: Manifest): Promise<string[]> {
  const known = await migrationNames();
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw unreadable(`It was created by version ${version}, which is newer than this one. Restore it with that version.`);
  return known.filter((name) => !migrations.includes(name));
}

/** Empty is a database without tables, or with tables of the backup's migrations and no practice. */
async function requireEmpty(client: pg.Client, { migrations }: Manifest): Promise<void> {
  const { rows } = await client.query<{ migrated: boolean; founded: boolean; tables: number }>(`
    SELECT to_regclass('_prisma_migrations') IS NOT NULL AS migrated, to_regclass('organization') IS NOT NULL AS founded, count(*)::int AS tables
      FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN (current_schema(), 'queue')) AND relkind IN ('r', 'p')`);
  const [state] = rows;
  if (state?.tables === 0) return;
  if (state?.migrated !== true) throw notEmpty('It contains tables of other software.');
  const { rows: applied } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL',
  );
  if (applied.some(({ name }) => !migrations.includes(name))) throw notEmpty('It has migrations that are not in the backup.');
  if (state.founded && (await client.query('SELECT FROM organization LIMIT 1')).rowCount !== 0) throw notEmpty('It contains practices.');
}

const notEmpty = (sentence: string) =>
  new Failure('conflict', 'not_empty', `The database is not empty. ${sentence} Create an empty database and restore into that.`);

/**
 * Fills an empty database that has the backup's migrations, in one transaction: with all rows, or with none where anything does
 * not hold. Rows, foreign keys, indexes and the heads of the audit are checked before it is committed.
 * @param client connected as the owner, for statements that may take hours
 * @throws Failure backup_unreadable
 */
async function restoreTables(client: pg.Client, backup: FoundBackup, report: (step: string) => void): Promise<void> {
  const { manifest } = backup;
  await client.query(`BEGIN; SET LOCAL maintenance_work_mem = '256MB'`);
  if (manifest.log_partitions) await replaceLogPartitions(client, manifest.log_partitions);
  const taken = await takeOff(client);
  for (const table of manifest.tables) {
    if (table.rows >= REPORTED_ROWS) report(`restoring ${table.rows} rows of ${table.name}`);
    await copyIn(client, backup, table);
  }
  await putOn(client, taken, report);
  for (const { schema, name, last_value } of manifest.sequences)
    await client.query(`SELECT setval(format('%I.%I', $1::text, $2::text)::regclass, $3::bigint)`, [schema, name, last_value]);
  await raiseLogsAbove(client, BigInt(manifest.log_position));
  await checkHeads(client, manifest);
  await client.query('COMMIT');
  await makeLogPartitionsAtOnce(client);
  report('gathering planner statistics');
  await client.query('ANALYZE');
}

async function copyIn(client: pg.Client, backup: FoundBackup, table: BackupTable): Promise<void> {
  // Rows are frozen as they come: no vacuum has to visit them again. A partitioned table takes none of these.
  const { rows } = await client.query<{ kind: string }>('SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass($1)', [
    writeTableName(table),
  ]);
  const [found] = rows;
  if (!found) throw unreadable(`It has a table ${table.name} that its migrations do not create.`);
  const frozen = found.kind === 'p' ? '' : ' (FREEZE)';
  const stream = client.query(from(`COPY ${writeTableName(table)} (${writeColumnNames(table)}) FROM STDIN${frozen}`));
  await pipeline(Readable.from(readPart(backup, table), { objectMode: false }), stream);
  requireRows(table, stream.rowCount);
}

async function checkHeads(client: pg.Client, { audit_heads }: Manifest): Promise<void> {
  const { rows } = await client.query<{ heads: Manifest['audit_heads'] }>(`SELECT (${AUDIT_HEADS}) AS heads`);
  if (JSON.stringify(rows[0]?.heads) !== JSON.stringify(audit_heads)) throw unreadable('The heads of its audit differ from its manifest.');
}
