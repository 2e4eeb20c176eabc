import type pg from 'pg';
import type { Placement } from '../../generated/tables.ts';
import { triggersOfCopies } from './copied-rows.ts';
import { horizonSteps } from './horizon.ts';
import { TRIGGERS_FOR_EACH_ROW, TRIGGERS_OF_ONE_MACHINE } from './one-machine.ts';
import { DISTRIBUTED_BY, PLACEMENTS } from './placements.ts';
import type { Step } from './step.ts';

/**
 * Settings of the session of the owner. In the engine's words, triggers that stay on the node of their row are unsafe, too. It places no
 * table by itself: it would take those that refer to each other for tables of the coordinator.
 */
export const SETTINGS = [
  'SET citus.enable_unsafe_triggers = on',
  'SET citus.enable_local_reference_table_foreign_keys = off',
  "SET citus.multi_shard_modify_mode = 'sequential'",
];

/** A table of which every practice that has charts has rows: the others are placed beside its. */
const FIRST = 'patient';

interface Table {
  name: string;
  rows: number;
  /** Null where the engine does not know the table. */
  placed: 'h' | 'n' | null;
}

interface ForeignKey {
  name: string;
  table: string;
  target: string;
}

/** Read with the addresses of the catalogue, so that shards and partitions, which follow their tables, are left out. */
const TABLES = `
  SELECT c.relname::text AS name, greatest(c.reltuples, 0)::float8 AS rows, p.partmethod::text AS placed
    FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
   WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;
const FOREIGN_KEYS = `
  SELECT k.conname::text AS name, a.relname::text AS table, b.relname::text AS target
    FROM pg_constraint k JOIN pg_class a ON a.oid = k.conrelid JOIN pg_class b ON b.oid = k.confrelid
   WHERE k.contype = 'f' AND k.conparentid = 0 AND k.connamespace = current_schema()::regnamespace AND a.oid <> b.oid
     AND a.relname = ANY ($1) AND b.relname = ANY ($1) ORDER BY 2, 1`;
const TRIGGERS = `
  SELECT c.relname || '.' || t.tgname AS trigger FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
   WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`;

/** Extensions that functions and keys of tables need. The engine sends one that is here already to the nodes that lack it. */
const EXTENSIONS = `
  SELECT e.extname::text AS name, n.nspname::text AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
   WHERE e.extname IN ('btree_gist', 'unaccent')
     AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_extension'::regclass AND o.objid = e.oid)`;
/** Functions call each other by their texts, in which the engine sees none: it is told of each. */
const FUNCTIONS = `
  SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition,
         EXISTS (SELECT FROM pg_type t WHERE t.oid = ANY (p.proargtypes) AND t.typtype = 'c') AS takes_rows
    FROM pg_proc p
   WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f'
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
     AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid)
   ORDER BY 1`;

/**
 * Of every session. What goes over all nodes within a transaction goes to one part after the other: the engine lets no table that is on every node
 * be changed after rows of several nodes were read at the same time, as those are that have a type of appointments. And the functions
 * that make months of the logs turn triggers of tables off and on. A node that does not answer is given up before a request is.
 */
const FOR_ALL = {
  'citus.multi_shard_modify_mode': 'sequential',
  'citus.enable_unsafe_triggers': 'on',
  'citus.node_connection_timeout': '3s',
};

/** The database, and what is set for its sessions. */
const SET_FOR_ALL = `
  SELECT quote_ident(d.datname) AS database, coalesce(s.setconfig, '{}') AS set
    FROM pg_database d LEFT JOIN pg_db_role_setting s ON s.setdatabase = d.oid AND s.setrole = 0 WHERE d.datname = current_database()`;

interface Routine {
  name: string;
  definition: string;
  /** Its parameter is the row of a table, which must be known before. */
  takes_rows: boolean;
}

/** A name in SQL: some of ours are its words. */
const quote = (name: string) => `"${name}"`;

/**
 * The statements that are left to be run on this database, in their order; none where all is done.
 * @param shards into how many parts the rows of practices are divided, where they are not yet
 */
export async function remainingSteps(client: pg.Client, shards: number): Promise<Step[]> {
  const tables = (await client.query<Table>(TABLES)).rows.filter(({ name }) => PLACEMENTS.has(name));
  const names = tables.map(({ name }) => name);
  const keys = (await client.query<ForeignKey>(FOREIGN_KEYS, [names])).rows;
  const triggers = new Set((await client.query<{ trigger: string }>(TRIGGERS)).rows.map(({ trigger }) => trigger));
  const extensions = (await client.query<{ name: string; schema: string }>(EXTENSIONS)).rows;
  const routines = (await client.query<Routine>(FUNCTIONS)).rows;
  const copying = await triggersOfCopies(client);
  return [
    ...extensions.map(extensionStep),
    ...managedSteps(tables),
    ...routines.filter(({ takes_rows }) => !takes_rows).map(routineStep),
    ...keySteps(keys),
    ...triggerSteps(triggers),
    ...copying.off,
    ...sortByReferences(tables.filter(isUnplaced('reference')), keys).map(referenceStep),
    ...distributedSteps(tables, keys, shards),
    ...routines.filter(({ takes_rows }) => takes_rows).map(routineStep),
    ...rowTriggerSteps(triggers),
    ...copying.on,
    ...(await horizonSteps(client)),
    ...(await settingSteps(client)),
  ];
}

async function settingSteps(client: pg.Client): Promise<Step[]> {
  const { rows } = await client.query<{ database: string; set: string[] }>(SET_FOR_ALL);
  return rows.flatMap(({ database, set }) =>
    Object.entries(FOR_ALL)
      .filter(([name, value]) => !set.includes(`${name}=${value}`))
      .map(([name, value]) => ({
        title: `${name} for all sessions`,
        sql: `ALTER DATABASE ${database} SET ${name} = '${value}'`,
        rows: null,
      })),
  );
}

const extensionStep = ({ name, schema }: { name: string; schema: string }): Step => ({
  title: `the extension ${name} on every node`,
  sql: `CREATE EXTENSION IF NOT EXISTS ${name} SCHEMA ${quote(schema)}`,
  rows: null,
});

const routineStep = ({ name, definition }: Routine): Step => ({ title: `the function ${name} on every node`, sql: definition, rows: null });

const isUnplaced =
  (placement: Placement) =>
  ({ name, placed }: Table) =>
    PLACEMENTS.get(name) === placement && placed === null;

/** Between which tables a foreign key can hold: both rows must be on one node. */
function canHold({ table, target }: ForeignKey): boolean {
  const [from, to] = [PLACEMENTS.get(table), PLACEMENTS.get(target)];
  return from === to || (from === 'distributed' && to === 'reference');
}

const keySteps = (keys: readonly ForeignKey[]): Step[] =>
  keys
    .filter((key) => !canHold(key))
    .map(({ name, table, target }) => ({
      title: `a key from ${table} to ${target}, which are on different nodes`,
      sql: `ALTER TABLE ${quote(table)} DROP CONSTRAINT ${quote(name)}`,
      rows: null,
    }));

function triggerSteps(existing: ReadonlySet<string>): Step[] {
  const dropped = [...TRIGGERS_OF_ONE_MACHINE, ...TRIGGERS_FOR_EACH_ROW.map(({ table, instead }) => ({ table, trigger: instead }))];
  return dropped
    .filter(({ table, trigger }) => existing.has(`${table}.${trigger}`))
    .map(({ table, trigger }) => ({
      title: `a trigger of ${table} that needs all rows on one machine`,
      sql: `DROP TRIGGER ${trigger} ON ${quote(table)}`,
      rows: null,
    }));
}

const rowTriggerSteps = (existing: ReadonlySet<string>): Step[] =>
  TRIGGERS_FOR_EACH_ROW.filter(({ table, trigger }) => !existing.has(`${table}.${trigger}`)).map(({ table, sql }) => ({
    title: `a trigger of ${table} for each row`,
    sql,
    rows: null,
  }));

const referenceStep = ({ name, rows }: Table): Step => ({
  title: `${name} on every node`,
  sql: `SELECT create_reference_table('${quote(name)}')`,
  rows,
});

/** Of the tables of the coordinator, those that the columns' defaults of others read. */
const MANAGED = ['log_epoch'];

const managedSteps = (tables: readonly Table[]): Step[] =>
  tables
    .filter(({ name, placed }) => MANAGED.includes(name) && placed === null)
    .map(({ name }) => ({
      title: `${name} known to all nodes`,
      sql: `SELECT citus_add_local_table_to_metadata('${quote(name)}')`,
      rows: null,
    }));

/** A table follows those that it refers to: the engine takes a key only between tables that it knows. */
function distributedSteps(tables: readonly Table[], keys: readonly ForeignKey[], shards: number): Step[] {
  const ours = tables.filter(({ name }) => PLACEMENTS.get(name) === 'distributed');
  const first = ours.find(({ placed }) => placed !== null)?.name;
  const ordered = sortByReferences(ours, keys);
  const beside = first ?? ordered[0]?.name ?? '';
  return ordered
    .filter(({ placed }) => placed === null)
    .map(({ name, rows }) => ({
      title: `${name} by practice`,
      sql: writeDistribution(name, name === beside ? null : beside, shards),
      rows,
    }));
}

const CREATES_TABLE = /^(?:--[^\n]*\n|\s)*CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i;

/** The statement that gives a table its place that another statement makes; null where that makes none, or one of the coordinator. */
export function writePlacement(statement: string): string | null {
  const name = CREATES_TABLE.exec(statement)?.[1] ?? '';
  const placement = PLACEMENTS.get(name);
  if (placement === 'reference') return `SELECT create_reference_table('${quote(name)}')`;
  return placement === 'distributed' ? writeDistribution(name, FIRST, 0) : null;
}

/** @param beside a table whose rows of the same practice are on the same node; null for the first */
function writeDistribution(table: string, beside: string | null, shards: number): string {
  const how = beside === null ? `shard_count => ${shards}` : `colocate_with => '${quote(beside)}'`;
  return `SELECT create_distributed_table('${quote(table)}', '${DISTRIBUTED_BY}', ${how})`;
}

function sortByReferences(tables: readonly Table[], keys: readonly ForeignKey[]): Table[] {
  const ordered: Table[] = [];
  let left = [...tables].sort((one, other) => (one.name < other.name ? -1 : 1));
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const blocked = new Set(keys.filter(({ target }) => waiting.has(target)).map(({ table }) => table));
    const free = left.filter(({ name }) => !blocked.has(name));
    // Tables that refer to each other in a circle have no order: the engine says so of the first.
    ordered.push(...(free.length > 0 ? free : left));
    left = free.length > 0 ? left.filter(({ name }) => blocked.has(name)) : [];
  }
  return ordered;
}
