import { isIPv6 } from 'node:net';
import type { Pool } from 'pg';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../config/config.ts';
import type { Keyring } from '../../database/keyring.ts';
import { type Failure, unavailable } from '../errors.ts';
import { countAttempt, createFailureCounter, tooManyAttempts } from './failure-counters.ts';

const WINDOW_SECONDS = 15 * 60;
const HOUR_SECONDS = 3_600;
/** Links for a new password that one network address asks for within an hour. */
const RESETS_ADDRESS = 20;
/** Lock-outs of one practice within an hour that its administrators are told of. */
const LOCK_OUTS_TOLD = 10;
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
  attempt<T>(account: string, address: string, check: () => Promise<T | null>, options?: AttemptOptions): Promise<T | null>;
  /** Counts that a network address asks for the link of a new password. @throws Failure too_many_requests after twenty within an hour */
  countResetRequest(address: string): Promise<void>;
  /** Counts a lock-out of an account of a practice. @returns whether it is the tenth within an hour */
  countLockOut(organizationId: number): Promise<boolean>;
}

interface AttemptOptions {
  /** The id of a device from which this account was signed in to before. It has a count of its own, past that of strangers. */
  device?: string | null | undefined;
  /** Called when the last failure locks the account. */
  lockedOut?: () => void;
  /** People (the default) or machines, whose failures of an address are counted apart: a program that fails must not keep a clinic's people out. */
  by?: 'person' | 'machine';
}

/** The account of a user, as the limits name it. @param name as accountName writes it */
export const userAccount = (name: string): string => `user ${name}`;

const keyOf = (keyring: Keyring, text: string): string => keyring.mac('sign-in-limits', text).toString('base64url');

/** The key under which the failures of a user's account are counted. @param name as accountName writes it */
export const accountLockKey = (keyring: Keyring, name: string): string => `account:${keyOf(keyring, userAccount(name))}`;

export function createSignInLimits(pool: Pool, keyring: Keyring, config: Config): SignInLimits {
  const counter = (keyPrefix: string, points: number, duration = WINDOW_SECONDS) =>
    createFailureCounter(pool, { keyPrefix, points, duration });
  const byAccount = counter('account', config.SIGN_IN_FAILURES_ACCOUNT);
  const byAddress = counter('address', config.SIGN_IN_FAILURES_ADDRESS);
  const resets = counter('resets', RESETS_ADDRESS, HOUR_SECONDS);
  const lockOuts = counter('lock-outs', LOCK_OUTS_TOLD, HOUR_SECONDS);
  const name = (text: string) => keyOf(keyring, text);

  async function refuseAddress(key: string): Promise<void> {
    const failures = await byAddress.get(key);
    if (failures && failures.consumedPoints >= config.SIGN_IN_FAILURES_ADDRESS) throw tooMany(failures);
  }

  async function tryOnce<T>({ accountKey, addressKey, lockedOut }: Attempt, check: () => Promise<T | null>): Promise<T | null> {
    await refuseAddress(addressKey);
    const { remainingPoints } = await countAttempt(byAccount, accountKey, tooMany);
    const outcome = await check().catch(async (error: unknown) => {
      await byAccount.reward(accountKey, 1).catch(() => {});
      throw error;
    });
    if (outcome === null) {
      if (remainingPoints === 0) lockedOut?.();
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
    attempt(account, address, check, { device, lockedOut, by = 'person' } = {}) {
      const accountKey = name(device ? `device ${device} ${account}` : account);
      const network = networkOf(address);
      const addressKey = name(by === 'machine' ? `machines ${network}` : network);
      const attempt = { accountKey, addressKey, ...(device ? {} : { lockedOut }) };
      return inSequence(accountKey, () => tryOnce(attempt, check));
    },
    async countResetRequest(address) {
      await countAttempt(resets, name(networkOf(address)), tooMany);
    },
    async countLockOut(organizationId) {
      return (await lockOuts.penalty(String(organizationId), 1)).consumedPoints === LOCK_OUTS_TOLD;
    },
  };
}

interface Attempt {
  accountKey: string;
  addressKey: string;
  lockedOut?: (() => void) | undefined;
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

const tooMany = (counted: RateLimiterRes): Failure =>
  tooManyAttempts(
    counted,
    'too_many_failed_sign_ins',
    'Too many failed attempts to sign in. A new password by “Forgot your password?” or an administrator unlocks you at once.',
  );
