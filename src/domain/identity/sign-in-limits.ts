import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../config.ts';
import type { Keyring } from '../../keyring.ts';
import { Failure } from '../errors.ts';

const WINDOW_SECONDS = 15 * 60;

/** Counts failed sign-ins of people and clients, on all processes and across restarts, without storing an address. */
export interface SignInLimits {
  /**
   * Begins an attempt. The account counts it as failed until it is settled as right, so that many at once cannot slip
   * past its limit; the network address, which a whole clinic may share, counts only what was settled as wrong.
   * @returns how to settle it
   * @throws Failure too_many_requests with the seconds to wait, the same for known and unknown accounts
   */
  attempt(account: string, address: string): Promise<(right: boolean) => Promise<void>>;
}

export function createSignInLimits(pool: Pool, keyring: Keyring, config: Config): SignInLimits {
  const limiter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({ storeClient: pool, storeType: 'pool', tableName: 'sign_in_failure', tableCreated: true, keyPrefix, points, duration: WINDOW_SECONDS });
  const byAccount = limiter('account', config.SIGN_IN_FAILURES_ACCOUNT);
  const byAddress = limiter('address', config.SIGN_IN_FAILURES_ADDRESS);
  const name = (text: string) => keyring.mac('sign-in-limits', text.trim().toLowerCase()).toString('base64url');

  return {
    async attempt(account, address) {
      const [accountKey, addressKey] = [name(account), name(address)];
      const failures = await byAddress.get(addressKey);
      if (failures && failures.consumedPoints >= config.SIGN_IN_FAILURES_ADDRESS) throw tooMany(failures);
      await byAccount.consume(accountKey, 1).catch((rejection: unknown) => {
        throw rejection instanceof RateLimiterRes ? tooMany(rejection) : rejection;
      });
      return async (right) => {
        if (right) await byAccount.delete(accountKey);
        else await byAddress.penalty(addressKey, 1);
      };
    },
  };
}

function tooMany({ msBeforeNext }: RateLimiterRes): Failure {
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new Failure('too_many_requests', 'too_many_failed_sign_ins', 'Too many failed attempts to sign in. Wait before you try again.', { retryAfter });
}
