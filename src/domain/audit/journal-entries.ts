import type { Db } from '../../database/database.ts';
import { preparedIn, statement } from '../../database/statements/statement.ts';
import { type Caller, type CallerIdentity, looksDespiteRestriction } from '../caller.ts';
import { EVENTS } from '../events/catalogue.ts';
import { type AuditAction, isEmpty, type KeptAnswer, type NewAuditEntry, type NewEvent } from '../journal.ts';

/**
 * Records a change: its event and its audit row, which for an act of administration names the event and the fields.
 * @param patientIds of the charts that it is about: the audit of a person shows it by them, also where a read is recorded beside it
 */
export function recordChange(caller: Caller, action: AuditAction, event: NewEvent, patientIds: number[] = []): void {
  caller.journal.events.push(event);
  const detail = action === 'administer' ? { detail: [event.name, ...(event.changed ?? [])].join(' ') } : {};
  caller.journal.audits.push({
    action,
    resource: EVENTS[event.name].subject,
    ids: [event.id],
    ...(patientIds.length > 0 ? { patientIds } : {}),
    ...detail,
  });
}

/** The charts that a record is about: that of its patient, or none. */
export const patientsOf = ({ patientId }: { patientId: number | null }): number[] => (patientId === null ? [] : [patientId]);

/** Records that records were read. */
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

/** The records that a response shows, for its audit row. */
export type ShownRecords = Pick<NewAuditEntry, 'resource' | 'ids' | 'patientIds'>;

/** Records that records were shown again, in a stored response. */
export function recordReplay(caller: Caller, shown: ShownRecords): void {
  caller.journal.audits.push({ ...shown, action: 'read', detail: 'kept answer' });
}

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

/** Values: organization, actor, request, events, audit rows, a stored response or null, its fingerprint and its body. */
const JOURNAL = statement<never>(
  'journal',
  `WITH logged AS (
     INSERT INTO event (organization_id, name, subject_type, subject_id, changed, actor, request_id)
     SELECT $1::int, e.name, e.subject, e.id, e.changed, $2::text, $3::text
       FROM jsonb_to_recordset($4::jsonb) AS e (name text, subject text, id bigint, changed text[])
   ), audited AS (
     WITH ${RESTRICTED_CHARTS}
     INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, patient_ids, operation, request_id, address, detail)
     SELECT $1::int, a.actor, a.action, a.resource, a.resource_ids, a.patient_ids, a.operation, a.request_id, a.address, ${auditDetail('a')}
       FROM jsonb_to_recordset($5::jsonb) AS a (actor text, action text, resource text,
            resource_ids bigint[], patient_ids int[], operation text, request_id text, address text, detail text, despite boolean)
   )
   INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, audits, expires_at)
   SELECT $1::int, $2::text, k.key, $7::bytea, k.status, k.headers, $8::bytea, k.audits, now() + interval '24 hours'
     FROM jsonb_to_record($6::jsonb) AS k (key text, status int, headers jsonb, audits jsonb)
    WHERE $6::jsonb IS NOT NULL`,
);

/** The practice to whose logs each transaction has written. */
const practiceOfLogs = new WeakMap<Db, number>();

/**
 * Writes the whole journal in one statement, in the transaction that is given.
 * @throws Error where the transaction has written to the logs of another practice: readers of two logs could see its halves at two
 *   times, and miss one
 */
export function writeJournal(tx: Db, caller: Caller): Promise<unknown> {
  if (isEmpty(caller.journal)) return Promise.resolve();
  const practice = practiceOfLogs.get(tx) ?? caller.organizationId;
  if (practice !== caller.organizationId)
    throw new Error(`a transaction that wrote to the logs of practice ${practice} writes to those of practice ${caller.organizationId}`);
  practiceOfLogs.set(tx, practice);
  return preparedIn(tx).rows(JOURNAL, valuesOf(caller));
}

/** The values of JOURNAL. */
function valuesOf(caller: Caller): unknown[] {
  const { events, answer } = caller.journal;
  const audits = caller.journal.audits.length > 0 ? caller.journal.audits : events.map(entryOfEvent);
  return [
    caller.organizationId,
    caller.actor,
    caller.requestId,
    JSON.stringify(events.map(({ name, id, changed = [] }) => ({ name, subject: EVENTS[name].subject, id, changed }))),
    JSON.stringify(audits.map((entry) => auditRow(caller, entry))),
    answer && JSON.stringify(keptColumns(answer, audits)),
    answer?.fingerprint ?? null,
    answer?.body ?? null,
  ];
}

/** Every event has an audit entry in its transaction, by which verify knows that none is missing. */
const entryOfEvent = ({ name, id }: NewEvent): NewAuditEntry => ({ action: 'update', resource: EVENTS[name].subject, ids: [id] });

/** The columns of a stored response that are not bytes, with the records that it shows, for the audit of a replay. */
function keptColumns({ key, status, headers }: KeptAnswer, audits: NewAuditEntry[]) {
  return { key, status, headers, audits: audits.map(({ action: _action, detail: _detail, ...shown }): ShownRecords => shown) };
}

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
