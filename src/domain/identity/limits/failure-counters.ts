import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Failure } from '../../errors.ts';

/** @param window `duration` in seconds, and `points`: the attempts that it allows */
export function createFailureCounter(pool: Pool, window: { keyPrefix: string; points: number; duration: number }): RateLimiterPostgres {
  // Prisma creates the table, and a job deletes expired rows.
  const table = { tableName: 'sign_in_failure', tableCreated: true, clearExpiredByTimeout: false };
  return new RateLimiterPostgres({ storeClient: pool, storeType: 'pool', ...table, ...window });
}

/** Counts an attempt. @throws Failure that `refusal` makes, where there were too many */
export const countAttempt = (
  counter: RateLimiterPostgres,
  key: string,
  refusal: (counted: RateLimiterRes) => Failure,
): Promise<RateLimiterRes> =>
  counter.consume(key, 1).catch((rejection: unknown) => {
    throw rejection instanceof RateLimiterRes ? refusal(rejection) : rejection;
  });

/** The refusal of a further attempt, with the seconds to wait, which the message names in whole minutes. */
export function tooManyAttempts({ msBeforeNext }: RateLimiterRes, code: string, message: string): Failure {
  const minutes = Math.max(1, Math.ceil(msBeforeNext / 60_000));
  const wait = `Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} before you try again.`;
  return new Failure('too_many_requests', code, `${message} ${wait}`, { retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1000)) });
}
