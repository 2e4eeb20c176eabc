import type { Db } from '../../database/database.ts';
import { readHorizon } from '../../database/logs/log-order.ts';
import { preparedIn, statement } from '../../database/statements/statement.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { type CallerIdentity, listOpenedCharts, maySeeRestricted } from '../caller.ts';
import { gone, invalid } from '../errors.ts';
import type { EventName } from '../events/catalogue.ts';
import type { IdentityTx, PracticeTx } from '../tx.ts';

export interface LoggedEvent {
  id: number;
  /** `patient.registered`: subject and past tense. */
  name: EventName;
  subjectType: string;
  subjectId: number;
  /** Names of the fields that changed, as the domain has them; never a value. */
  changed: string[];
  /** `user:12`, `client:…`, `operator:name`, `job:…` */
  actor: string;
  requestId: string | null;
  occurredAt: Date;
  /** The position after it, from which a reader goes on. */
  cursor: string;
}

export interface EventPage {
  events: LoggedEvent[];
  /** The cursor for the next page. It may move on where there were no events: those that were passed over are not looked at again. */
  cursor: string;
  /** Whether the next page can be read at once. A page with filters may be empty and have more behind it. */
  hasMore: boolean;
}

export interface EventQuery {
  /** The cursor of the last page; null: from the oldest event that is kept. */
  after: string | null;
  /** Events a page. */
  limit: number;
  /** Only events with one of these names. */
  names?: readonly EventName[] | undefined;
  /** Only events about this record. */
  subject?: { type: string; id: number } | undefined;
  /** The name of the cursor where the reader sent it, for errors; `after` by default. */
  field?: string | undefined;
}

/** Events that one page looks at where a filter passes over some: its time is bounded, however few of them fit. */
const SCANNED = 5_000;

interface PageRow {
  scanned: number;
  lastTransaction: bigint | null;
  lastId: bigint | null;
  startTransaction: bigint | null;
  startId: bigint | null;
  events: (Omit<LoggedEvent, 'occurredAt' | 'cursor'> & { transactionId: number; occurredAt: string })[];
}

/**
 * The events of the caller's practice after a cursor, in the order of the log: by transaction, then as they were written.
 * The events of a transaction are returned once all earlier transactions have ended, so that a reader who keeps the cursor
 * sees each event exactly once, also those that are committed late. Events about a chart that does not exist for the caller are
 * passed over.
 * @throws Failure invalid for a malformed cursor; gone where events after the cursor were deleted by age
 */
export async function readEvents(tx: IdentityTx, query: EventQuery): Promise<EventPage> {
  const field = query.field ?? 'after';
  const after = query.after === null ? null : parseCursor(query.after, field);
  const horizon = await logHorizon(tx.prisma);
  const page = await readPage(tx, { ...query, horizon, from: after ?? START });
  if (after !== null && page.startTransaction !== null && isBefore(after, page.startTransaction, page.startId ?? 0n))
    throw gone('cursor_expired', 'Events after this cursor are no longer stored. Start again without it.', field);
  const events = page.events.slice(0, query.limit).map(toEvent);
  const isFull = page.events.length > query.limit;
  const isCut = page.scanned >= scanLimit(tx, query);
  return { events, cursor: cursorAfter(page, { isFull, isCut, events, horizon }), hasMore: isFull || isCut };
}

/** The position from which a reader sees what is written from now on. */
export async function newestCursor(db: Db): Promise<string> {
  return writeCursor({ transactionId: await logHorizon(db), id: 0 });
}

/** Values: organization, a position in the log, the horizon. */
const HAS_EVENTS_AFTER = statement<{ found: boolean }>(
  'has_events_after',
  `SELECT EXISTS (SELECT FROM event
                   WHERE organization_id = $1::int AND (transaction_id, id) > ($2::bigint, $3::bigint) AND transaction_id < $4::bigint) AS found`,
);

/**
 * One look at the log of a practice for several of its readers.
 * @param cursors of the readers, at least one
 * @returns the cursor from which all of them go on, since nothing happened after theirs; null where some have something to read
 */
export async function findQuietCursor(tx: PracticeTx, cursors: readonly string[]): Promise<string | null> {
  const [first = START, ...others] = cursors.map((cursor) => parseCursor(cursor));
  const earliest = others.reduce((least, one) => (isBefore(one, least.transactionId, least.id) ? one : least), first);
  const horizon = await logHorizon(tx.prisma);
  const [row] = await tx.rows(HAS_EVENTS_AFTER, [earliest.transactionId, earliest.id, horizon]);
  return row?.found ? null : writeCursor({ transactionId: horizon, id: 0n });
}

async function logHorizon(db: Db): Promise<bigint> {
  return BigInt(await readHorizon(preparedIn(db)));
}

/** Rows that the statement looks at: one more than asked for, unless some may be passed over. */
function scanLimit(caller: CallerIdentity, { names, limit }: EventQuery): number {
  return names === undefined && maySeeRestricted(caller) ? limit + 1 : Math.max(SCANNED, limit + 1);
}

async function readPage(tx: IdentityTx, query: EventQuery & { horizon: bigint; from: LogCursor }): Promise<PageRow> {
  const { organizationId } = tx;
  const { horizon, from, limit, names, subject } = query;
  const ofSubject = subject ? Prisma.sql`AND subject_type = ${subject.type} AND subject_id = ${BigInt(subject.id)}::bigint` : Prisma.empty;
  const named = names ? Prisma.sql`name = ANY (${[...names]}::text[])` : Prisma.sql`true`;
  // The start is read in the snapshot of the events: it moves in the transaction that deletes.
  const [row] = await tx.prisma.$queryRaw<PageRow[]>`
    WITH scanned AS (
      SELECT id, transaction_id, name, subject_type, subject_id, changed, actor, request_id, occurred_at
        FROM event
       WHERE organization_id = ${organizationId} ${ofSubject}
         AND (transaction_id, id) > (${from.transactionId}::bigint, ${from.id}::bigint) AND transaction_id < ${horizon}::bigint
       ORDER BY transaction_id, id LIMIT ${scanLimit(tx, query)}
    ), last AS (
      SELECT transaction_id, id FROM scanned ORDER BY transaction_id DESC, id DESC LIMIT 1
    ), page AS (
      SELECT * FROM scanned e WHERE ${named} AND ${whereVisible(tx)} ORDER BY transaction_id, id LIMIT ${limit + 1}
    )
    SELECT (SELECT count(*)::int FROM scanned) AS scanned,
           (SELECT transaction_id FROM last) AS "lastTransaction", (SELECT id FROM last) AS "lastId",
           (SELECT transaction_id FROM event_log_start WHERE organization_id = ${organizationId}) AS "startTransaction",
           (SELECT event_id FROM event_log_start WHERE organization_id = ${organizationId}) AS "startId",
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                     'id', id, 'transactionId', transaction_id, 'name', name, 'subjectType', subject_type, 'subjectId', subject_id,
                     'changed', changed, 'actor', actor, 'requestId', request_id, 'occurredAt', occurred_at)
                     ORDER BY transaction_id, id), '[]') FROM page) AS events`;
  if (!row) throw new Error('a statement without rows of its own has one row');
  return row;
}

/**
 * The condition on the event `e` that the caller is told of it. Of a chart that does not exist for the caller, only that it was withdrawn is
 * told, and not for what reason; of one that does, everything else. Who may see restricted charts is told everything of other charts, too.
 */
function whereVisible(caller: CallerIdentity): Prisma.Sql {
  const isThere = Prisma.sql`EXISTS (
    SELECT FROM patient p
     WHERE p.organization_id = ${caller.organizationId} AND p.id = e.subject_id AND p.status <> 'deleted'
       AND (NOT p.restricted OR ${maySeeRestricted(caller)}::boolean OR p.id = ANY (${listOpenedCharts(caller)}::int[])))`;
  if (maySeeRestricted(caller)) return Prisma.sql`(e.name <> ${WITHDRAWN} OR NOT ${isThere})`;
  return Prisma.sql`(e.subject_type <> 'patient' OR (e.name = ${WITHDRAWN}) <> ${isThere})`;
}

const WITHDRAWN = 'patient.withdrawn' satisfies EventName;

interface PageEnd {
  isFull: boolean;
  isCut: boolean;
  events: readonly LoggedEvent[];
  horizon: bigint;
}

/** After the last event of a full page, after the last one that was looked at, or after all that there is. */
function cursorAfter({ lastTransaction, lastId }: PageRow, { isFull, isCut, events, horizon }: PageEnd): string {
  const last = events.at(-1);
  if (isFull && last) return last.cursor;
  if (isCut) return writeCursor({ transactionId: lastTransaction ?? 0n, id: lastId ?? 0n });
  return writeCursor({ transactionId: horizon, id: 0n });
}

const toEvent = ({ transactionId, occurredAt, ...event }: PageRow['events'][number]): LoggedEvent => ({
  ...event,
  occurredAt: new Date(occurredAt),
  cursor: writeCursor({ transactionId, id: event.id }),
});

const isBefore = ({ transactionId, id }: LogCursor, startTransaction: bigint, startId: bigint): boolean =>
  transactionId < BigInt(startTransaction) || (transactionId === BigInt(startTransaction) && id < BigInt(startId));

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
  if (transactionId === undefined || id === undefined) throw invalid(field, 'is not a cursor of this server', 'invalid_cursor');
  return { transactionId: BigInt(transactionId), id: BigInt(id) };
}
