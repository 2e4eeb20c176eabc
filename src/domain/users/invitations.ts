import { recordChange } from '../audit/journal-entries.ts';
import { conflict, notFound } from '../errors.ts';
import { storePassword, unusableHash } from '../identity/passwords/passwords.ts';
import type { SecretLinkKey } from '../identity/secret-links.ts';
import type { Tx } from '../tx.ts';
import { claimAccountLink, createAccountLink, findAccountLink, withdrawAccountLinks } from './account-links.ts';
import { type AccountMailDeps, findMailedUser, mailUser } from './account-mails.ts';
import { INVITATION_MAIL } from './mail-words.ts';
import { createUser, type UserInput, type UserWithSignIn } from './users.ts';

/**
 * Adds a user without a password, and mails them a link with which they set one within seven days. Until then they are not verified
 * and cannot sign in.
 * @throws Failure conflict when a user of any practice signs in with this address
 */
export async function inviteUser(tx: Tx, deps: AccountMailDeps, input: UserInput): Promise<UserWithSignIn> {
  const user = await createUser(tx, { ...input, verified: false }, unusableHash());
  await sendInvitation(tx, deps, user.id);
  return user;
}

/**
 * Mails a user a new invitation; the former ones do not work any more.
 * @throws Failure not_found, also for interface users; conflict for a user who has accepted, or is inactive
 */
export async function inviteAgain(tx: Tx, deps: AccountMailDeps, userId: number): Promise<void> {
  const user = await tx.prisma.user.findUnique({ where: tx.key(userId) });
  if (!user || user.type === 'interface') throw notFound('user');
  if (user.verified)
    throw conflict('already_accepted', 'The user already has a password. They can set a new one with "Forgot your password?".');
  if (!user.active) throw conflict('inactive_user', 'The user is inactive. Activate them first.');
  await sendInvitation(tx, deps, userId);
}

async function sendInvitation(tx: Tx, deps: AccountMailDeps, userId: number): Promise<void> {
  const to = await findMailedUser(tx, userId);
  if (!to) throw conflict('no_email', 'The user has no email to sign in with.');
  await withdrawAccountLinks(tx, userId, 'invitation');
  const token = await createAccountLink(tx, userId, 'invitation');
  await mailUser(tx, deps, to, { words: INVITATION_MAIL, path: `/invitation/${token}` });
  recordChange(tx, 'administer', { name: 'user.invited', id: userId });
}

/** Sets the name and the first password of the user of an invitation. @returns false for a link that does not work any more */
export async function acceptInvitation(
  tx: Tx,
  link: SecretLinkKey,
  { firstName, lastName, passwordHash }: { firstName: string; lastName: string; passwordHash: string },
): Promise<boolean> {
  const found = await findAccountLink(tx.prisma, link, 'invitation');
  if (!found || !(await claimAccountLink(tx.prisma, link, found.id))) return false;
  const { userId } = found.user;
  await storePassword(tx.prisma, { ...tx.practice, userId }, passwordHash);
  await tx.prisma.user.update({
    where: tx.key(userId),
    data: { firstName, lastName, verified: true },
  });
  await withdrawAccountLinks(tx, userId);
  recordChange(tx, 'administer', { name: 'user.invitation_accepted', id: userId, changed: ['firstName', 'lastName'] });
  return true;
}
