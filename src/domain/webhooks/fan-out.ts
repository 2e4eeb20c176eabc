import type { Pool } from 'pg';
import { readHorizon } from '../../database/logs/log-order.ts';
import { createPrepared, type Prepared } from '../../database/statements/statement.ts';
import { inTransaction } from '../../database/transaction.ts';
import { namesMatching } from '../events/event-filter.ts';
import { publicEvent } from '../events/public-event.ts';
import {
  END_REPLAY,
  ENDPOINT_TO_QUEUE,
  ENDPOINTS_TO_QUEUE,
  type EndpointRow,
  EVENTS_AFTER,
  type EventRow,
  INSERT_DELIVERIES,
  LOCK_QUEUE,
  MOVE_ENDPOINT,
  MOVE_REPLAY,
  OPEN_REPLAY,
  QUEUE_LOCK,
  type QueueingRow,
  type ReplayRow,
} from './fan-out.sql.ts';

/** Events that one transaction looks at. */
const BATCH = 1_000;

export async function endpointsToQueue(pool: Pool): Promise<EndpointRow[]> {
  const prepared = createPrepared(pool);
  return prepared.rows(ENDPOINTS_TO_QUEUE, [await readHorizon(prepared)]);
}

/**
 * Queues a batch of deliveries for an endpoint: of the events after its position in the log, and of its oldest open replay. Rows,
 * sequence numbers and position are one transaction, so that a kill leaves no gap and doubles nothing.
 * @returns whether there may be more; false where another process is at it
 */
export function queueForEndpoint(pool: Pool, { organizationId, endpointId }: EndpointRow): Promise<boolean> {
  return inTransaction(pool, async (prepared) => {
    const [lock] = await prepared.rows(LOCK_QUEUE, [QUEUE_LOCK, endpointId]);
    if (!lock?.locked) return false;
    const [endpoint] = await prepared.rows(ENDPOINT_TO_QUEUE, [organizationId, endpointId]);
    if (!endpoint) return false;
    const queueing = { prepared, organizationId, endpointId, endpoint: { ...endpoint, horizon: await readHorizon(prepared) } };
    const live = await queueLive(queueing);
    const replay = await queueReplay(queueing, live.lastSequence);
    await prepared.rows(MOVE_ENDPOINT, [organizationId, endpointId, ...live.position, replay.lastSequence]);
    return live.hasMore || replay.hasMore;
  });
}

interface Queueing extends EndpointRow {
  prepared: Prepared;
  endpoint: QueueingRow & {
    /** All transactions below it have ended. */
    horizon: number;
  };
}

type Position = readonly [transactionId: number, eventId: number];

async function queueLive(queueing: Queueing) {
  const { endpoint } = queueing;
  const from: Position = [endpoint.lastTransactionId, endpoint.lastEventId];
  const events = await eventsAfter(queueing, from);
  const fitting = events.filter(createSelector(endpoint.eventNames, queueing));
  const lastSequence = await insert(queueing, { events: fitting, after: endpoint.lastSequence, replayId: null });
  return { lastSequence, position: positionAfter(events) ?? from, hasMore: events.length === BATCH };
}

async function queueReplay(queueing: Queueing, after: number) {
  const { prepared, organizationId, endpointId, endpoint } = queueing;
  const [replay] = await prepared.rows(OPEN_REPLAY, [organizationId, endpointId]);
  if (!replay) return { lastSequence: after, hasMore: false };
  const from: Position = [replay.lastTransactionId, replay.lastEventId];
  const events = await eventsAfter(queueing, from);
  const isSelected = createSelector(replay.eventNames.length > 0 ? replay.eventNames : endpoint.eventNames, queueing);
  const fitting = events.filter((event) => isWithin(event, replay) && isSelected(event));
  const lastSequence = await insert(queueing, { events: fitting, after, replayId: replay.id });
  const isDone = events.length < BATCH;
  await prepared.rows(MOVE_REPLAY, [organizationId, replay.id, ...(positionAfter(events) ?? from), fitting.length]);
  if (isDone) await prepared.rows(END_REPLAY, [organizationId, replay.id]);
  // Of several open replays the next one follows in the next transaction.
  return { lastSequence, hasMore: true };
}

const isWithin = ({ occurredAt }: EventRow, { fromTime, toTime }: ReplayRow): boolean => occurredAt >= fromTime && occurredAt < toTime;

const eventsAfter = ({ prepared, organizationId, endpoint }: Queueing, from: Position): Promise<EventRow[]> =>
  prepared.rows(EVENTS_AFTER, [organizationId, ...from, endpoint.horizon, BATCH]);

function positionAfter(events: readonly EventRow[]): Position | null {
  const last = events.at(-1);
  return last ? [last.transactionId, last.id] : null;
}

/**
 * Whether an endpoint gets an event. A test goes to its own endpoint alone, whichever kinds of events that asked for. An endpoint is not
 * told of its own creation.
 */
function createSelector(eventNames: readonly string[], { endpointId, endpoint }: Queueing): (event: EventRow) => boolean {
  const names = eventNames.length === 0 ? null : new Set(eventNames.flatMap(namesMatching));
  return ({ name, subjectId, restricted, gone }) => {
    if (name === 'webhook_endpoint.tested') return subjectId === endpointId;
    if (name === 'webhook_endpoint.created' && subjectId === endpointId) return false;
    if (names !== null && !names.has(name)) return false;
    // As in the feed: of a chart that an endpoint may not have, it gets that it was withdrawn, and of any other the rest.
    const isWithheld = gone || (restricted && !endpoint.seesRestricted);
    if (name === 'patient.withdrawn') return isWithheld;
    return endpoint.seesRestricted || !isWithheld;
  };
}

/** @returns the sequence number of the last delivery */
async function insert(
  { prepared, organizationId, endpointId, endpoint }: Queueing,
  { events, after, replayId }: { events: readonly EventRow[]; after: number; replayId: number | null },
): Promise<number> {
  if (events.length === 0) return after;
  const subjects = new Set<string>();
  const isFirst = events.map(({ subjectType, subjectId }) => {
    const before = subjects.size;
    return subjects.add(`${subjectType}:${subjectId}`).size > before;
  });
  await prepared.rows(INSERT_DELIVERIES, [
    ...[organizationId, endpointId, replayId],
    events.map((_, index) => after + index + 1),
    events.map(({ id }) => id),
    events.map(({ name }) => name),
    events.map(({ subjectType }) => subjectType),
    events.map(({ subjectId }) => subjectId),
    events.map((event) => JSON.stringify(publicEvent(event, endpoint.dialect))),
    isFirst,
  ]);
  return after + events.length;
}
