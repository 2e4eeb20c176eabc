import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Role } from '../caller.ts';
import { conflict, notFound } from '../errors.ts';
import { accountName } from '../identity/accounts.ts';
import { endUserSessions } from '../identity/sessions/session-ends.ts';
import { practiceLanguage } from '../practices/practice-language.ts';
import { updateProvider } from '../practices/providers/provider-changes.ts';
import type { PracticeTx, Tx } from '../tx.ts';

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
export function listUsers(tx: PracticeTx): Promise<UserWithSignIn[]> {
  return tx.prisma.user.findMany({ where: tx.practice, include: WITH_SIGN_IN, orderBy: { id: 'asc' } });
}

/** The people of the caller's practice who have an email, by id, with their review URLs. */
export function listPeople(tx: PracticeTx) {
  const where = { ...tx.practice, type: { not: 'interface' as const }, email: { not: null } };
  return tx.prisma.user.findMany({ where, include: { ...WITH_SIGN_IN, reviewUrls: { orderBy: { id: 'asc' } } }, orderBy: { id: 'asc' } });
}

/** The user in whose name a request acts: a person, or the interface user of an API client. @throws Failure not_found for nobody */
export async function findActingUser(tx: Tx): Promise<UserWithSignIn> {
  const { userId } = tx;
  const where = tx.key(userId ?? 0);
  const user = userId === null ? null : await tx.prisma.user.findUnique({ where, include: WITH_SIGN_IN });
  if (!user) throw notFound('user');
  return user;
}

/**
 * Adds a user who can sign in.
 * @param passwordHash computed before the transaction, because hashing is slow
 * @throws Failure conflict when a user of any practice signs in with this address
 */
export async function createUser(tx: Tx, input: UserInput, passwordHash: string): Promise<UserWithSignIn> {
  const email = accountName(input.email);
  await requireFreeEmail(tx.prisma, email);
  const languageId = input.languageId ?? (await practiceLanguage(tx));
  const user = await tx.prisma.user.create({
    data: { ...input, languageId, email, ...tx.practice, signIn: { create: { email, passwordHash } } },
    include: WITH_SIGN_IN,
  });
  recordChange(tx, 'administer', { name: 'user.created', id: user.id });
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
export async function setUserActive(tx: Tx, id: number, active: boolean): Promise<void> {
  await tx.prisma.user.update({ where: tx.key(id), data: { active }, select: { id: true } });
  if (!active) {
    await endUserSessions(tx.prisma, { ...tx.practice, userId: id }, 'operator');
    await tx.prisma.accountLink.updateMany({ where: { ...tx.practice, userId: id, usedAt: null }, data: { expiresAt: new Date() } });
  }
  const provider = await tx.prisma.provider.findFirst({ where: { ...tx.practice, userId: id, active: !active }, select: { id: true } });
  if (provider) await updateProvider(tx, provider.id, { active });
  recordChange(tx, 'administer', { name: active ? 'user.activated' : 'user.deactivated', id, changed: ['active'] });
}

/**
 * Sets a new password and ends the user's sessions. A user with an email and without a sign-in gets one.
 * @throws Failure conflict for a user without an email, or whose email is the sign-in of another user
 */
export async function resetPassword(tx: Tx, { id, email, signIn: [signIn] }: UserWithSignIn, passwordHash: string): Promise<void> {
  if (signIn) {
    await tx.prisma.signIn.update({ where: { email: signIn.email }, data: { passwordHash } });
  } else {
    if (!email) throw conflict('no_email', 'The user has no email to sign in with.');
    const name = accountName(email);
    await requireFreeEmail(tx.prisma, name);
    await tx.prisma.signIn.create({ data: { email: name, ...tx.practice, userId: id, passwordHash } });
  }
  await endUserSessions(tx.prisma, { ...tx.practice, userId: id }, 'operator');
  recordChange(tx, 'administer', { name: 'user.password_reset', id });
}

/** Ends every session of a user, on all devices. @returns the number of open sessions */
export async function signOutUser(tx: Tx, id: number): Promise<number> {
  const ended = await endUserSessions(tx.prisma, { ...tx.practice, userId: id }, 'operator');
  recordChange(tx, 'administer', { name: 'user.signed_out', id });
  return ended.length;
}

async function requireFreeEmail(db: Db, email: string): Promise<void> {
  const existing = await db.signIn.findUnique({ where: { email }, select: { email: true } });
  if (existing) throw conflict('email_taken', 'This email is already in use for sign-in.', 'email');
}

/** Removes a user to which nothing refers. */
export async function removeUser(tx: Tx, id: number): Promise<void> {
  await tx.prisma.user.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'user.removed', id });
}
