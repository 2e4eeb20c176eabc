import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { accountName } from '../accounts.ts';
import { accountLockKey, addressLockKeys } from './sign-in-limits.ts';

/** Forgets the failed sign-ins of an account, also those from its own devices, so that it is open again at once. */
export async function unlockAccount(db: Db, keyring: Keyring, email: string): Promise<void> {
  const key = accountLockKey(keyring, accountName(email));
  await db.signInFailure.deleteMany({ where: { OR: [{ key }, { key: { startsWith: `${key}:` } }] } });
}

/** Forgets what was counted at a network address: failed sign-ins of people and clients, and requests for new passwords. */
export async function unlockAddress(db: Db, keyring: Keyring, address: string): Promise<number> {
  const { person, machine, clients, resets } = addressLockKeys(keyring, address);
  const where = { OR: [{ key: { in: [person, machine, resets] } }, { key: { startsWith: `${clients}:` } }] };
  return (await db.signInFailure.deleteMany({ where })).count;
}

/** Those of some network addresses from which people may not sign in now. @param failures that lock one (SIGN_IN_FAILURES_ADDRESS) */
export async function findLockedAddresses(db: Db, keyring: Keyring, addresses: readonly string[], failures: number): Promise<string[]> {
  const keys = addresses.map((address) => addressLockKeys(keyring, address).person);
  const locked = await lockedKeys(db, { in: keys }, failures);
  return addresses.filter((_, index) => locked.has(keys[index] ?? ''));
}

/** The number of all network addresses from which people or clients may not sign in now. */
export const countLockedAddresses = async (db: Db, failures: number): Promise<number> =>
  (await lockedKeys(db, { startsWith: 'address:' }, failures)).size;

/** Opens the locked account of a user of the caller's practice. @throws Failure not_found */
export async function unlockUser(tx: Tx, keyring: Keyring, userId: number): Promise<void> {
  const accounts = await tx.prisma.signIn.findMany({ where: { ...tx.practice, userId }, select: { email: true } });
  if (accounts.length === 0) throw notFound('user');
  for (const { email } of accounts) await unlockAccount(tx.prisma, keyring, email);
  recordChange(tx, 'administer', { name: 'user.unlocked', id: userId });
}

/**
 * The addresses among the given ones whose accounts are locked now.
 * @param failures failed sign-ins that lock an account (SIGN_IN_FAILURES_ACCOUNT)
 */
export async function findLockedAccounts(db: Db, keyring: Keyring, emails: readonly string[], failures: number): Promise<Set<string>> {
  const byKey = new Map(emails.map((email) => [accountLockKey(keyring, accountName(email)), email]));
  return new Set([...(await lockedKeys(db, { in: [...byKey.keys()] }, failures))].flatMap((key) => byKey.get(key) ?? []));
}

/** Whether an account is locked now for devices that are new to it, and on how many of its own. */
export async function findAccountLock(db: Db, keyring: Keyring, emails: readonly string[], failures: number) {
  let devices = 0;
  for (const email of emails) {
    const key = accountLockKey(keyring, accountName(email));
    devices += (await lockedKeys(db, { startsWith: `${key}:` }, failures)).size;
  }
  return { account: (await findLockedAccounts(db, keyring, emails, failures)).size > 0, devices };
}

async function lockedKeys(db: Db, key: { in: string[] } | { startsWith: string }, failures: number): Promise<Set<string>> {
  const where = { key, points: { gte: failures }, expire: { gt: Date.now() } };
  return new Set((await db.signInFailure.findMany({ where, select: { key: true } })).map((row) => row.key));
}
