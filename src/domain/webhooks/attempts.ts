import type { Pool } from 'pg';
import { readClock } from '../../database/clock.ts';
import { createPrepared } from '../../database/statements/statement.ts';
import { inTransaction } from '../../database/transaction.ts';
import {
  CLAIM_DELIVERIES,
  CLAIM_SECONDS,
  type ClaimedRow,
  ENDPOINT_ADDRESS,
  FREE_NEXT,
  GIVE_BACK,
  HURRY_DELIVERIES,
  LOCK_ENDPOINT,
  NOTE_FAILING,
  RECORD_ATTEMPTS,
  type ServedEndpointRow,
} from './attempts.sql.ts';
import { ENDPOINTS_TO_SERVE, type EndpointRow } from './fan-out.sql.ts';
import { DOWN_MS, readRetryAfter, secondsToNextAttempt } from './schedule.ts';

/** The answer of a receiver, or one word for why there was none. */
export interface Answer {
  status: number | null;
  failure: string | null;
  retryAfter: string | undefined;
  /** The beginning of the answer. */
  body: string | null;
}

export interface Attempted {
  delivery: ClaimedRow;
  answer: Answer;
}

/** The answer by which a receiver says that it is there no more. */
export const GONE = 410;

export const isDelivered = ({ status }: Pick<Answer, 'status'>): boolean => status !== null && status >= 200 && status < 300;

/** Endpoints that have deliveries which are due, and since when. */
export const endpointsToServe = (pool: Pool): Promise<(EndpointRow & { dueSince: Date })[]> =>
  createPrepared(pool).rows(ENDPOINTS_TO_SERVE, []);

/** Null where the endpoint is switched off or deleted, or its client may have no more. */
export async function endpointAddress(pool: Pool, { organizationId, endpointId }: EndpointRow): Promise<ServedEndpointRow | null> {
  const [endpoint] = await createPrepared(pool).rows(ENDPOINT_ADDRESS, [organizationId, endpointId]);
  return endpoint ?? null;
}

/** Claims up to so many deliveries that are due, in the order of their sequence. Nobody else sends them meanwhile. */
export async function claimDeliveries(pool: Pool, { organizationId, endpointId }: EndpointRow, most: number): Promise<ClaimedRow[]> {
  const claimed = await createPrepared(pool).rows(CLAIM_DELIVERIES, [organizationId, endpointId, most, CLAIM_SECONDS]);
  return claimed.sort((a, b) => a.sequence - b.sequence);
}

/** Gives back deliveries that were claimed and not sent, or whose answer is not waited for. */
export async function giveBack(pool: Pool, { organizationId }: EndpointRow, deliveries: readonly ClaimedRow[]): Promise<void> {
  if (deliveries.length > 0) await createPrepared(pool).rows(GIVE_BACK, [organizationId, deliveries.map(({ id }) => id)]);
}

/**
 * Records how attempts went: delivered, to be attempted again, or dead. A delivery that is done makes the next one about its record
 * due.
 * @returns the state of each delivery after it
 */
export async function recordAttempts(pool: Pool, endpoint: EndpointRow, attempted: readonly Attempted[]): Promise<DeliveryState[]> {
  const { organizationId, endpointId } = endpoint;
  const now = new Date();
  const outcomes = attempted.map((one) => ({ ...one, ...toOutcome(one, now) }));
  const done = outcomes.filter(({ state }) => state !== 'pending').map(({ delivery }) => delivery);
  await inTransaction(pool, async (prepared) => {
    await prepared.rows(LOCK_ENDPOINT, [organizationId, endpointId]);
    await prepared.rows(RECORD_ATTEMPTS, [
      organizationId,
      outcomes.map(({ delivery }) => delivery.id),
      outcomes.map(({ state }) => state),
      outcomes.map(({ seconds }) => seconds),
      outcomes.map(({ answer }) => answer.status),
      outcomes.map(({ answer }) => answer.failure),
      outcomes.map(({ answer }) => answer.body),
      await readClock(prepared),
    ]);
    if (done.length > 0)
      await prepared.rows(FREE_NEXT, [organizationId, endpointId, done.map((one) => one.subjectType), done.map((one) => one.subjectId)]);
  });
  return outcomes.map(({ state }) => state);
}

type DeliveryState = 'pending' | 'delivered' | 'dead';

function toOutcome({ delivery, answer }: Attempted, now: Date): { state: DeliveryState; seconds: number | null } {
  if (isDelivered(answer)) return { state: 'delivered', seconds: null };
  const seconds = secondsToNextAttempt(delivery.attempts + 1, readRetryAfter(answer.retryAfter, now));
  if (seconds === null) return { state: 'dead', seconds: null };
  return { state: 'pending', seconds };
}

/** Notes that nothing is delivered any more. */
export async function noteFailing(pool: Pool, { organizationId, endpointId }: EndpointRow): Promise<void> {
  await createPrepared(pool).rows(NOTE_FAILING, [organizationId, endpointId, new Date()]);
}

/** Notes that a receiver is reached again. After an hour or more without it, all that waits for another attempt is due at once. */
export async function noteReached(pool: Pool, { organizationId, endpointId }: EndpointRow, failingSince: Date): Promise<void> {
  const { rows } = createPrepared(pool);
  await rows(NOTE_FAILING, [organizationId, endpointId, null]);
  if (Date.now() - failingSince.getTime() > DOWN_MS) await rows(HURRY_DELIVERIES, [organizationId, endpointId]);
}
