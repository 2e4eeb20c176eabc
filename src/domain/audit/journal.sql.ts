import { type Statement, statement } from '../../database/statements/statement.ts';

/** The detail of audit rows about a restricted or blocked chart. */
export const DESPITE_RESTRICTION = 'despite a restriction';

/**
 * The restricted charts of the practice $1, for `auditDetail`, which reads them only for rows that are marked. They stand apart from the rows
 * that are inserted: the number of a log is drawn where the statement arrives, not on the node of the charts.
 */
export const RESTRICTED_CHARTS = `restricted AS MATERIALIZED (
     SELECT p.id FROM patient p WHERE p.organization_id = $1::int AND p.restricted
   )`;

/**
 * The detail of the audit row `a`, beside RESTRICTED_CHARTS. Rows of callers who may see restricted charts are marked `despite`: where
 * they are about such a chart, their detail says so.
 */
export const auditDetail = (a: string) => `CASE WHEN ${a}.despite AND EXISTS (
         SELECT FROM restricted
          WHERE restricted.id = ANY (coalesce(${a}.patient_ids::bigint[], '{}') ||
                                     CASE WHEN ${a}.resource = 'patient' THEN ${a}.resource_ids::bigint[] ELSE '{}' END))
       THEN concat_ws('; ', ${a}.detail, '${DESPITE_RESTRICTION}') ELSE ${a}.detail END`;

/** Longer lists of rows are sent as JSON: VALUES take PostgreSQL half as long, but each length has a statement of its own. */
export const MOST_IN_VALUES = 8;

function forEachLength(name: string, text: (length: number) => string): (length: number) => Statement<never> {
  const made = Array.from({ length: MOST_IN_VALUES }, (_, index) => statement<never>(`${name}_${index + 1}`, text(index + 1)));
  return (length) => {
    const one = made[length - 1];
    if (!one) throw new Error(`a list of ${length} rows has no statement`);
    return one;
  };
}

/** Rows with the values that they share, and after those the values of each by their types. */
const rowsOf = (length: number, shared: readonly string[], own: readonly string[]): string =>
  Array.from({ length }, (_row, row) => {
    const values = own.map((type, column) => `$${shared.length + row * own.length + column + 1}::${type}`);
    return `(${[...shared.map((type, column) => `$${column + 1}::${type}`), ...values].join(', ')})`;
  }).join(', ');

/** Values: organization, actor, request; of each event its name, subject, id and changed fields. */
export const INSERT_EVENTS = forEachLength(
  'log_events',
  (length) => `INSERT INTO event (organization_id, actor, request_id, name, subject_type, subject_id, changed)
     VALUES ${rowsOf(length, ['int', 'text', 'text'], ['text', 'text', 'bigint', 'text[]'])}`,
);

/** Values: organization, actor, request, operation, address; of each row its action, resource, ids, patients and detail. */
export const INSERT_AUDITS = forEachLength(
  'log_audits',
  (
    length,
  ) => `INSERT INTO audit_entry (organization_id, actor, request_id, operation, address, action, resource, resource_ids, patient_ids, detail)
     VALUES ${rowsOf(length, ['int', 'text', 'text', 'text', 'text'], ['text', 'text', 'bigint[]', 'int[]', 'text'])}`,
);

/** Rows of both logs, in any number, and of any caller. Values: organization, actor, request, events, audit rows. */
export const LOG_MANY = statement<never>(
  'log_many',
  `WITH logged AS (
     INSERT INTO event (organization_id, name, subject_type, subject_id, changed, actor, request_id)
     SELECT $1::int, e.name, e.subject, e.id, e.changed, $2::text, $3::text
       FROM jsonb_to_recordset($4::jsonb) AS e (name text, subject text, id bigint, changed text[])
   ), ${RESTRICTED_CHARTS}
   INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, patient_ids, operation, request_id, address, detail)
   SELECT $1::int, a.actor, a.action, a.resource, a.resource_ids, a.patient_ids, a.operation, a.request_id, a.address, ${auditDetail('a')}
     FROM jsonb_to_recordset($5::jsonb) AS a (actor text, action text, resource text,
          resource_ids bigint[], patient_ids int[], operation text, request_id text, address text, detail text, despite boolean)`,
);

/** Stores a response. Values: organization, caller, key, fingerprint, status, headers, body, records that it shows. */
export const STORE_RESPONSE = statement<never>(
  'store_response',
  `INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, audits, expires_at)
   VALUES ($1::int, $2::text, $3::text, $4::bytea, $5::int, $6::jsonb, $7::bytea, $8::jsonb, now() + interval '24 hours')`,
);
