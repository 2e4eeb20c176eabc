import type pg from 'pg';
import { TRIGGERS_FOR_EACH_ROW, TRIGGERS_OF_ONE_MACHINE } from '../../src/database/distribution/one-machine.ts';
import { PLACEMENTS } from '../../src/database/distribution/placements.ts';

/** Kept for servers of the release before, which run beside a migrated database on one machine alone. */
const OF_THE_RELEASE_BEFORE = ['closed_month_hash(closed_month)'];

/** Keys that are dropped where tables are distributed, and why nothing is lost: no program deletes a user or a practice. */
const KEYS_OF_ONE_MACHINE = [
  'api_client_grant_organization_id_user_id_fkey',
  'identity_provider_organization_fkey',
  'sign_in_organization_fkey',
  'sign_in_organization_id_user_id_fkey',
];

const names = (placement: string) => [...PLACEMENTS].filter(([, placed]) => placed === placement).map(([name]) => name);
const known = [...TRIGGERS_OF_ONE_MACHINE, ...TRIGGERS_FOR_EACH_ROW.map(({ table, instead }) => ({ table, trigger: instead }))];

/** Each finds what the engine that distributes tables would refuse, by name: without a cluster, so that it holds for every change. */
const RULES: Record<string, { sql: string; values?: unknown[] }> = {
  'a table has a place': {
    sql: 'SELECT relname AS fault FROM tables WHERE relname <> ALL ($1)',
    values: [[...PLACEMENTS.keys()]],
  },
  'a placed table exists': {
    sql: 'SELECT name AS fault FROM unnest($1::text[]) AS name WHERE NOT EXISTS (SELECT FROM tables WHERE relname = name)',
    values: [[...PLACEMENTS.keys()]],
  },
  'a distributed table has the column that it is distributed by': {
    sql: `SELECT relname AS fault FROM tables t WHERE relname = ANY ($1)
             AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'organization_id' AND a.attnotnull)`,
    values: [names('distributed')],
  },
  'what is unique or exclusive in a distributed table is so within the practice': {
    sql: `SELECT i.indexrelid::regclass::text AS fault FROM pg_index i JOIN tables t ON t.oid = i.indrelid
           WHERE t.relname = ANY ($1) AND (i.indisunique OR i.indisexclusion) AND NOT EXISTS (
                   SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'organization_id' AND a.attnum = ANY (i.indkey))`,
    values: [names('distributed')],
  },
  'a key leads to a table of the same node': {
    sql: `SELECT k.conname::text AS fault FROM pg_constraint k JOIN tables a ON a.oid = k.conrelid JOIN tables b ON b.oid = k.confrelid
           WHERE k.contype = 'f' AND k.conname <> ALL ($4)
             AND NOT (a.relname = ANY ($1) AND b.relname = ANY ($1) OR a.relname = ANY ($3) AND b.relname = ANY ($3)
                      OR (a.relname = ANY ($1) OR a.relname = ANY ($2)) AND b.relname = ANY ($2))`,
    values: [names('distributed'), names('reference'), names('local'), KEYS_OF_ONE_MACHINE],
  },
  'a distributed table survives a crash, so that its rows can be moved': {
    sql: `SELECT relname AS fault FROM tables WHERE relname = ANY ($1) AND relpersistence <> 'p'`,
    values: [[...names('distributed'), ...names('reference')]],
  },
  'a trigger of a distributed table looks at one row': {
    sql: `SELECT t.relname || '.' || g.tgname AS fault FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid
           WHERE t.relname = ANY ($1) AND num_nonnulls(g.tgoldtable, g.tgnewtable) > 0 AND t.relname || '.' || g.tgname <> ALL ($2)`,
    values: [names('distributed'), known.map(({ table, trigger }) => `${table}.${trigger}`)],
  },
  'a trigger of a table of all nodes refuses, and does no more': {
    sql: `SELECT t.relname || '.' || g.tgname AS fault FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid
           WHERE NOT g.tgisinternal AND t.relname = ANY ($1) AND g.tgfoid <> 'refuse_change'::regproc AND t.relname || '.' || g.tgname <> ALL ($2)`,
    values: [names('reference'), known.map(({ table, trigger }) => `${table}.${trigger}`)],
  },
  'a trigger of one machine exists': {
    sql: `SELECT name AS fault FROM unnest($1::text[]) AS name WHERE NOT EXISTS (
            SELECT FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid WHERE t.relname || '.' || g.tgname = name)`,
    values: [known.map(({ table, trigger }) => `${table}.${trigger}`)],
  },
  'a function is a text': {
    sql: 'SELECT p.oid::regprocedure::text AS fault FROM routines p WHERE p.prosqlbody IS NOT NULL',
  },
  'a function in plain SQL reads and writes no rows of practices': {
    sql: `SELECT p.oid::regprocedure::text AS fault FROM routines p JOIN pg_language l ON l.oid = p.prolang
           WHERE l.lanname = 'sql' AND p.oid::regprocedure::text <> ALL ($2)
             AND EXISTS (SELECT FROM unnest($1::text[]) AS name WHERE p.prosrc ~* ('\\m(from|join|into|update)\\s+"?' || name || '\\M'))`,
    values: [names('distributed'), OF_THE_RELEASE_BEFORE],
  },
  'a default of a distributed table is drawn where the statement arrives': {
    sql: `SELECT t.relname || '.' || a.attname AS fault FROM pg_attrdef d JOIN tables t ON t.oid = d.adrelid
            JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
           WHERE t.relname = ANY ($1) AND a.attgenerated = '' AND pg_get_expr(d.adbin, d.adrelid) ~ '\\(' AND pg_get_expr(d.adbin, d.adrelid)
                 !~ '^(nextval\\(''[a-z_]+''::regclass\\)|now\\(\\)|log_transaction\\(\\)|gen_random_uuid\\(\\)|\\(?ARRAY\\[\\].*)$'`,
    values: [names('distributed')],
  },
};

const VIEWS = `
  WITH tables AS (
    SELECT c.oid, c.relname::text, c.relpersistence FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ), routines AS (
    SELECT * FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  )`;

/** Every fault of a database, under the rule that it breaks. */
export async function clusterFaults(client: pg.ClientBase): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [rule, { sql, values = [] }] of Object.entries(RULES)) {
    const { rows } = await client.query<{ fault: string }>(`${VIEWS} ${sql} ORDER BY fault`, values);
    if (rows.length > 0) found[rule] = rows.map(({ fault }) => fault);
  }
  return found;
}

export const clusterRules = Object.keys(RULES);
