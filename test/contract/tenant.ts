import pg from 'pg';
import { asSuperuser } from '../support/database-roles.ts';
import { isDistributed } from '../support/distributed.ts';
import type { Ids } from './plausible.ts';
import { BY_HAND, MARKER } from './tenant-by-hand.ts';

/** Tables of the sign-in itself and of clients that tests make, and append-only tables. */
const LEFT_OUT = [
  'api_client_grant',
  'authorization_code',
  'audit_entry',
  'audit_head',
  'audit_link',
  'change_subscription',
  'changed_record',
  'closed_ledger_row',
  'closed_month',
  'month_closing',
  'event',
  'idempotency_record',
  'monitoring_consent',
  'refresh_token',
  'session',
  'sign_in',
];

/** Nodes of a cluster take what is set for a transaction alone. */
const FURNISHING = isDistributed
  ? [
      'BEGIN',
      `SET LOCAL citus.propagate_set_commands = 'local'`,
      'SET LOCAL session_replication_role = replica',
      'SELECT pg_temp.furnish()',
      'COMMIT',
    ]
  : ['SELECT pg_temp.furnish()'];

const BY_NAME: [RegExp, string][] = [
  [/time_zone$/, `'America/New_York'`],
  [/number$/, `'+19105550123'`],
  [/url$/, `'https://example.com/${MARKER}'`],
];

/** Numbers of the logs, which are no ids of records. */
const LOG_PLACES = /(transaction|event)_id$/;

const BY_TYPE: Record<string, string> = {
  text: `'${MARKER}'`,
  int4: '1',
  int8: '1',
  numeric: '1',
  bool: 'true',
  bytea: `'\\x01'`,
  jsonb: `'{}'`,
  date: `'2031-01-15'`,
  timestamptz: `'2031-01-15T10:00:00Z'`,
};

interface Column {
  table: string;
  column: string;
  type: string;
  /** The row may be stored without it. */
  spare: boolean;
  /** The first word of an enum. */
  first_label: string | null;
}

/** A patient with an id of their own, instead of the one that all rows have. */
export interface DistinctPatient {
  id: number;
  /** SQL values of columns (`table.column`), which win over all others. */
  values: Record<string, string>;
}

/** An organization with one row in each of its tables, all with one and the same id, so that any id means something. */
export interface Furnished {
  /** Puts every row back as it was. */
  furnish(): Promise<void>;
  /** The whole content of the organization, to see whether anything changed. */
  content(): Promise<string>;
  close(): Promise<void>;
}

export async function openFurnished(
  databaseUrl: string,
  organizationId: number,
  ids: Ids,
  patient: DistinctPatient = { id: ids.id, values: {} },
): Promise<Furnished> {
  const client = new pg.Client({ connectionString: asSuperuser(databaseUrl) });
  await client.connect();
  const tables = Object.groupBy(await listColumns(client), ({ table }) => table);
  const names = Object.keys(tables);
  const script = Object.entries(tables).map(([table, columns = []]) => refill(table, columns, organizationId, { ...ids, patient }));
  const rows = names.map((name) => `SELECT '${name}' AS name, t::text AS row FROM "${name}" t WHERE organization_id = ${organizationId}`);
  // As a replica: foreign keys, in whatever order, are as good as the rows make them. For the whole session, since a change forgets all plans.
  await client.query('SET session_replication_role = replica');
  // Hundreds of statements, hundreds of times: those of a function are planned once.
  await client.query(
    `CREATE FUNCTION pg_temp.furnish() RETURNS void LANGUAGE plpgsql AS $$ BEGIN ${[...script, refillPhoto(organizationId), ...refillClient(organizationId, ids.id), refillRequest(organizationId, ids.id), refillSession(organizationId, ids)].join('; ')}; END $$`,
  );
  return {
    async furnish() {
      for (const sql of FURNISHING) await client.query(sql);
    },
    async content() {
      const text = `${rows.join(' UNION ALL ')} ORDER BY name, row`;
      const { rows: found } = await client.query<{ name: string; row: string }>({ name: 'content', text });
      return found.map(({ name, row }) => `${name} ${row}`).join('\n');
    },
    close: () => client.end(),
  };
}

/** The photo of the patient, beside the card of the insurance. */
const refillPhoto = (organizationId: number): string =>
  `INSERT INTO chart_image (organization_id, patient_id, insurance_id, media_type, content, updated_at)
   SELECT organization_id, patient_id, 0, media_type, content, updated_at FROM chart_image WHERE organization_id = ${organizationId}`;

/** An open session of the user who owns the rows, beside those that a test has opened. */
const refillSession = (organizationId: number, { id, guid }: Ids): string =>
  `INSERT INTO session (organization_id, id, user_id, expires_at, ends_at) VALUES (${organizationId}, '${guid}', ${id}, '2031-01-15', '2031-01-15')
     ON CONFLICT (organization_id, id) DO UPDATE SET revoked_at = NULL, revoked_reason = NULL`;

/** A request, in a table that is divided by month. */
const refillRequest = (organizationId: number, id: number): string =>
  `INSERT INTO client_request (organization_id, id, at, client_id, request_id, operation, status, fields, warning_fields, latency_ms)
   VALUES (${organizationId}, ${id}, '2031-01-15', 'of ${organizationId}', '${id}', '${MARKER}', 404, '{}', '{}', 1) ON CONFLICT DO NOTHING`;

/** An API client that acts as the user who owns the rows, beside those that a test has made. */
const refillClient = (organizationId: number, userId: number): string[] => [
  `INSERT INTO api_client (id, name, scopes, updated_at) VALUES ('of ${organizationId}', '${MARKER}', '{integration.read}', now())
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, scopes = excluded.scopes, active = true`,
  `INSERT INTO api_client_grant (organization_id, client_id, user_id) VALUES (${organizationId}, 'of ${organizationId}', ${userId})
     ON CONFLICT DO NOTHING`,
];

async function listColumns(client: pg.Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT c.relname AS "table", a.attname AS "column", y.typname AS type, a.atthasdef OR NOT a.attnotnull AS spare,
            (SELECT enumlabel FROM pg_enum e WHERE e.enumtypid = y.oid ORDER BY enumsortorder LIMIT 1) AS first_label
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' JOIN pg_type y ON y.oid = a.atttypid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition AND c.relname <> ALL ($1)
        AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'organization_id')
      ORDER BY 1, a.attnum`,
    [LEFT_OUT],
  );
  return rows;
}

type RowIds = Ids & { patient: DistinctPatient };

function refill(table: string, columns: Column[], organizationId: number, ids: RowIds): string {
  const values = columns.flatMap((column) => {
    const value = sqlValue(column, organizationId, ids);
    return value === null ? [] : [[`"${column.column}"`, value] as const];
  });
  // The person who owns the rows is a user as well, and stays.
  const others = table === 'user' ? ` AND id = ${ids.id}` : '';
  const [names, literals] = [values.map(([name]) => name), values.map(([, value]) => value)];
  return `DELETE FROM "${table}" WHERE organization_id = ${organizationId}${others}; INSERT INTO "${table}" (${names}) VALUES (${literals})`;
}

/** A contact of a patient has the patient's id. */
const OF_PATIENT = /^(patient|contact)\.id$|\.(patient|contact)_id$/;

function sqlValue({ table, column, type, spare, first_label }: Column, organizationId: number, ids: RowIds): string | null {
  const { id, guid, patient } = ids;
  if (column.endsWith('organization_id')) return String(organizationId);
  const byHand = patient.values[`${table}.${column}`] ?? BY_HAND[`${table}.${column}`];
  if (byHand) return byHand.replace('{id}', String(id));
  if (OF_PATIENT.test(`${table}.${column}`)) return String(patient.id);
  if (/^int[48]$/.test(type) && /(^|_)id$/.test(column) && !LOG_PLACES.test(column)) return String(id);
  if (type === 'uuid') return `'${guid}'`;
  if (type === 'text' && column.endsWith('name')) return `'${MARKER}'`;
  if (spare) return null;
  const byName = type === 'text' ? BY_NAME.find(([pattern]) => pattern.test(column))?.[1] : undefined;
  return byName ?? (first_label === null ? (BY_TYPE[type] ?? null) : `'${first_label}'`);
}
