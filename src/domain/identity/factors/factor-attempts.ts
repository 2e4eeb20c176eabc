import type { Pool } from 'pg';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Failure } from '../../errors.ts';
import { countAttempt, createFailureCounter, tooManyAttempts } from '../limits/failure-counters.ts';
import type { FactorOwner } from './second-factors.ts';

/** A user guesses five times in five minutes, and fifty times a day: of a million codes, three are right at a time. */
const WINDOWS = [
  { keyPrefix: 'factor', points: 5, duration: 300 },
  { keyPrefix: 'factor-day', points: 50, duration: 86_400 },
] as const;

/** Counts attempts to show a second factor, by user, on all processes and across restarts and challenges. */
export interface FactorAttempts {
  /**
   * Runs a check unless the user has failed too often. An attempt counts before it is checked, so that concurrent ones cannot pass
   * the limit; a right one, and one that could not be checked, do not count.
   * @param check resolves to null for a wrong factor
   * @throws Failure too_many_requests `too_many_wrong_codes` with the seconds to wait
   */
  attempt<T>(owner: FactorOwner, check: () => Promise<T | null>): Promise<T | null>;
}

export function createFactorAttempts(pool: Pool, keyring: Keyring): FactorAttempts {
  const counters = WINDOWS.map((window) => createFailureCounter(pool, window));
  const name = ({ organizationId, userId }: FactorOwner) =>
    keyring.mac('sign-in-limits', `second factor ${organizationId} ${userId}`).toString('base64url');
  const giveBack = (key: string) => Promise.all(counters.map((each) => each.reward(key, 1).catch(() => {})));

  return {
    async attempt(owner, check) {
      const key = name(owner);
      for (const each of counters) await countAttempt(each, key, tooMany);
      const outcome = await check().catch(async (error: unknown) => {
        await giveBack(key);
        throw error;
      });
      if (outcome !== null) await giveBack(key);
      return outcome;
    },
  };
}

const tooMany = (counted: RateLimiterRes): Failure => tooManyAttempts(counted, 'too_many_wrong_codes', 'Too many wrong codes.');
