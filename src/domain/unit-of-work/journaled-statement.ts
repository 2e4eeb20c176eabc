import type { QueryResultRow } from 'pg';
import { type Prepared, type Statement, statement } from '../../database/statement.ts';
import { keptColumns } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { EVENTS } from '../events/catalogue.ts';
import type { NewAuditEntry } from '../journal.ts';

/** A write with its journal in one statement, which returns a row if, and only if, it wrote. */
export interface JournaledStatement<R extends QueryResultRow = QueryResultRow> extends Statement<R> {
  /** The same in parts, which are sent one after the other in one transaction. The journal follows them. */
  readonly apart: ApartWrite<R>;
}

/**
 * The parts of a write. On a cluster the parts of one statement that read each other's rows are sent to every node: with a node that is
 * down they fail for all practices. One after the other they go to the node of the practice alone.
 */
interface ApartWrite<R extends QueryResultRow> {
  /** Returns also the names of the fields for the event. */
  write: ApartStatement<R & { changed: string[] }>;
  /** The statement that follows from the write, where that wrote. */
  besides: ApartStatement<never> | null;
}

/** A statement that takes some of the values of the whole one. */
interface ApartStatement<R extends QueryResultRow> {
  statement: Statement<R>;
  /** @param values those of the whole statement */
  valuesOf(values: readonly unknown[]): unknown[];
}

/** A journaled write that may have an idempotency key. */
export interface KeyedWrite<R extends QueryResultRow = QueryResultRow> {
  plain: JournaledStatement<R>;
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

/** The comment by which a statement says that there are parts of it (`apart`): its own share rows. A test asks for it. */
const IN_PARTS = '/* made in parts where a node is down */';

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
  /** A statement that follows from `done`, which is that row, and returns nothing. */
  besides?: ((parts: StatementParts) => string) | undefined;
  /** The columns of `done` that the statement returns. */
  shown: string;
  /** The detail of the audit row, in SQL, from the columns of `done`; none where it is absent. */
  detail?: string;
}

/** A write without an idempotency key. */
export const withJournal = <R extends QueryResultRow>(name: string, parts: Parts): JournaledStatement<R> => ({
  ...statement<R>(name, textOf(parts, false)),
  apart: apartOf(name, parts),
});

const contextOf = (keyed: boolean): StatementParts => ({
  own: (n) => `$${n + (keyed ? KEYED : PLAIN)}`,
  unclaimed: keyed ? 'CROSS JOIN unclaimed' : '',
});

function apartOf<R extends QueryResultRow>(name: string, { write, besides, shown }: Parts): ApartWrite<R> {
  const context = contextOf(false);
  return {
    write: apart(`${name}_alone`, `WITH done AS (${write(context)}) SELECT ${shown}, changed FROM done`),
    besides: besides ? apart(`${name}_besides`, `WITH done AS (SELECT 1) ${besides(context)}`) : null,
  };
}

/** Counts the parameters of a text anew: PostgreSQL refuses one that is not used. */
function apart<R extends QueryResultRow>(name: string, text: string): ApartStatement<R> {
  const used = [...new Set(Array.from(text.matchAll(/\$(\d+)/g), ([, n]) => Number(n)))];
  const renumbered = text.replaceAll(/\$(\d+)/g, (_, n) => `$${used.indexOf(Number(n)) + 1}`);
  return { statement: statement(name, renumbered), valuesOf: (values) => used.map((n) => values[n - 1]) };
}

/** A write that may have an idempotency key; it reads `unclaimed`. */
export const withJournalAndKey = <R extends QueryResultRow>(name: string, parts: Parts): KeyedWrite<R> => ({
  plain: withJournal(name, parts),
  keyed: statement(`${name}_keyed`, textOf(parts, true)),
});

function textOf({ write, besides, shown, detail = 'NULL' }: Parts, keyed: boolean): string {
  const context = contextOf(keyed);
  return `WITH ${keyed ? CLAIMED : ''}done AS (${write(context)})${besides ? `, besides AS (${besides(context)})` : ''}, logged AS (
     INSERT INTO event (organization_id, name, subject_type, subject_id, changed, actor, request_id)
     SELECT $1::int, $4::text, $5::text, $6::bigint, changed, $2::text, $3::text FROM done
   ), audited AS (
     INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation, request_id, address, detail)
     SELECT $1::int, $2::text, $9::text, $5::text, ARRAY[$6::bigint], $7::text, $3::text, $8::text, ${detail} FROM done
   )${keyed ? KEPT : ''} SELECT ${shown} FROM done ${IN_PARTS}`;
}

const isRead = ({ action }: NewAuditEntry): boolean => action === 'read' || action === 'search';

/**
 * Makes a write in parts, and completes its event in the caller's journal, which is written after it.
 * @param ownValues those of the write
 * @returns undefined where it wrote nothing
 * @throws Error as valuesWithWrite
 */
export async function writeApart<R extends QueryResultRow>(
  { rows }: Prepared,
  caller: Caller,
  { apart: { write, besides } }: JournaledStatement<R>,
  ownValues: readonly unknown[],
): Promise<R | undefined> {
  const values = [...plainValues(caller), ...ownValues];
  const [row] = await rows(write.statement, write.valuesOf(values));
  if (!row) return undefined;
  if (besides) await rows(besides.statement, besides.valuesOf(values));
  changeIn(caller).event.changed = row.changed;
  return row;
}

/** The audit rows of what the write read before: the statement has no room for them. */
export const readsBeforeWrite = ({ journal }: Caller): NewAuditEntry[] => journal.audits.filter(isRead);

/**
 * The values of the journal in such a write, with those of the stored response where there is one. Audit rows of reads are left
 * out; a stored response names what they show.
 * @throws Error where the journal has more than one event and its audit row, which is all that the statement writes
 */
export function valuesWithWrite(caller: Caller): unknown[] {
  const { audits, answer } = caller.journal;
  const values = plainValues(caller);
  if (!answer) return values;
  const { key, status, headers, audits: shown } = keptColumns(answer, audits);
  const kept = [key, answer.lock, answer.fingerprint, status, JSON.stringify(headers), answer.body, JSON.stringify(shown)];
  return [...values, ...kept];
}

/** Those without a stored response. @throws Error as valuesWithWrite */
function plainValues(caller: Caller): unknown[] {
  const { event, audit, subject } = changeIn(caller);
  const { organizationId, actor, requestId, operation, address } = caller;
  return [organizationId, actor, requestId, event.name, subject, event.id, operation, address, audit.action];
}

/** The one event of the journal of such a write, and its audit row. @throws Error as valuesWithWrite */
function changeIn({ journal: { events, audits, jobs, notices } }: Caller) {
  const [event] = events;
  const [audit, ...others] = audits.filter((entry) => !isRead(entry));
  const subject = event && EVENTS[event.name].subject;
  const fits = event && audit && events.length === 1 && others.length === 0 && subject === audit.resource;
  const isAlone = jobs.length === 0 && notices.length === 0;
  if (!fits || !isAlone || audit.patientIds || audit.detail)
    throw new Error('an optimistic write has a journal of one event and its audit row');
  return { event, audit, subject };
}
