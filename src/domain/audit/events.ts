import type { Db } from '../../database/database.ts';
import { invalid } from '../errors.ts';

/** One change, as readers of the log get it. */
export interface LoggedEvent {
  id: bigint;
  /** `patient.registered`: subject and past tense. */
  name: string;
  subjectType: string;
  subjectId: number;
  /** Names of the fields that changed; never a value. */
  changed: string[];
  /** `user:12`, `client:…`, `operator:name`, `job:…` */
  actor: string;
  requestId: string | null;
  occurredAt: Date;
}

export interface EventPage {
  events: LoggedEvent[];
  /** The cursor for the next page; the same one again where there were no events. */
  cursor: string;
}

/**
 * The changes of an organization after a cursor, in the order of the log: by transaction, then as they were written.
 * The events of a transaction are returned once all earlier transactions have ended, so that a reader who keeps the cursor
 * sees each event exactly once, also those that are committed late.
 * @param cursor of the last page; null for the first
 * @throws Failure invalid for a malformed cursor
 */
export async function readEvents(db: Db, organizationId: number, cursor: string | null, limit: number): Promise<EventPage> {
  const after = cursor === null ? START : parseCursor(cursor);
  const rows = await db.$queryRaw<(Omit<LoggedEvent, 'id'> & { id: number; transactionId: number })[]>`
    SELECT id, transaction_id AS "transactionId", name, subject_type AS "subjectType", subject_id AS "subjectId", changed, actor,
           request_id AS "requestId", occurred_at AS "occurredAt"
      FROM event
     WHERE organization_id = ${organizationId}
       AND (transaction_id, id) > (${after.transactionId}::bigint, ${after.id}::bigint)
       AND transaction_id < log_horizon()
     ORDER BY transaction_id, id
     LIMIT ${limit}`;
  const events = rows.map(({ transactionId: _, ...event }) => ({ ...event, id: BigInt(event.id) }));
  return { events, cursor: writeCursor(rows.at(-1) ?? after) };
}

/** A position in the order of a log: the keys of its last entry that was read. */
export interface LogCursor {
  transactionId: bigint;
  id: bigint;
}

const START: LogCursor = { transactionId: 0n, id: 0n };

/** An opaque text for clients: only this file reads the two numbers in it. */
export function writeCursor({ transactionId, id }: { transactionId: bigint | number; id: bigint | number }): string {
  return Buffer.from(`${transactionId}.${id}`).toString('base64url');
}

/** @throws Failure invalid, naming the field, for a malformed cursor */
export function parseCursor(cursor: string, field = 'cursor'): LogCursor {
  const [, transactionId, id] = /^(\d{1,18})\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (transactionId === undefined || id === undefined) throw invalid(field, 'is not one that was given out', 'invalid_cursor');
  return { transactionId: BigInt(transactionId), id: BigInt(id) };
}
