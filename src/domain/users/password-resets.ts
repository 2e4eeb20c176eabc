import type { Db } from '../../database/database.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { unlockAccount } from '../identity/limits/account-locks.ts';
import { storePassword } from '../identity/passwords/passwords.ts';
import { readSecurityPolicy } from '../identity/policies/security-policy.ts';
import type { SecretLinkKey } from '../identity/secret-links.ts';
import { endUserSessions } from '../identity/sessions/session-ends.ts';
import { claimAccountLink, createAccountLink, findAccountLink, withdrawAccountLinks } from './account-links.ts';
import { type AccountMailDeps, findMailedUser, mailUser } from './account-mails.ts';
import { PASSWORD_CHANGED_MAIL, RESET_MAIL, SINGLE_SIGN_ON_MAIL } from './mail-words.ts';

/** Mails that a user gets within an hour at most. */
const MAX_RESETS_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

/**
 * Mails a user a link with which they set a new password; where the practice signs in without passwords, the way to its single
 * sign-on. Nothing happens from the fourth time within an hour on.
 */
export async function requestPasswordReset(db: Db, caller: Caller, deps: AccountMailDeps, userId: number): Promise<void> {
  const { organizationId } = caller;
  await db.$queryRaw`SELECT 1 FROM "user" WHERE organization_id = ${organizationId}::int AND id = ${userId}::int FOR NO KEY UPDATE`;
  const to = await findMailedUser(db, organizationId, userId);
  const since = new Date(Date.now() - HOUR_MS);
  const recent = await db.accountLink.count({ where: { organizationId, userId, kind: 'reset', createdAt: { gt: since } } });
  if (!to || recent >= MAX_RESETS_PER_HOUR) return;
  // Earlier links go on working until one is used: whoever knows an address could else void the link that its user has asked for.
  const token = await createAccountLink(db, caller, userId, 'reset');
  const { passwordSignIn } = await readSecurityPolicy(db, organizationId);
  if (passwordSignIn) await mailUser(db, caller, deps, to, { words: RESET_MAIL, path: `/reset-password/${token}` });
  else {
    await withdrawAccountLinks(db, caller, userId, 'reset');
    await mailUser(db, caller, deps, to, { words: SINGLE_SIGN_ON_MAIL, path: '/sign-in' });
  }
  recordChange(caller, 'administer', { name: 'user.password_reset_requested', id: userId });
}

/**
 * Sets the password of the user of a reset link, ends all of their sessions and unlocks their account. A second factor is asked for
 * as before.
 * @returns the ids of the sessions that ended; null for a link that does not work any more
 */
export async function resetPasswordByLink(
  db: Db,
  caller: Caller,
  deps: AccountMailDeps,
  { link, passwordHash }: { link: SecretLinkKey; passwordHash: string },
): Promise<string[] | null> {
  const found = await findAccountLink(db, link, 'reset');
  if (!found || !(await claimAccountLink(db, link, found.id))) return null;
  const { userId, email } = found.user;
  const ended = await setOwnPassword(db, caller, deps, { userId, passwordHash });
  await withdrawAccountLinks(db, caller, userId);
  await db.user.update({ where: { organizationId_id: { organizationId: caller.organizationId, id: userId } }, data: { verified: true } });
  await unlockAccount(db, deps.keyring, email);
  recordChange(caller, 'administer', { name: 'user.password_reset', id: userId });
  return ended;
}

/** Changes the password of the calling user, and ends their other sessions. @returns the ids of the sessions that ended */
export async function changeOwnPassword(
  db: Db,
  caller: Caller & { userId: number },
  deps: AccountMailDeps,
  passwordHash: string,
): Promise<string[]> {
  const ended = await setOwnPassword(db, caller, deps, { userId: caller.userId, passwordHash, except: caller.sessionId });
  await withdrawAccountLinks(db, caller, caller.userId, 'reset');
  recordChange(caller, 'administer', { name: 'user.password_changed', id: caller.userId });
  return ended;
}

/** Stores a password, ends sessions and tells the user by mail. */
async function setOwnPassword(
  db: Db,
  { organizationId, ...caller }: Caller,
  deps: AccountMailDeps,
  { userId, passwordHash, except }: { userId: number; passwordHash: string; except?: string | null },
): Promise<string[]> {
  await storePassword(db, { organizationId, userId }, passwordHash);
  const ended = await endUserSessions(db, { organizationId, userId, except }, except === undefined ? 'reset' : 'password');
  const to = await findMailedUser(db, organizationId, userId);
  if (to) await mailUser(db, { organizationId, ...caller }, deps, to, { words: PASSWORD_CHANGED_MAIL, path: '/sign-in/forgot' });
  return ended;
}
