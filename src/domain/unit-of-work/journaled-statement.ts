import type { QueryResultRow } from 'pg';
import { type Statement, statement } from '../../database/statement.ts';
import { keptColumns } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';

/** A write that takes the journal with it in one statement, and answers with a row if, and only if, it wrote. */
export interface KeyedWrite<R extends QueryResultRow = QueryResultRow> {
  plain: Statement<R>;
  /** With an answer that is kept under a key; writes nothing where that key is claimed, or has an answer already. */
  keyed: Statement<R>;
}

/** How a write is made into a part of a larger statement. */
export interface Place {
  /** Its own values, from 1 on. */
  own(n: number): string;
  /** Joined to what it reads; no row where a key keeps it from writing. */
  unclaimed: string;
}

/** Of the journal, as values of the statement. */
export const ORGANIZATION = '$1::int';
export const SUBJECT = '$6::bigint';
const PLAIN = 9;
const KEYED = 16;

/**
 * The lock of a key is the first request's until it ends; a second one that has the key meets it here, or meets the record at
 * its primary key. Both are for those who do it with care.
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
  /** The statement; returns one row with `changed`, the names for the event, and `transaction_id`. */
  write: (place: Place) => string;
  /** CTEs that follow from `done`, which is that row. */
  besides?: ((place: Place) => string) | undefined;
  /** Of `done`. */
  shown: string;
}

/** A write that nobody sends a key with. */
export const withJournal = <R extends QueryResultRow>(name: string, parts: Parts): Statement<R> => statement(name, textOf(parts, false));

/** A write that may come with a key; it reads `unclaimed`. */
export const withJournalAndKey = <R extends QueryResultRow>(name: string, parts: Parts): KeyedWrite<R> => ({
  plain: withJournal(name, parts),
  keyed: statement(`${name}_keyed`, textOf(parts, true)),
});

function textOf({ write, besides, shown }: Parts, keyed: boolean): string {
  const place: Place = { own: (n) => `$${n + (keyed ? KEYED : PLAIN)}`, unclaimed: keyed ? 'CROSS JOIN unclaimed' : '' };
  return `WITH ${keyed ? CLAIMED : ''}done AS (${write(place)})${besides ? `, ${besides(place)}` : ''}, logged AS (
     INSERT INTO event (organization_id, transaction_id, name, subject_type, subject_id, changed, actor, request_id)
     SELECT $1::int, transaction_id, $4::text, $5::text, $6::bigint, changed, $2::text, $3::text FROM done
   ), audited AS (
     INSERT INTO audit_entry (organization_id, transaction_id, actor, action, resource, resource_ids, operation, request_id, address)
     SELECT $1::int, transaction_id, $2::text, $9::text, $5::text, ARRAY[$6::bigint], $7::text, $3::text, $8::text FROM done
   )${keyed ? KEPT : ''} SELECT ${shown} FROM done`;
}

/**
 * The values of the journal in such a write, with those of the kept answer where there is one.
 * @throws Error where it is more than one event and its audit row, which is all that the statement has room for
 */
export function valuesWithWrite(caller: Caller): unknown[] {
  const { events, audits, answer, jobs } = caller.journal;
  const [event] = events;
  const [audit] = audits;
  const fits = event && audit && events.length === 1 && audits.length === 1 && jobs.length === 0 && event.subject === audit.resource;
  if (!fits || audit.patientIds || audit.detail) throw new Error('a direct write has a journal of one event and its audit row');
  const { organizationId, actor, requestId, operation, address } = caller;
  const values = [organizationId, actor, requestId, event.name, event.subject, event.id, operation, address, audit.action];
  if (!answer) return values;
  const { key, status, headers, audits: shown } = keptColumns(answer, audits);
  const kept = [key, answer.lock, answer.fingerprint, status, JSON.stringify(headers), answer.body, JSON.stringify(shown)];
  return [...values, ...kept];
}
