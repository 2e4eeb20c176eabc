import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { accountName } from './accounts.ts';
import { accountLockKey } from './sign-in-limits.ts';

/** Forgets the failed sign-ins of an account, so that it is open again at once. */
export async function unlockAccount(db: Db, keyring: Keyring, email: string): Promise<void> {
  await db.signInFailure.deleteMany({ where: { key: accountLockKey(keyring, accountName(email)) } });
}

/** Opens the locked account of a user of the caller's practice. @throws Failure not_found */
export async function unlockUser(db: Db, caller: Caller, keyring: Keyring, userId: number): Promise<void> {
  const { organizationId } = caller;
  const accounts = await db.signIn.findMany({ where: { organizationId, userId }, select: { email: true } });
  if (accounts.length === 0) throw notFound('user');
  for (const { email } of accounts) await unlockAccount(db, keyring, email);
  recordChange(caller, 'administer', { name: 'user.unlocked', id: userId });
}

/**
 * The addresses among the given ones whose accounts are locked now.
 * @param failures failed sign-ins that lock an account (SIGN_IN_FAILURES_ACCOUNT)
 */
export async function findLockedAccounts(db: Db, keyring: Keyring, emails: readonly string[], failures: number): Promise<Set<string>> {
  const byKey = new Map(emails.map((email) => [accountLockKey(keyring, accountName(email)), email]));
  const rows = await db.signInFailure.findMany({
    where: { key: { in: [...byKey.keys()] }, points: { gte: failures }, expire: { gt: Date.now() } },
    select: { key: true },
  });
  return new Set(rows.flatMap(({ key }) => byKey.get(key) ?? []));
}
