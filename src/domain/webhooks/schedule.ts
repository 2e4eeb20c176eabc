/** Minutes and hours in seconds. */
const [MINUTE, HOUR] = [60, 3_600];

/** Seconds from each failed attempt to the next one. After the failure of the tenth attempt the delivery is dead. */
export const RETRY_SECONDS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR] as const;

/** A tenth of the time, to each side: receivers that failed together are not asked again together. */
const JITTER = 0.1;

/** The longest time that a receiver may ask for, in seconds. */
const MOST_RETRY_AFTER = 24 * HOUR;

/**
 * When a delivery is attempted again, in seconds from now; null: never.
 * @param attempts so far, with the one that just failed
 * @param retryAfter seconds that the receiver asked to wait; taken where it is longer than the schedule, up to a day
 */
export function secondsToNextAttempt(attempts: number, retryAfter: number | null, random: () => number = Math.random): number | null {
  const planned = RETRY_SECONDS[attempts - 1];
  if (planned === undefined) return null;
  const jittered = planned * (1 + JITTER * (2 * random() - 1));
  return Math.max(jittered, Math.min(retryAfter ?? 0, MOST_RETRY_AFTER));
}

/** Seconds of a `Retry-After` header: a number of seconds, or a date (RFC 9110). Null without one, or for one that says neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}

/** Milliseconds of failure, without one success, after which a success makes all due that waits: the receiver was down, and is back. */
export const DOWN_MS = HOUR * 1000;

/** Milliseconds of failure, without one success, after which an endpoint is switched off. */
export const FAILING_MS = 5 * 24 * HOUR * 1000;
