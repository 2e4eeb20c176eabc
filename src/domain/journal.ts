import type { Db } from '../database.ts';
import type { Caller, CallerIdentity } from './caller.ts';

/** A change, for those who follow: what happened to which record, by name. Never a value: no patient data. */
export interface NewEvent {
  /** `patient.registered`: subject and past tense. */
  name: string;
  subject: string;
  id: number;
  /** Names of the fields that changed. */
  changed?: string[];
}

export type AuditAction = 'create' | 'read' | 'search' | 'update' | 'cancel' | 'delete' | 'sign_in' | 'sign_in_refused' | 'sign_out' | 'administer';

/** Who looked at or changed what. */
export interface NewAuditEntry {
  action: AuditAction;
  resource: string;
  ids: number[];
  /** Never patient data. */
  detail?: string;
}

/** The first answer to a keyed POST. */
export interface KeptAnswer {
  key: string;
  fingerprint: Buffer;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** What one unit of work leaves behind beside its rows; written in its transaction. */
export interface Journal {
  events: NewEvent[];
  audits: NewAuditEntry[];
  answer: KeptAnswer | null;
}

export const emptyJournal = (): Journal => ({ events: [], audits: [], answer: null });

/** Notes a change: its event and its audit row. */
export function recordChange(caller: Caller, action: AuditAction, event: NewEvent): void {
  caller.journal.events.push(event);
  caller.journal.audits.push({ action, resource: event.subject, ids: [event.id] });
}

/** Notes that records were read. */
export function recordRead(caller: Caller, resource: string, ids: number[], action: 'read' | 'search' = 'read'): void {
  caller.journal.audits.push({ action, resource, ids });
}

/** Writes the whole journal in one statement, in the transaction that is given. */
export async function writeJournal(tx: Db, caller: Caller): Promise<void> {
  const { events, audits, answer } = caller.journal;
  if (events.length === 0 && audits.length === 0 && answer === null) return;
  const auditRows = JSON.stringify(audits.map((entry) => auditRow(caller, entry)));
  const eventRows = JSON.stringify(events.map((event) => ({ ...event, changed: event.changed ?? [] })));
  const kept = answer ? JSON.stringify({ ...answer, fingerprint: undefined, body: undefined }) : null;
  await tx.$executeRaw`
    WITH logged AS (
      INSERT INTO event (organization_id, name, subject_type, subject_id, changed, actor, request_id)
      SELECT ${caller.organizationId}::int, e.name, e.subject, e.id, e.changed, ${caller.actor}::text, ${caller.requestId}::text
        FROM jsonb_to_recordset(${eventRows}::jsonb) AS e (name text, subject text, id int, changed text[])
    ), audited AS (
      INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation, request_id, address, detail)
      SELECT a.organization_id, a.actor, a.action, a.resource, a.resource_ids, a.operation, a.request_id, a.address, a.detail
        FROM jsonb_to_recordset(${auditRows}::jsonb) AS a (organization_id int, actor text, action text, resource text,
             resource_ids int[], operation text, request_id text, address text, detail text)
    )
    INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, expires_at)
    SELECT ${caller.organizationId}::int, ${caller.actor}::text, k.key, ${answer?.fingerprint ?? null}::bytea, k.status, k.headers,
           ${answer?.body ?? null}::bytea, now() + interval '24 hours'
      FROM jsonb_to_record(${kept}::jsonb) AS k (key text, status int, headers jsonb)
     WHERE ${kept}::jsonb IS NOT NULL`;
}

/** One row of audit_entry, in the words of its columns. */
export function auditRow(caller: CallerIdentity, { action, resource, ids, detail }: NewAuditEntry) {
  return {
    organization_id: caller.organizationId,
    actor: caller.actor,
    action,
    resource,
    resource_ids: ids,
    operation: caller.operation,
    request_id: caller.requestId,
    address: caller.address,
    detail: detail ?? null,
  };
}

export type AuditRow = ReturnType<typeof auditRow>;
