import { recordChange } from '../audit/journal-entries.ts';
import { unlockAccount } from '../identity/limits/account-locks.ts';
import { storePassword } from '../identity/passwords/passwords.ts';
import { readSecurityPolicy } from '../identity/policies/security-policy.ts';
import type { SecretLinkKey } from '../identity/secret-links.ts';
import { endUserSessions } from '../identity/sessions/session-ends.ts';
import type { Tx } from '../tx.ts';
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
export async function requestPasswordReset(tx: Tx, deps: AccountMailDeps, userId: number): Promise<void> {
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`SELECT 1 FROM "user" WHERE organization_id = ${organizationId}::int AND id = ${userId}::int FOR NO KEY UPDATE`;
  const to = await findMailedUser(tx, userId);
  const since = new Date(Date.now() - HOUR_MS);
  const recent = await tx.prisma.accountLink.count({ where: { organizationId, userId, kind: 'reset', createdAt: { gt: since } } });
  if (!to || recent >= MAX_RESETS_PER_HOUR) return;
  // Earlier links go on working until one is used: whoever knows an address could else void the link that its user has asked for.
  const token = await createAccountLink(tx, userId, 'reset');
  const { passwordSignIn } = await readSecurityPolicy(tx);
  if (passwordSignIn) await mailUser(tx, deps, to, { words: RESET_MAIL, path: `/reset-password/${token}` });
  else {
    await withdrawAccountLinks(tx, userId, 'reset');
    await mailUser(tx, deps, to, { words: SINGLE_SIGN_ON_MAIL, path: '/sign-in' });
  }
  recordChange(tx, 'administer', { name: 'user.password_reset_requested', id: userId });
}

/**
 * Sets the password of the user of a reset link, ends all of their sessions and unlocks their account. A second factor is asked for
 * as before.
 * @returns the ids of the sessions that ended; null for a link that does not work any more
 */
export async function resetPasswordByLink(
  tx: Tx,
  deps: AccountMailDeps,
  { link, passwordHash }: { link: SecretLinkKey; passwordHash: string },
): Promise<string[] | null> {
  const found = await findAccountLink(tx.prisma, link, 'reset');
  if (!found || !(await claimAccountLink(tx.prisma, link, found.id))) return null;
  const { userId, email } = found.user;
  const ended = await setOwnPassword(tx, deps, { userId, passwordHash });
  await withdrawAccountLinks(tx, userId);
  await tx.prisma.user.update({ where: tx.key(userId), data: { verified: true } });
  await unlockAccount(tx.prisma, deps.keyring, email);
  recordChange(tx, 'administer', { name: 'user.password_reset', id: userId });
  return ended;
}

/** Changes the password of the calling user, and ends their other sessions. @returns the ids of the sessions that ended */
export async function changeOwnPassword(tx: Tx & { userId: number }, deps: AccountMailDeps, passwordHash: string): Promise<string[]> {
  const ended = await setOwnPassword(tx, deps, { userId: tx.userId, passwordHash, except: tx.sessionId });
  await withdrawAccountLinks(tx, tx.userId, 'reset');
  recordChange(tx, 'administer', { name: 'user.password_changed', id: tx.userId });
  return ended;
}

/** Stores a password, ends sessions and tells the user by mail. */
async function setOwnPassword(
  tx: Tx,
  deps: AccountMailDeps,
  { userId, passwordHash, except }: { userId: number; passwordHash: string; except?: string | null },
): Promise<string[]> {
  await storePassword(tx.prisma, { ...tx.practice, userId }, passwordHash);
  const ended = await endUserSessions(tx.prisma, { ...tx.practice, userId, except }, except === undefined ? 'reset' : 'password');
  const to = await findMailedUser(tx, userId);
  if (to) await mailUser(tx, deps, to, { words: PASSWORD_CHANGED_MAIL, path: '/sign-in/forgot' });
  return ended;
}
