import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity, Role } from '../caller.ts';
import { conflict, notFound } from '../errors.ts';
import { accountName } from '../identity/accounts.ts';
import { endUserSessions } from '../identity/sessions/session-ends.ts';
import { practiceLanguage } from '../practices/practice-language.ts';
import { updateProvider } from '../practices/providers/provider-changes.ts';

const WITH_SIGN_IN = { signIn: { select: { email: true } } } as const satisfies Prisma.UserInclude;
/** A user of a practice with their sign-in address, if they have one. */
export type UserWithSignIn = Prisma.UserGetPayload<{ include: typeof WITH_SIGN_IN }>;

export interface UserInput {
  type: Role;
  firstName: string;
  lastName: string;
  /** Unique on the whole server. */
  email: string;
  /** E.164. */
  phone?: string;
  /** That of the practice unless given. */
  languageId?: string;
  /** False until an invited user has set their password. */
  verified?: boolean;
  /** Whether the user is notified of every emergency access to a restricted chart. */
  privacyOfficer?: boolean;
}

/** The users of the caller's practice, by id, including the interface users of API clients. */
export function listUsers(db: Db, { organizationId }: CallerIdentity): Promise<UserWithSignIn[]> {
  return db.user.findMany({ where: { organizationId }, include: WITH_SIGN_IN, orderBy: { id: 'asc' } });
}

/** The people of the caller's practice who have an email, by id, with their review URLs. */
export function listPeople(db: Db, { organizationId }: CallerIdentity) {
  const where = { organizationId, type: { not: 'interface' as const }, email: { not: null } };
  return db.user.findMany({ where, include: { ...WITH_SIGN_IN, reviewUrls: { orderBy: { id: 'asc' } } }, orderBy: { id: 'asc' } });
}

/** The user in whose name a request acts: a person, or the interface user of an API client. @throws Failure not_found for nobody */
export async function findActingUser(db: Db, { organizationId, userId }: CallerIdentity): Promise<UserWithSignIn> {
  const where = { organizationId_id: { organizationId, id: userId ?? 0 } };
  const user = userId === null ? null : await db.user.findUnique({ where, include: WITH_SIGN_IN });
  if (!user) throw notFound('user');
  return user;
}

/**
 * Adds a user who can sign in.
 * @param passwordHash computed before the transaction, because hashing is slow
 * @throws Failure conflict when a user of any practice signs in with this address
 */
export async function createUser(db: Db, caller: Caller, input: UserInput, passwordHash: string): Promise<UserWithSignIn> {
  const { organizationId } = caller;
  const email = accountName(input.email);
  await requireFreeEmail(db, email);
  const languageId = input.languageId ?? (await practiceLanguage(db, caller));
  const user = await db.user.create({
    data: { ...input, languageId, email, organizationId, signIn: { create: { email, passwordHash } } },
    include: WITH_SIGN_IN,
  });
  recordChange(caller, 'administer', { name: 'user.created', id: user.id });
  return user;
}

/**
 * Finds a user by sign-in address or by id, in any practice.
 * @throws Failure not_found, also for interface users, which are administered as clients; conflict for an ambiguous id
 */
export async function findUserAnywhere(db: Db, reference: string | number): Promise<UserWithSignIn> {
  const where = typeof reference === 'number' ? { id: reference } : await keyOfSignIn(db, accountName(reference));
  const [user, another] = await db.user.findMany({ where: { ...where, type: { not: 'interface' } }, include: WITH_SIGN_IN, take: 2 });
  if (!user) throw notFound('user');
  if (another) throw conflict('ambiguous_user', 'Several practices have a user with this id. Name the user by email.');
  return user;
}

/** The key of the user who signs in with an address. @throws Failure not_found */
async function keyOfSignIn(db: Db, email: string): Promise<{ organizationId: number; id: number }> {
  const signIn = await db.signIn.findUnique({ where: { email }, select: { organizationId: true, userId: true } });
  if (!signIn) throw notFound('user');
  return { organizationId: signIn.organizationId, id: signIn.userId };
}

/** Deactivates or activates a user, and the provider who the user is. Deactivation ends their sessions. */
export async function setUserActive(db: Db, caller: Caller, id: number, active: boolean): Promise<void> {
  const { organizationId } = caller;
  await db.user.update({ where: { organizationId_id: { organizationId, id } }, data: { active }, select: { id: true } });
  if (!active) {
    await endUserSessions(db, { organizationId, userId: id }, 'operator');
    await db.accountLink.updateMany({ where: { organizationId, userId: id, usedAt: null }, data: { expiresAt: new Date() } });
  }
  const provider = await db.provider.findFirst({ where: { organizationId, userId: id, active: !active }, select: { id: true } });
  if (provider) await updateProvider(db, caller, provider.id, { active });
  recordChange(caller, 'administer', { name: active ? 'user.activated' : 'user.deactivated', id, changed: ['active'] });
}

/**
 * Sets a new password and ends the user's sessions. A user with an email and without a sign-in gets one.
 * @throws Failure conflict for a user without an email, or whose email is the sign-in of another user
 */
export async function resetPassword(
  db: Db,
  caller: Caller,
  { id, email, signIn: [signIn] }: UserWithSignIn,
  passwordHash: string,
): Promise<void> {
  const { organizationId } = caller;
  if (signIn) {
    await db.signIn.update({ where: { email: signIn.email }, data: { passwordHash } });
  } else {
    if (!email) throw conflict('no_email', 'The user has no email to sign in with.');
    const name = accountName(email);
    await requireFreeEmail(db, name);
    await db.signIn.create({ data: { email: name, organizationId, userId: id, passwordHash } });
  }
  await endUserSessions(db, { organizationId, userId: id }, 'operator');
  recordChange(caller, 'administer', { name: 'user.password_reset', id });
}

/** Ends every session of a user, on all devices. @returns the number of open sessions */
export async function signOutUser(db: Db, caller: Caller, id: number): Promise<number> {
  const ended = await endUserSessions(db, { organizationId: caller.organizationId, userId: id }, 'operator');
  recordChange(caller, 'administer', { name: 'user.signed_out', id });
  return ended.length;
}

async function requireFreeEmail(db: Db, email: string): Promise<void> {
  const existing = await db.signIn.findUnique({ where: { email }, select: { email: true } });
  if (existing) throw conflict('email_taken', 'This email is already in use for sign-in.', 'email');
}

/** Removes a user to which nothing refers. */
export async function removeUser(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.user.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'user.removed', id });
}
