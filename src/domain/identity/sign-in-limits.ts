import { isIPv6 } from 'node:net';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../config/config.ts';
import type { Keyring } from '../../database/keyring.ts';
import { Failure, unavailable } from '../errors.ts';

const WINDOW_SECONDS = 15 * 60;
/** Responses are due within 5 s. */
const LONGEST_WAIT_MS = 4_000;

/** Counts failed sign-ins of people and clients, on all processes and across restarts, without storing an address. */
export interface SignInLimits {
  /**
   * Checks a secret unless the account or the network address has failed too often. An attempt counts for the account
   * before it is checked, so that concurrent attempts cannot pass the limit. The address, which a whole clinic may share,
   * counts only wrong secrets; once it is over its limit, attempts that had started are refused as well. An attempt that
   * could not be checked does not count.
   * @param account its canonical spelling: two spellings would have two limits
   * @param check resolves to null when the secret was wrong
   * @throws Failure too_many_requests with the seconds to wait, the same for known and unknown accounts
   */
  attempt<T>(account: string, address: string, check: () => Promise<T | null>): Promise<T | null>;
}

export function createSignInLimits(pool: Pool, keyring: Keyring, config: Config): SignInLimits {
  const byAccount = limiter(pool, 'account', config.SIGN_IN_FAILURES_ACCOUNT);
  const byAddress = limiter(pool, 'address', config.SIGN_IN_FAILURES_ADDRESS);
  const name = (text: string) => keyring.mac('sign-in-limits', text).toString('base64url');

  async function refuseAddress(key: string): Promise<void> {
    const failures = await byAddress.get(key);
    if (failures && failures.consumedPoints >= config.SIGN_IN_FAILURES_ADDRESS) throw tooMany(failures);
  }

  async function tryOnce<T>(accountKey: string, addressKey: string, check: () => Promise<T | null>): Promise<T | null> {
    await refuseAddress(addressKey);
    await byAccount.consume(accountKey, 1).catch((rejection: unknown) => {
      throw rejection instanceof RateLimiterRes ? tooMany(rejection) : rejection;
    });
    const outcome = await check().catch(async (error: unknown) => {
      await byAccount.reward(accountKey, 1).catch(() => {});
      throw error;
    });
    if (outcome === null) {
      const failures = await byAddress.penalty(addressKey, 1);
      if (failures.consumedPoints > config.SIGN_IN_FAILURES_ADDRESS) throw tooMany(failures);
    } else {
      await refuseAddress(addressKey);
      await byAccount.delete(accountKey);
    }
    return outcome;
  }

  const inSequence = createAccountQueues();
  return {
    attempt(account, address, check) {
      const [accountKey, addressKey] = [name(account), name(networkOf(address))];
      return inSequence(accountKey, () => tryOnce(accountKey, addressKey, check));
    },
  };
}

/** Runs the attempts of an account one after another, so that concurrent correct ones do not count as failures. */
function createAccountQueues() {
  const ends = new Map<string, Promise<void>>();
  return <T>(account: string, attempt: () => Promise<T>): Promise<T> => {
    const before = ends.get(account);
    const since = performance.now();
    const turn = before ? before.then(() => attemptInTime(since, attempt)) : attempt();
    const end: Promise<void> = turn.then(leave, leave);
    ends.set(account, end);
    return turn;

    function leave(): void {
      if (ends.get(account) === end) ends.delete(account);
    }
  };
}

/** Drops an attempt whose client has timed out: it must not be made any more. */
function attemptInTime<T>(since: number, attempt: () => Promise<T>): Promise<T> {
  if (performance.now() - since > LONGEST_WAIT_MS) throw unavailable();
  return attempt();
}

function limiter(pool: Pool, keyPrefix: string, points: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    // Prisma creates the table, and a job deletes expired rows.
    tableName: 'sign_in_failure',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix,
    points,
    duration: WINDOW_SECONDS,
  });
}

/** The network of one subscriber: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right ? right.split(':') : [];
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

function tooMany({ msBeforeNext }: RateLimiterRes): Failure {
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new Failure('too_many_requests', 'too_many_failed_sign_ins', 'Too many failed attempts to sign in. Wait before you try again.', {
    retryAfter,
  });
}
