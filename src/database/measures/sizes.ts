import type pg from 'pg';
import { isCluster } from '../distribution/cluster.ts';

type Queryable = { query: pg.Client['query'] };

/** The result of a statement of one row on each node of a cluster, the coordinator among them, or on the one machine. Null: it did not answer. */
async function onEachNode(client: Queryable, sql: string): Promise<(string | null)[]> {
  const { rows } = (await isCluster(client))
    ? await client.query<{ result: string | null }>(
        'SELECT CASE WHEN success THEN result END AS result FROM run_command_on_all_nodes($1::text)',
        [sql],
      )
    : await client.query<{ result: string }>(`SELECT (${sql})::text AS result`);
  return rows.map(({ result }) => result);
}

export interface DatabaseSize {
  bytes: number;
  /** Nodes of a cluster that did not answer, and are not in it. */
  nodesLeftOut: number;
}

/** The size of this database: on a cluster that on all its nodes together. */
export async function databaseSize(client: Queryable): Promise<DatabaseSize> {
  const sizes = await onEachNode(client, 'SELECT pg_database_size(current_database())');
  return { bytes: sizes.reduce((sum, size) => sum + Number(size ?? 0), 0), nodesLeftOut: sizes.filter((size) => size === null).length };
}

/** The rows and bytes of a table, with its months and its parts on all nodes that answer, as PostgreSQL last counted. */
export interface TableSize {
  rows: number;
  /** With its indexes. */
  bytes: number;
}

interface Relation extends TableSize {
  name: string;
}

const RELATIONS = `
  SELECT coalesce(json_agg(json_build_object('name', c.relname, 'bytes', pg_total_relation_size(c.oid),
           'rows', (CASE WHEN c.reltuples > 0 THEN c.reltuples ELSE coalesce(s.n_live_tup, 0) END)::bigint)), '[]')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
   WHERE c.relkind = 'r' AND n.nspname = current_schema()`;
/** Tables that are months of others. */
const MONTHS = `
  SELECT month.relname AS name, whole.relname AS log
    FROM pg_inherits i JOIN pg_class month ON month.oid = i.inhrelid JOIN pg_class whole ON whole.oid = i.inhparent
    JOIN pg_namespace n ON n.oid = whole.relnamespace
   WHERE month.relkind = 'r' AND n.nspname = current_schema()`;
/** Tables whose rows are in parts on nodes, and whether each node has all of them. */
const DISTRIBUTED = `
  SELECT c.relname AS name, p.partmethod = 'n' AND p.repmodel = 't' AS everywhere FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid`;
/** The name of a part on a node: that of its table, and a number. */
const PART = /^(.+)_\d{6,}$/;

export async function tableSizes(client: Queryable): Promise<Map<string, TableSize>> {
  const months = new Map((await client.query<{ name: string; log: string }>(MONTHS)).rows.map(({ name, log }) => [name, log]));
  const distributed = (await isCluster(client)) ? (await client.query<{ name: string; everywhere: boolean }>(DISTRIBUTED)).rows : [];
  const everywhere = new Map(distributed.map((table) => [table.name, table.everywhere]));
  const sizes = new Map<string, TableSize>();
  for (const node of await onEachNode(client, RELATIONS)) {
    const relations: Relation[] = JSON.parse(node ?? '[]');
    for (const { name, rows, bytes } of relations) {
      const part = PART.exec(name)?.[1] ?? '';
      const [table, counted] = everywhere.has(part) ? [part, rows] : [name, everywhere.has(name) ? 0 : rows];
      const whole = months.get(table) ?? table;
      const before = sizes.get(whole) ?? { rows: 0, bytes: 0 };
      sizes.set(whole, {
        rows: everywhere.get(table) === true ? Math.max(before.rows, counted) : before.rows + counted,
        bytes: before.bytes + bytes,
      });
    }
  }
  return sizes;
}
