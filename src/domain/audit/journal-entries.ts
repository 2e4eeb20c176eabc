import type { Db } from '../../database/database.ts';
import { type Statement, statement } from '../../database/statements/statement.ts';
import { type Caller, type CallerIdentity, looksDespiteRestriction } from '../caller.ts';
import { EVENTS } from '../events/catalogue.ts';
import { type AuditAction, isEmpty, type NewAuditEntry, type NewEvent, type StoredResponse } from '../journal.ts';
import type { Tx } from '../tx.ts';

/**
 * Records a change: its event and its audit row, which for an act of administration names the event and the fields.
 * @param patientIds of the charts that it is about: the audit of a person shows it by them, also where a read is recorded beside it
 * @param detail what the audit says beside it, instead
 */
export function recordChange(
  caller: Caller,
  action: AuditAction,
  event: NewEvent,
  patientIds: number[] = [],
  detail = writeDetail(action, event),
): void {
  caller.journal.events.push(event);
  caller.journal.audits.push({
    action,
    resource: EVENTS[event.name].subject,
    ids: [event.id],
    ...(patientIds.length > 0 ? { patientIds } : {}),
    ...(detail === undefined ? {} : { detail }),
  });
}

const writeDetail = (action: AuditAction, { name, changed = [] }: NewEvent): string | undefined =>
  action === 'administer' ? [name, ...changed].join(' ') : undefined;

/** The charts that a record is about: that of its patient, or none. */
export const toPatientIds = ({ patientId }: { patientId: number | null }): number[] => (patientId === null ? [] : [patientId]);

export function recordRead(caller: Caller, resource: string, ids: number[], action: 'read' | 'search' = 'read'): void {
  caller.journal.audits.push({ action, resource, ids });
}

/** Records in one row that records were read, and with them the charts of the patients that they are about. */
export function recordReadWithPatients(
  caller: Caller,
  resource: string,
  { ids, patientIds }: { ids: number[]; patientIds: number[] },
  action: 'read' | 'search',
): void {
  caller.journal.audits.push({ action, resource, ids, ...(patientIds.length > 0 ? { patientIds } : {}) });
}

/** Records the rows of a list, and the charts that they are about, each once. An empty list records nothing. */
export function recordListed(caller: Caller, resource: string, shown: readonly { id: number; patientId: number }[]): void {
  if (shown.length === 0) return;
  const patientIds = [...new Set(shown.map(({ patientId }) => patientId))];
  recordReadWithPatients(caller, resource, { ids: shown.map(({ id }) => id), patientIds }, 'search');
}

export type ShownRecords = Pick<NewAuditEntry, 'resource' | 'ids' | 'patientIds'>;

/** Records that records were shown again, in a stored response. */
export function recordReplay(caller: Caller, shown: ShownRecords): void {
  caller.journal.audits.push({ ...shown, action: 'read', detail: 'stored response' });
}

/** The practice to whose logs each transaction has written. */
const practiceOfLogs = new WeakMap<Db, number>();

/**
 * Writes the whole journal, in the transaction that is given, by statements that leave together.
 * @throws Error where the transaction has written to the logs of another practice: readers of two logs could see its halves at two
 *   times, and miss one
 */
export function writeJournal(tx: Tx): Promise<unknown> {
  if (isEmpty(tx.journal)) return Promise.resolve();
  const practice = practiceOfLogs.get(tx.prisma) ?? tx.organizationId;
  if (practice !== tx.organizationId)
    throw new Error(`a transaction that wrote to the logs of practice ${practice} writes to those of practice ${tx.organizationId}`);
  practiceOfLogs.set(tx.prisma, practice);
  return Promise.all(listStatements(tx).map(([statement, values]) => tx.rows(statement, values)));
}

type Sent = [statement: Statement<never>, values: unknown[]];

function listStatements(caller: Caller): Sent[] {
  const { events, storedResponse } = caller.journal;
  const audits = caller.journal.audits.length > 0 ? readOnce(caller.journal.audits) : events.map(entryOfEvent);
  return [...toLogStatements(caller, events, audits), ...(storedResponse ? [toResponseStatement(caller, storedResponse, audits)] : [])];
}

/** Records that one act reads several times have one row. */
function readOnce(audits: readonly NewAuditEntry[]): NewAuditEntry[] {
  const read = new Set<string>();
  return audits.filter((entry) => entry.action !== 'read' || read.size < read.add(JSON.stringify(entry)).size);
}

function toLogStatements(caller: Caller, events: NewEvent[], audits: NewAuditEntry[]): Sent[] {
  const { actor, requestId, operation, address } = caller;
  const shared = [actor, requestId];
  if (looksDespiteRestriction(caller) || Math.max(events.length, audits.length) > MOST_IN_VALUES) {
    const rows = events.map(({ name, id, changed = [] }) => ({ name, subject: EVENTS[name].subject, id, changed }));
    return [[LOG_MANY, [...shared, JSON.stringify(rows), JSON.stringify(audits.map((entry) => auditRow(caller, entry)))]]];
  }
  const eventValues = events.flatMap(({ name, id, changed = [] }) => [name, EVENTS[name].subject, id, writeArray(changed)]);
  const auditValues = audits.flatMap(({ action, resource, ids, patientIds, detail = null }) => [
    action,
    resource,
    writeArray(ids),
    patientIds ? writeArray(patientIds) : null,
    detail,
  ]);
  const ofEvents: Sent[] = events.length > 0 ? [[INSERT_EVENTS(events.length), [...shared, ...eventValues]]] : [];
  const ofAudits: Sent[] = audits.length > 0 ? [[INSERT_AUDITS(audits.length), [...shared, operation, address, ...auditValues]]] : [];
  return [...ofEvents, ...ofAudits];
}

/** A list as PostgreSQL writes it. Names of fields are quoted as in JSON. */
const writeArray = (list: readonly (string | number)[]): string => `{${list.map((one) => JSON.stringify(one)).join(',')}}`;

/** The stored response, with the records that it shows, for the audit of a replay. */
function toResponseStatement(
  { actor }: Caller,
  { key, fingerprint, status, headers, body }: StoredResponse,
  audits: NewAuditEntry[],
): Sent {
  const shown = audits.map(({ action: _action, detail: _detail, ...records }): ShownRecords => records);
  return [STORE_RESPONSE, [actor, key, fingerprint, status, JSON.stringify(headers), body, JSON.stringify(shown)]];
}

/** Every event has an audit entry in its transaction, by which verify knows that none is missing. */
const entryOfEvent = ({ name, id }: NewEvent): NewAuditEntry => ({ action: 'update', resource: EVENTS[name].subject, ids: [id] });

/** One row of audit_entry, by the names of its columns; and whether it is to say where a chart is restricted. */
export function auditRow(caller: CallerIdentity, { action, resource, ids, patientIds, detail }: NewAuditEntry) {
  return {
    organization_id: caller.organizationId,
    actor: caller.actor,
    action,
    resource,
    resource_ids: ids,
    patient_ids: patientIds ?? null,
    operation: caller.operation,
    request_id: caller.requestId,
    address: caller.address,
    detail: detail ?? null,
    despite: looksDespiteRestriction(caller),
  };
}

export type AuditRow = ReturnType<typeof auditRow>;

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
const MOST_IN_VALUES = 8;

function forEachLength(name: string, text: (length: number) => string): (length: number) => Statement<never> {
  const made = Array.from({ length: MOST_IN_VALUES }, (_, index) => statement<never>(`${name}_${index + 1}`, text(index + 1)));
  return (length) => {
    const one = made[length - 1];
    if (!one) throw new Error(`a list of ${length} rows has no statement`);
    return one;
  };
}

/** Rows with the values that they share, and after those the values of each by their types. */
const writeValueRows = (length: number, shared: readonly string[], own: readonly string[]): string =>
  Array.from({ length }, (_row, row) => {
    const values = own.map((type, column) => `$${shared.length + row * own.length + column + 1}::${type}`);
    return `(${[...shared.map((type, column) => `$${column + 1}::${type}`), ...values].join(', ')})`;
  }).join(', ');

/** Values: organization, actor, request; of each event its name, subject, id and changed fields. */
const INSERT_EVENTS = forEachLength(
  'log_events',
  (length) => `INSERT INTO event (organization_id, actor, request_id, name, subject_type, subject_id, changed)
     VALUES ${writeValueRows(length, ['int', 'text', 'text'], ['text', 'text', 'bigint', 'text[]'])}`,
);

/** Values: organization, actor, request, operation, address; of each row its action, resource, ids, patients and detail. */
const INSERT_AUDITS = forEachLength(
  'log_audits',
  (
    length,
  ) => `INSERT INTO audit_entry (organization_id, actor, request_id, operation, address, action, resource, resource_ids, patient_ids, detail)
     VALUES ${writeValueRows(length, ['int', 'text', 'text', 'text', 'text'], ['text', 'text', 'bigint[]', 'int[]', 'text'])}`,
);

/** Rows of both logs, in any number, and of any caller. Values: organization, actor, request, events, audit rows. */
const LOG_MANY = statement<never>(
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
const STORE_RESPONSE = statement<never>(
  'store_response',
  `INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, audits, expires_at)
   VALUES ($1::int, $2::text, $3::text, $4::bytea, $5::int, $6::jsonb, $7::bytea, $8::jsonb, now() + interval '24 hours')`,
);
