import { isIPv6 } from 'node:net';
import type { Pool } from 'pg';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../../config/config.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { unavailable } from '../../errors.ts';
import { countAttempt, createFailureCounter, tooManyAttempts } from './failure-counters.ts';

/** Seconds from the first failure until an account or an address is free again. */
export const LOCK_SECONDS = 15 * 60;
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
   * counts only wrong secrets from unknown devices; once it is over its limit, their attempts that had started are refused as well.
   * An attempt that could not be checked does not count.
   * @param account its canonical spelling: two spellings would have two limits
   * @param check resolves to null when the secret was wrong
   * @throws Failure too_many_requests with the seconds to wait, the same for known and unknown accounts
   */
  attempt<T>(account: string, address: string, check: () => Promise<T | null>, options?: AttemptOptions): Promise<T | null>;
  /**
   * Counts that a network address, or a known device at any, asks for the link of a new password.
   * @throws Failure too_many_requests after twenty within an hour
   */
  countResetRequest(address: string, device: string | null): Promise<void>;
  /** Counts a lock-out of an account of a practice. @returns whether it is the tenth within an hour */
  countLockOut(organizationId: number): Promise<boolean>;
}

interface AttemptOptions {
  /**
   * The id of a device from which this account was signed in to before. It has a count of its own, past those of strangers and of
   * its address.
   */
  device?: string | null | undefined;
  /** Called when the last failure locks the account. */
  lockedOut?: () => void;
  /** People (the default) or machines, whose failures of an address are counted apart: a program that fails must not keep a clinic's people out. */
  by?: 'person' | 'machine';
}

/** The account of a user, as the limits name it. @param name as accountName writes it */
export const userAccount = (name: string): string => `user ${name}`;

const hashKey = (keyring: Keyring, text: string): string => keyring.mac('sign-in-limits', text).toString('base64url');

/** The key under which strangers' failures at a user's account are counted; those of its devices begin with it. @param name as accountName writes it */
export const accountLockKey = (keyring: Keyring, name: string): string => `account:${hashKey(keyring, userAccount(name))}`;

/** The text under whose key the failures of an address are counted. */
const addressAccount = (address: string, by: 'person' | 'machine'): string =>
  by === 'machine' ? `machines ${toNetwork(address)}` : toNetwork(address);

/** The keys under which failures at an address are counted: those of people, of clients, and requests for new passwords. */
export function addressLockKeys(keyring: Keyring, address: string) {
  const [person, machine] = [hashKey(keyring, addressAccount(address, 'person')), hashKey(keyring, addressAccount(address, 'machine'))];
  return { person: `address:${person}`, machine: `address:${machine}`, clients: `account:${machine}`, resets: `resets:${person}` };
}

export function createSignInLimits(pool: Pool, keyring: Keyring, config: Config): SignInLimits {
  const counter = (keyPrefix: string, points: number, duration = LOCK_SECONDS) =>
    createFailureCounter(pool, { keyPrefix, points, duration });
  const byAccount = counter('account', config.SIGN_IN_FAILURES_ACCOUNT);
  const byAddress = counter('address', config.SIGN_IN_FAILURES_ADDRESS);
  const resets = counter('resets', RESETS_ADDRESS, HOUR_SECONDS);
  const lockOuts = counter('lock-outs', LOCK_OUTS_TOLD, HOUR_SECONDS);
  const name = (text: string) => hashKey(keyring, text);

  async function refuseAddress(key: string, by: 'person' | 'machine'): Promise<void> {
    const failures = await byAddress.get(key);
    if (failures && failures.consumedPoints >= config.SIGN_IN_FAILURES_ADDRESS) throw tooMany.address[by](failures);
  }

  async function tryOnce<T>(attempt: Attempt, check: () => Promise<T | null>): Promise<T | null> {
    const { accountKey, addressKey, by, isKnown, lockedOut } = attempt;
    if (!isKnown) await refuseAddress(addressKey, by);
    const { remainingPoints } = await countAttempt(byAccount, accountKey, isKnown ? tooMany.device : tooMany.account[by]);
    const outcome = await check().catch(async (error: unknown) => {
      await byAccount.reward(accountKey, 1).catch(() => {});
      throw error;
    });
    if (outcome !== null) {
      if (!isKnown) await refuseAddress(addressKey, by);
      await byAccount.delete(accountKey);
    } else if (!isKnown) {
      if (remainingPoints === 0) lockedOut?.();
      const failures = await byAddress.penalty(addressKey, 1);
      if (failures.consumedPoints > config.SIGN_IN_FAILURES_ADDRESS) throw tooMany.address[by](failures);
    }
    return outcome;
  }

  const inSequence = createAccountQueues();
  return {
    attempt(account, address, check, { device, lockedOut, by = 'person' } = {}) {
      const addressKey = name(addressAccount(address, by));
      const ownKey = name(account);
      const strangersKey = by === 'machine' ? `${addressKey}:${ownKey}` : ownKey;
      const accountKey = device ? `${ownKey}:${name(`device ${device}`)}` : strangersKey;
      return inSequence(accountKey, () => tryOnce({ accountKey, addressKey, by, isKnown: Boolean(device), lockedOut }, check));
    },
    async countResetRequest(address, device) {
      await countAttempt(resets, name(device === null ? toNetwork(address) : `device ${device}`), tooMany.resets);
    },
    async countLockOut(organizationId) {
      return (await lockOuts.penalty(String(organizationId), 1)).consumedPoints === LOCK_OUTS_TOLD;
    },
  };
}

interface Attempt {
  accountKey: string;
  addressKey: string;
  by: 'person' | 'machine';
  /** Whether the attempt comes from a device that this account was signed in to from before. */
  isKnown: boolean;
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
  if (performance.now() - since > LONGEST_WAIT_MS)
    throw unavailable('Too many concurrent attempts for this account. Try again in a moment.');
  return attempt();
}

/** The network of one subscriber: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function toNetwork(address: string): string {
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

const refusal = (code: string, message: string) => (counted: RateLimiterRes) => tooManyAttempts(counted, code, message);

const UNLOCKS = 'A new password through “Forgot your password?” or an administrator unlocks it immediately.';
/** Says which limit was reached, and what gets past it. */
const tooMany = {
  account: {
    person: refusal('too_many_failed_sign_ins', `Too many wrong passwords for this account. ${UNLOCKS}`),
    machine: refusal('too_many_failed_sign_ins', 'Too many failed authentications of this client from this network address.'),
  },
  device: refusal('too_many_failed_sign_ins', `Too many wrong passwords for this account on this device. ${UNLOCKS}`),
  address: {
    person: refusal(
      'too_many_failures_of_address',
      'Too many failed sign-ins from this network address. Devices that have signed in before, and passkeys, still work.',
    ),
    machine: refusal('too_many_failures_of_address', 'Too many failed authentications of clients from this network address.'),
  },
  resets: refusal('too_many_resets', 'Too many requests for a new password from this network address or device.'),
};
