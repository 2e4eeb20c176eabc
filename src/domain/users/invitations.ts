import type { Db } from '../../database/database.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict, notFound } from '../errors.ts';
import { storePassword, unusableHash } from '../identity/passwords/passwords.ts';
import type { SecretLinkKey } from '../identity/secret-links.ts';
import { claimAccountLink, createAccountLink, findAccountLink, withdrawAccountLinks } from './account-links.ts';
import { type AccountMailDeps, findMailedUser, mailUser } from './account-mails.ts';
import { INVITATION_MAIL } from './mail-words.ts';
import { createUser, type UserInput, type UserWithSignIn } from './users.ts';

/**
 * Adds a user without a password, and mails them a link with which they set one within seven days. Until then they are not verified
 * and cannot sign in.
 * @throws Failure conflict when a user of any practice signs in with this address
 */
export async function inviteUser(db: Db, caller: Caller, deps: AccountMailDeps, input: UserInput): Promise<UserWithSignIn> {
  const user = await createUser(db, caller, { ...input, verified: false }, unusableHash());
  await sendInvitation(db, caller, deps, user.id);
  return user;
}

/**
 * Mails a user a new invitation; the former ones do not work any more.
 * @throws Failure not_found, also for interface users; conflict for a user who has accepted, or is inactive
 */
export async function inviteAgain(db: Db, caller: Caller, deps: AccountMailDeps, userId: number): Promise<void> {
  const { organizationId } = caller;
  const user = await db.user.findUnique({ where: { organizationId_id: { organizationId, id: userId } } });
  if (!user || user.type === 'interface') throw notFound('user');
  if (user.verified)
    throw conflict('already_accepted', 'The user already has a password. They can set a new one with "Forgot your password?".');
  if (!user.active) throw conflict('inactive_user', 'The user is inactive. Activate them first.');
  await sendInvitation(db, caller, deps, userId);
}

async function sendInvitation(db: Db, caller: Caller, deps: AccountMailDeps, userId: number): Promise<void> {
  const to = await findMailedUser(db, caller.organizationId, userId);
  if (!to) throw conflict('no_email', 'The user has no email to sign in with.');
  await withdrawAccountLinks(db, caller, userId, 'invitation');
  const token = await createAccountLink(db, caller, userId, 'invitation');
  await mailUser(db, caller, deps, to, { words: INVITATION_MAIL, path: `/invitation/${token}` });
  recordChange(caller, 'administer', { name: 'user.invited', id: userId });
}

/** Sets the name and the first password of the user of an invitation. @returns false for a link that does not work any more */
export async function acceptInvitation(
  db: Db,
  caller: Caller,
  link: SecretLinkKey,
  { firstName, lastName, passwordHash }: { firstName: string; lastName: string; passwordHash: string },
): Promise<boolean> {
  const found = await findAccountLink(db, link, 'invitation');
  if (!found || !(await claimAccountLink(db, link, found.id))) return false;
  const { organizationId } = caller;
  const { userId } = found.user;
  await storePassword(db, { organizationId, userId }, passwordHash);
  await db.user.update({
    where: { organizationId_id: { organizationId, id: userId } },
    data: { firstName, lastName, verified: true },
  });
  await withdrawAccountLinks(db, caller, userId);
  recordChange(caller, 'administer', { name: 'user.invitation_accepted', id: userId, changed: ['firstName', 'lastName'] });
  return true;
}
