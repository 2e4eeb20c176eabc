import type pg from 'pg';

/** Tables that belong to no organization. */
const GLOBAL = [
  '_prisma_migrations',
  'api_client',
  'carrier_attempt',
  'carrier_number',
  'carrier_text',
  'global_type_version',
  'local_mail',
  'log_epoch',
  'organization',
  'push_key',
  'revoked_token',
  'sign_in_failure',
  'signing_key',
];

/** Written for callers whose organization was just found; a foreign key would lock the organization's row at each insert. */
const LOGS = ['audit_entry', 'event', 'session_signal'];

/** Found by an address before anyone knows whose it is, so that its key cannot start with the organization. */
const FOUND_BY_ADDRESS = ['sign_in'];

/** Exists once in the world, and is found by its value before anyone knows whose it is. */
const ONCE_IN_THE_WORLD = ['phone_number_held_key'];

/** The type of an appointment may be a global one of another organization: its organization stands in a column of its own. */
const OTHER_ORGANIZATION = ['appointment (type_organization_id, type_id)'];

/** Times on a wall, without a zone. */
const WALL_CLOCKS = ['appointment.local_start'];

/** Each answers the faults that it finds, by name; nothing where the rule holds. */
const RULES: Record<string, { sql: string; values?: unknown[] }> = {
  'a table without organization_id is in the list of global ones': {
    sql: `SELECT relname AS fault FROM tables WHERE NOT tenant AND relname <> ALL ($1)`,
    values: [GLOBAL],
  },
  'the list of global tables is true': {
    sql: `SELECT name AS fault FROM unnest($1::text[]) AS name WHERE NOT EXISTS (SELECT FROM tables WHERE relname = name AND NOT tenant)`,
    values: [GLOBAL],
  },
  'organization_id refers to organization': {
    sql: `SELECT relname AS fault FROM tables t WHERE tenant AND relname <> ALL ($1) AND NOT EXISTS (
            SELECT FROM keys k WHERE k.contype = 'f' AND k.conrelid = t.oid AND k.names = '{organization_id}' AND k.target = 'organization')`,
    values: [LOGS],
  },
  'the primary key starts with organization_id': {
    sql: `SELECT relname AS fault FROM tables t WHERE tenant AND relname <> ALL ($1) AND NOT EXISTS (
            SELECT FROM keys k WHERE k.contype = 'p' AND k.conrelid = t.oid AND k.names[1] = 'organization_id')`,
    values: [FOUND_BY_ADDRESS],
  },
  'whatever is unique or exclusive is so within the organization': {
    sql: `SELECT i.name AS fault FROM indexes i JOIN tables t ON t.oid = i.indrelid
           WHERE t.tenant AND (i.indisunique OR i.indisexclusion) AND NOT 'organization_id' = ANY (i.names)
             AND NOT (i.indisprimary AND t.relname = ANY ($1)) AND i.name <> ALL ($2)`,
    values: [FOUND_BY_ADDRESS, ONCE_IN_THE_WORLD],
  },
  'a foreign key between rows of organizations holds them in one': {
    sql: `SELECT k.fault FROM keys k JOIN tables a ON a.oid = k.conrelid JOIN tables b ON b.oid = k.confrelid
           WHERE k.contype = 'f' AND a.tenant AND b.tenant AND k.fault <> ALL ($1)
             AND coalesce(k.target_names[array_position(k.names, 'organization_id')], '') <> 'organization_id'`,
    values: [OTHER_ORGANIZATION],
  },
  'a foreign key has an index': {
    sql: `SELECT k.fault FROM keys k WHERE k.contype = 'f' AND NOT EXISTS (
            SELECT FROM indexes i WHERE i.indrelid = k.conrelid AND i.indpred IS NULL AND i.indisvalid AND i.method = 'btree'
               AND i.names[1:cardinality(k.names)] @> k.names)`,
  },
  'an instant has a zone': {
    sql: `SELECT relname || '.' || attname AS fault FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
           WHERE a.atttypid IN ('timestamp'::regtype, 'time'::regtype, 'timetz'::regtype) AND relname || '.' || attname <> ALL ($1)`,
    values: [WALL_CLOCKS],
  },
};

const VIEWS = `
  WITH tables AS (
    SELECT c.oid, c.relname::text, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped) AS tenant
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  ), named AS (
    SELECT k.oid, k.contype, k.conrelid, k.confrelid, k.confrelid::regclass::text AS target,
           (SELECT array_agg(attname::text ORDER BY n) FROM unnest(k.conkey) WITH ORDINALITY AS u (num, n) JOIN pg_attribute ON attrelid = k.conrelid AND attnum = num) AS names,
           (SELECT array_agg(attname::text ORDER BY n) FROM unnest(k.confkey) WITH ORDINALITY AS u (num, n) JOIN pg_attribute ON attrelid = k.confrelid AND attnum = num) AS target_names
      FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid WHERE k.contype IN ('f', 'p')
  ), keys AS (
    SELECT named.*, relname || ' (' || array_to_string(names, ', ') || ')' AS fault FROM named JOIN tables t ON t.oid = conrelid
  ), indexes AS (
    SELECT i.*, c.relname::text AS name, m.amname AS method,
           (SELECT array_agg(coalesce(attname::text, '(expression)') ORDER BY n) FROM unnest(i.indkey) WITH ORDINALITY AS u (num, n)
              LEFT JOIN pg_attribute ON attrelid = i.indrelid AND attnum = num AND num > 0 WHERE n <= i.indnkeyatts) AS names
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
  )`;

/** Every fault of a database, under the rule that it breaks. */
export async function catalogueFaults(client: pg.ClientBase): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [rule, { sql, values = [] }] of Object.entries(RULES)) {
    const { rows } = await client.query<{ fault: string }>(`${VIEWS} ${sql} ORDER BY fault`, values);
    if (rows.length > 0) found[rule] = rows.map(({ fault }) => fault);
  }
  return found;
}

/** All rules, to see that each can find a fault. */
export const rules = Object.keys(RULES);
