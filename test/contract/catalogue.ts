import type pg from 'pg';
import { PLACEMENTS } from '../../src/database/distribution/placements.ts';

/** Tables that may belong to no organization: in a database that is distributed by organization each stands whole on a node. */
const GLOBAL = [...PLACEMENTS].flatMap(([table, placement]) => (placement === 'distributed' ? [] : [table]));

/** Global tables that rows of organizations refer to: such a table must be on every node. */
const REFERRED_TO = ['organization'];

/** Written for callers with a known organization; a foreign key would lock the organization's row at each insert. */
const LOGS = ['audit_entry', 'client_request', 'event', 'session_signal'];

/** Found by an address before its organization is known, so that its key cannot start with the organization. */
const FOUND_BY_ADDRESS = ['held_number', 'mail_domain', 'sign_in'];

/** Follows the rows of another table, which belong to an organization. */
const FOLLOWS = ['held_number', 'mail_domain'];

/** People, places, settings and what hangs on one chart: their ids have 32 bits. All other ids have 64, which use never exhausts. */
const NARROW_IDS = [
  'appointment_type',
  'availability',
  'availability_exception',
  'balance_contract',
  'canned_reply',
  'chat',
  'contact',
  'contact_tag',
  'custom_field',
  'employer',
  'insurance',
  'item',
  'legal_hold',
  'location',
  'office',
  'patient',
  'phone_number',
  'portal_account',
  'privacy_restriction',
  'program',
  'provider',
  'provider_group',
  'scheduled_check_in',
  'second_factor',
  'sms_template',
  'survey_type',
  'tracked_condition',
  'tracked_condition_item',
  'user',
  'user_review_url',
  'waiting_room',
  'webhook_endpoint',
  'webhook_replay',
  'webhook_secret',
  'workflow_step',
];

/** Times on a wall, without a zone. */
const WALL_CLOCKS = ['appointment.local_start', 'availability_exception.from_local', 'availability_exception.until_local'];

/** Each answers the faults that it finds, by name; nothing where the rule holds. */
const RULES: Record<string, { sql: string; values?: unknown[] }> = {
  'a table without organization_id is in the list of global ones': {
    sql: `SELECT relname AS fault FROM tables WHERE NOT tenant AND relname <> ALL ($1)`,
    values: [GLOBAL],
  },
  'organization_id refers to organization': {
    sql: `SELECT relname AS fault FROM tables t WHERE tenant AND relname <> ALL ($1) AND NOT EXISTS (
            SELECT FROM keys k WHERE k.contype = 'f' AND k.conrelid = t.oid AND k.names = '{organization_id}' AND k.target = 'organization')`,
    values: [[...LOGS, ...FOLLOWS]],
  },
  'the primary key starts with organization_id': {
    sql: `SELECT relname AS fault FROM tables t WHERE tenant AND relname <> ALL ($1) AND NOT EXISTS (
            SELECT FROM keys k WHERE k.contype = 'p' AND k.conrelid = t.oid AND k.names[1] = 'organization_id')`,
    values: [FOUND_BY_ADDRESS],
  },
  'whatever is unique or exclusive is so within the organization': {
    sql: `SELECT i.name AS fault FROM indexes i JOIN tables t ON t.oid = i.indrelid
           WHERE t.tenant AND (i.indisunique OR i.indisexclusion) AND NOT 'organization_id' = ANY (i.names)
             AND NOT (i.indisprimary AND t.relname = ANY ($1))`,
    values: [FOUND_BY_ADDRESS],
  },
  'organization_id has one type, and no row is without': {
    sql: `SELECT relname AS fault FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'organization_id'
           WHERE NOT a.attnotnull OR a.atttypid <> 'int4'::regtype`,
  },
  'what is exclusive is so among rows of the same organization': {
    sql: `SELECT k.conname::text AS fault FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid
           WHERE t.tenant AND k.contype = 'x' AND NOT EXISTS (
                   SELECT FROM unnest(k.conkey, k.conexclop) AS part (num, operator) JOIN pg_operator o ON o.oid = part.operator
                     JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = part.num
                    WHERE a.attname = 'organization_id' AND o.oprname = '=')`,
  },
  'a row of an organization refers to few global tables': {
    sql: `SELECT k.fault FROM keys k JOIN tables a ON a.oid = k.conrelid JOIN tables b ON b.oid = k.confrelid
           WHERE k.contype = 'f' AND a.tenant AND NOT b.tenant AND k.target <> ALL ($1)`,
    values: [REFERRED_TO],
  },
  'a global table refers to no row of an organization': {
    sql: `SELECT k.fault FROM keys k JOIN tables a ON a.oid = k.conrelid JOIN tables b ON b.oid = k.confrelid
           WHERE k.contype = 'f' AND NOT a.tenant AND b.tenant`,
  },
  'no foreign key takes a row out of its organization': {
    sql: `SELECT k.fault FROM keys k JOIN pg_constraint c ON c.oid = k.oid
           WHERE k.contype = 'f' AND 'organization_id' = ANY (k.names) AND (c.confupdtype IN ('n', 'd') OR c.confdeltype IN ('n', 'd')
                 AND (c.confdelsetcols IS NULL OR k.organization_number = ANY (c.confdelsetcols)))`,
  },
  'a foreign key between rows of organizations holds them in one': {
    sql: `SELECT k.fault FROM keys k JOIN tables a ON a.oid = k.conrelid JOIN tables b ON b.oid = k.confrelid
           WHERE k.contype = 'f' AND a.tenant AND b.tenant
             AND coalesce(k.target_names[array_position(k.names, 'organization_id')], '') <> 'organization_id'`,
  },
  'no foreign key acts on an update of its key': {
    sql: `SELECT k.fault FROM keys k JOIN pg_constraint c ON c.oid = k.oid WHERE k.contype = 'f' AND c.confupdtype <> 'a'`,
  },
  'an id is drawn from a sequence, which no other transaction waits for': {
    sql: `SELECT relname AS fault FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'id' AND a.atttypid IN ('int4'::regtype, 'int8'::regtype)
            LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
           WHERE t.tenant AND pg_get_expr(d.adbin, d.adrelid) ~ '^nextval\\(''[a-z_]+''::regclass\\)$' IS NOT TRUE`,
  },
  'an id has 64 bits unless it is one of few': {
    sql: `SELECT relname AS fault FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'id'
           WHERE t.tenant AND a.atttypid IN ('int2'::regtype, 'int4'::regtype) AND relname <> ALL ($1)`,
    values: [NARROW_IDS],
  },
  'a reference is as wide as the key': {
    sql: `SELECT k.fault FROM keys k JOIN pg_constraint c ON c.oid = k.oid, unnest(c.conkey, c.confkey) AS part (num, target)
           WHERE k.contype = 'f' AND (SELECT atttypid FROM pg_attribute WHERE attrelid = k.conrelid AND attnum = part.num)
                                  <> (SELECT atttypid FROM pg_attribute WHERE attrelid = k.confrelid AND attnum = part.target)`,
  },
  'a sequence is as wide as its column and never starts over': {
    sql: `SELECT c.relname::text AS fault FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
            JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'a' JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
           WHERE c.relnamespace = 'public'::regnamespace AND (s.seqcycle OR s.seqtypid <> a.atttypid OR s.seqincrement <> 1)`,
  },
  'a foreign key has an index': {
    sql: `SELECT k.fault FROM keys k WHERE k.contype = 'f' AND NOT EXISTS (
            SELECT FROM indexes i WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.method = 'btree'
               AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) IN (SELECT '(' || n || ' IS NOT NULL)' FROM unnest(k.names) n))
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
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ), named AS (
    SELECT k.oid, k.contype, k.conrelid, k.confrelid, k.confrelid::regclass::text AS target,
           (SELECT array_agg(attname::text ORDER BY n) FROM unnest(k.conkey) WITH ORDINALITY AS u (num, n) JOIN pg_attribute ON attrelid = k.conrelid AND attnum = num) AS names,
           (SELECT array_agg(attname::text ORDER BY n) FROM unnest(k.confkey) WITH ORDINALITY AS u (num, n) JOIN pg_attribute ON attrelid = k.confrelid AND attnum = num) AS target_names
      FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid WHERE k.contype IN ('f', 'p')
  ), keys AS (
    SELECT named.*, organization.attnum AS organization_number, relname || ' (' || array_to_string(names, ', ') || ')' AS fault FROM named JOIN tables t ON t.oid = conrelid
      LEFT JOIN pg_attribute organization ON organization.attrelid = conrelid AND organization.attname = 'organization_id'
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
