import { isIPv6 } from 'node:net';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../config/config.ts';
import type { Keyring } from '../../database/keyring.ts';
import { Failure, unavailable } from '../errors.ts';

const WINDOW_SECONDS = 15 * 60;
/** Requests answer within 5 s. */
const LONGEST_WAIT_MS = 4_000;

/** Counts failed sign-ins of people and clients, on all processes and across restarts, without storing an address. */
export interface SignInLimits {
  /**
   * Lets someone show a secret, if neither the account nor the network address failed too often. The account counts the
   * attempt before it is checked, so that many at once cannot slip past its limit. The address, which a whole clinic may
   * share, counts only what was wrong; but once it is over its limit, even those that slipped in before are told nothing.
   * What could not be checked counts for nobody.
   * @param account its one spelling: whoever counts it twice under two names has no limit
   * @param check answers null when the secret was wrong
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

  const inLine = createLines();
  return {
    attempt(account, address, check) {
      const [accountKey, addressKey] = [name(account), name(networkOf(address))];
      return inLine(accountKey, () => tryOnce(accountKey, addressKey, check));
    },
  };
}

/** One attempt after the other for each account, so that many who sign in rightly at once do not count as many failures. */
function createLines() {
  const ends = new Map<string, Promise<void>>();
  return <T>(account: string, attempt: () => Promise<T>): Promise<T> => {
    const before = ends.get(account);
    const since = performance.now();
    const turn = before ? before.then(() => tryInTime(since, attempt)) : attempt();
    const end: Promise<void> = turn.then(leave, leave);
    ends.set(account, end);
    return turn;

    function leave(): void {
      if (ends.get(account) === end) ends.delete(account);
    }
  };
}

/** Nobody waits any more for the answer of an attempt that comes too late; it must not be made behind their back. */
function tryInTime<T>(since: number, attempt: () => Promise<T>): Promise<T> {
  if (performance.now() - since > LONGEST_WAIT_MS) throw unavailable();
  return attempt();
}

function limiter(pool: Pool, keyPrefix: string, points: number): RateLimiterPostgres {
  // The table is Prisma's, and a job takes away what has run out.
  const table = { tableName: 'sign_in_failure', tableCreated: true, clearExpiredByTimeout: false };
  return new RateLimiterPostgres({ storeClient: pool, storeType: 'pool', ...table, keyPrefix, points, duration: WINDOW_SECONDS });
}

/** What one subscriber has: an IPv4 address, or the first half of an IPv6 address, of whose rest he has as many as he likes. */
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
