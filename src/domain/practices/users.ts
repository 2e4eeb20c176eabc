import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity, Role } from '../caller.ts';
import { conflict, notFound } from '../errors.ts';
import { accountName } from '../identity/accounts.ts';
import { endSessionsOf } from '../identity/sessions/session-ends.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { practiceLanguage } from './practice-language.ts';

const WITH_SIGN_IN = { signIn: { select: { email: true } } } as const satisfies Prisma.UserInclude;
/** A user of a practice with their sign-in address, if they have one. */
export type UserWithSignIn = Prisma.UserGetPayload<{ include: typeof WITH_SIGN_IN }>;

const WITH_PROVIDER = {
  ...WITH_SIGN_IN,
  provider: { select: { id: true }, orderBy: { id: 'asc' }, take: 1 },
} as const satisfies Prisma.UserInclude;
type UserWithProvider = Prisma.UserGetPayload<{ include: typeof WITH_PROVIDER }>;

/** A user as the other users of the practice see them. */
export interface Colleague extends Omit<UserWithProvider, 'type' | 'signIn' | 'provider'> {
  type: Role;
  /** The provider that this user is, if any. */
  providerId: number | null;
}

export interface ColleagueSearch {
  /** Prefixes; each must match a word of the name or the email. */
  words: string[];
  type?: Role | undefined;
}

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
  /** Whether the user is told of every emergency access to a restricted chart. */
  privacyOfficer?: boolean;
}

/** The users of the caller's practice, by id, including the interface users of API clients. */
export function listUsers(db: Db, { organizationId }: CallerIdentity): Promise<UserWithSignIn[]> {
  return db.user.findMany({ where: { organizationId }, include: WITH_SIGN_IN, orderBy: { id: 'asc' } });
}

/** The active users of the caller's practice, by id, without interface users. */
export async function listColleagues(
  db: Db,
  caller: CallerIdentity,
  { words, type }: ColleagueSearch,
  page: PageRequest,
): Promise<Page<Colleague>> {
  const { organizationId } = caller;
  const where: Prisma.UserWhereInput = {
    organizationId,
    active: true,
    type: type ?? { not: 'interface' },
    ...(words.length > 0 ? { id: { in: await findIdsByWords(db, organizationId, words) } } : {}),
  };
  const [users, total] = await Promise.all([
    db.user.findMany({ where, include: WITH_PROVIDER, orderBy: { id: 'asc' }, ...window(page) }),
    db.user.count({ where }),
  ]);
  return { ...page, items: users.flatMap((user) => toColleague(user) ?? []), total };
}

/** Compares names and addresses folded and word by word; punctuation counts as a space. */
export async function findIdsByWords(db: Db, organizationId: number, words: string[]): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    WITH signs_in AS MATERIALIZED (SELECT user_id, email FROM sign_in WHERE organization_id = ${organizationId})
    SELECT u.id
      FROM "user" u
     WHERE u.organization_id = ${organizationId}
       AND NOT EXISTS (
         SELECT FROM unnest(${words}::text[]) AS word
          WHERE strpos(translate(fold(concat_ws(' ', '', u.first_name, u.last_name, coalesce(u.email,
                  (SELECT s.email FROM signs_in s WHERE s.user_id = u.id LIMIT 1)))), '-''@._+', '      '),
                translate(fold(' ' || word), '-''@._+', '      ')) = 0)`;
  return rows.map(({ id }) => id);
}

/** Finds a user of the caller's practice, also an inactive one. @throws Failure not_found, also for interface users */
export async function findColleague(db: Db, { organizationId }: CallerIdentity, id: number, field?: string): Promise<Colleague> {
  const user = await db.user.findUnique({ where: { organizationId_id: { organizationId, id } }, include: WITH_PROVIDER });
  const colleague = user && toColleague(user);
  if (!colleague) throw notFound('user', field);
  return colleague;
}

/** Finds the user who calls. @throws Failure not_found if the caller is no user */
export async function findCallingUser(db: Db, caller: CallerIdentity): Promise<Colleague> {
  if (caller.userId === null) throw notFound('user');
  return findColleague(db, caller, caller.userId);
}

/** The user in whose name a request acts: a person, or the interface user of an API client. @throws Failure not_found for nobody */
export async function findActingUser(db: Db, { organizationId, userId }: CallerIdentity): Promise<UserWithSignIn> {
  const where = { organizationId_id: { organizationId, id: userId ?? 0 } };
  const user = userId === null ? null : await db.user.findUnique({ where, include: WITH_SIGN_IN });
  if (!user) throw notFound('user');
  return user;
}

/** Null for an interface user. */
function toColleague({ signIn: [signIn], provider: [provider], type, ...user }: UserWithProvider): Colleague | null {
  if (type === 'interface') return null;
  return { ...user, type, email: user.email ?? signIn?.email ?? null, providerId: provider?.id ?? null };
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

/** Deactivates or activates a user. Deactivation ends their sessions. */
export async function setUserActive(db: Db, caller: Caller, id: number, active: boolean): Promise<void> {
  const { organizationId } = caller;
  await db.user.update({ where: { organizationId_id: { organizationId, id } }, data: { active }, select: { id: true } });
  if (!active) {
    await endSessionsOf(db, { organizationId, userId: id }, 'operator');
    await db.accountLink.updateMany({ where: { organizationId, userId: id, usedAt: null }, data: { expiresAt: new Date() } });
  }
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
  await endSessionsOf(db, { organizationId, userId: id }, 'operator');
  recordChange(caller, 'administer', { name: 'user.password_reset', id });
}

/** Ends every session of a user, on all devices. @returns the number of open sessions */
export async function signOutUser(db: Db, caller: Caller, id: number): Promise<number> {
  const ended = await endSessionsOf(db, { organizationId: caller.organizationId, userId: id }, 'operator');
  recordChange(caller, 'administer', { name: 'user.signed_out', id });
  return ended.length;
}

async function requireFreeEmail(db: Db, email: string): Promise<void> {
  const existing = await db.signIn.findUnique({ where: { email }, select: { email: true } });
  if (existing) throw conflict('email_taken', 'Somebody signs in with this email already.', 'email');
}
