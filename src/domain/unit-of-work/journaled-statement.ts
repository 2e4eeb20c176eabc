import type { QueryResultRow } from 'pg';
import { type Statement, statement } from '../../database/statement.ts';
import { keptColumns } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { EVENTS } from '../events/catalogue.ts';
import type { NewAuditEntry } from '../journal.ts';

/** A write with its journal in one statement, which returns a row if, and only if, it wrote. */
export interface KeyedWrite<R extends QueryResultRow = QueryResultRow> {
  plain: Statement<R>;
  /** Also stores a response under an idempotency key; writes nothing where that key is claimed or has a response already. */
  keyed: Statement<R>;
}

/** Parts of the statement with the journal that a write inside it refers to. */
export interface StatementParts {
  /** A parameter with one of its own values, which are counted from 1. */
  own(n: number): string;
  /** To be joined to the tables that it reads; has no row where an idempotency key prevents the write. */
  unclaimed: string;
}

/** Parameters of the journal that the write may use. */
export const ORGANIZATION = '$1::int';
export const SUBJECT = '$6::bigint';
const PLAIN = 9;
const KEYED = 16;

/**
 * The first request holds the lock of its key until it ends. A second one with that key finds the lock taken here, or fails at the
 * primary key of the record. The write is then made in a transaction, which checks the key first.
 */
const CLAIMED = `unclaimed AS MATERIALIZED (
     SELECT 1
       FROM (SELECT pg_try_advisory_xact_lock($11::bigint) AS locked) AS l
      WHERE l.locked
        AND NOT EXISTS (SELECT FROM idempotency_record WHERE organization_id = $1::int AND caller = $2::text AND key = $10::text)
   ), `;

const KEPT = `, kept AS (
     INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, audits, expires_at)
     SELECT $1::int, $2::text, $10::text, $12::bytea, $13::int, $14::jsonb, $15::bytea, $16::jsonb, now() + interval '24 hours'
       FROM done
   )`;

interface Parts {
  /** The statement; returns one row with `changed`, the names for the event. */
  write: (parts: StatementParts) => string;
  /** CTEs that follow from `done`, which is that row. */
  besides?: ((parts: StatementParts) => string) | undefined;
  /** The columns of `done` that the statement returns. */
  shown: string;
  /** The detail of the audit row, in SQL, from the columns of `done`; none where it is absent. */
  detail?: string;
}

/** A write without an idempotency key. */
export const withJournal = <R extends QueryResultRow>(name: string, parts: Parts): Statement<R> => statement(name, textOf(parts, false));

/** A write that may have an idempotency key; it reads `unclaimed`. */
export const withJournalAndKey = <R extends QueryResultRow>(name: string, parts: Parts): KeyedWrite<R> => ({
  plain: withJournal(name, parts),
  keyed: statement(`${name}_keyed`, textOf(parts, true)),
});

function textOf({ write, besides, shown, detail = 'NULL' }: Parts, keyed: boolean): string {
  const context: StatementParts = { own: (n) => `$${n + (keyed ? KEYED : PLAIN)}`, unclaimed: keyed ? 'CROSS JOIN unclaimed' : '' };
  return `WITH ${keyed ? CLAIMED : ''}done AS (${write(context)})${besides ? `, ${besides(context)}` : ''}, logged AS (
     INSERT INTO event (organization_id, name, subject_type, subject_id, changed, actor, request_id)
     SELECT $1::int, $4::text, $5::text, $6::bigint, changed, $2::text, $3::text FROM done
   ), audited AS (
     INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation, request_id, address, detail)
     SELECT $1::int, $2::text, $9::text, $5::text, ARRAY[$6::bigint], $7::text, $3::text, $8::text, ${detail} FROM done
   )${keyed ? KEPT : ''} SELECT ${shown} FROM done`;
}

const isRead = ({ action }: NewAuditEntry): boolean => action === 'read' || action === 'search';

/** The audit rows of what the write read before: the statement has no room for them. */
export const readsBeforeWrite = ({ journal }: Caller): NewAuditEntry[] => journal.audits.filter(isRead);

/**
 * The values of the journal in such a write, with those of the stored response where there is one. Audit rows of reads are left
 * out; a stored response names what they show.
 * @throws Error where the journal has more than one event and its audit row, which is all that the statement writes
 */
export function valuesWithWrite(caller: Caller): unknown[] {
  const { events, audits, answer, jobs } = caller.journal;
  const [event] = events;
  const [audit, ...others] = audits.filter((entry) => !isRead(entry));
  const subject = event && EVENTS[event.name].subject;
  const fits = event && audit && events.length === 1 && others.length === 0 && jobs.length === 0 && subject === audit.resource;
  if (!fits || audit.patientIds || audit.detail) throw new Error('an optimistic write has a journal of one event and its audit row');
  const { organizationId, actor, requestId, operation, address } = caller;
  const values = [organizationId, actor, requestId, event.name, subject, event.id, operation, address, audit.action];
  if (!answer) return values;
  const { key, status, headers, audits: shown } = keptColumns(answer, audits);
  const kept = [key, answer.lock, answer.fingerprint, status, JSON.stringify(headers), answer.body, JSON.stringify(shown)];
  return [...values, ...kept];
}
