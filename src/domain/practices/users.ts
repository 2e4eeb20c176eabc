import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity, Role } from '../caller.ts';
import { conflict, notFound } from '../errors.ts';
import { accountName } from '../identity/sessions.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';

/** Someone who works in a practice, with the address they sign in with, if they can. */
const WITH_SIGN_IN = { signIn: { select: { email: true } } } as const satisfies Prisma.UserInclude;
export type UserWithSignIn = Prisma.UserGetPayload<{ include: typeof WITH_SIGN_IN }>;

const WITH_PROVIDER = {
  ...WITH_SIGN_IN,
  provider: { select: { id: true }, orderBy: { id: 'asc' }, take: 1 },
} as const satisfies Prisma.UserInclude;
type UserWithProvider = Prisma.UserGetPayload<{ include: typeof WITH_PROVIDER }>;

/** A person of the practice, as others there see them. */
export interface Colleague extends Omit<UserWithProvider, 'type' | 'signIn' | 'provider'> {
  type: Role;
  /** Where this person also sees patients. */
  providerId: number | null;
}

export interface ColleagueSearch {
  /** Each must begin a word of the name or the email. */
  words: string[];
  type?: Role | undefined;
}

export interface UserInput {
  type: Role;
  firstName: string;
  lastName: string;
  /** One address on the whole server. */
  email: string;
  /** E.164. */
  phone?: string;
  languageId?: string;
}

/** The users of the caller's practice, by id; the rows that stand for API clients are among them. */
export function listUsers(db: Db, { organizationId }: CallerIdentity): Promise<UserWithSignIn[]> {
  return db.user.findMany({ where: { organizationId }, include: WITH_SIGN_IN, orderBy: { id: 'asc' } });
}

/** The people who work in the caller's practice now, by id. */
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
    ...(words.length > 0 ? { id: { in: await idsOfNamed(db, organizationId, words) } } : {}),
  };
  const [users, total] = await Promise.all([
    db.user.findMany({ where, include: WITH_PROVIDER, orderBy: { id: 'asc' }, ...window(page) }),
    db.user.count({ where }),
  ]);
  return { ...page, items: users.flatMap((user) => asColleague(user) ?? []), total };
}

/** Names and addresses are compared folded, and as words: what is between them counts as a space. */
async function idsOfNamed(db: Db, organizationId: number, words: string[]): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT u.id
      FROM "user" u
     WHERE u.organization_id = ${organizationId}
       AND NOT EXISTS (
         SELECT FROM unnest(${words}::text[]) AS word
          WHERE strpos(translate(fold(concat_ws(' ', '', u.first_name, u.last_name, coalesce(u.email,
                  (SELECT s.email FROM sign_in s WHERE s.organization_id = u.organization_id AND s.user_id = u.id LIMIT 1)))), '-''@._+', '      '),
                translate(fold(' ' || word), '-''@._+', '      ')) = 0)`;
  return rows.map(({ id }) => id);
}

/** A person of the caller's practice, also one who has left. @throws Failure not_found, for the rows behind API clients too */
export async function findColleague(db: Db, { organizationId }: CallerIdentity, id: number, field?: string): Promise<Colleague> {
  const user = await db.user.findUnique({ where: { organizationId_id: { organizationId, id } }, include: WITH_PROVIDER });
  const colleague = user && asColleague(user);
  if (!colleague) throw notFound('user', field);
  return colleague;
}

/** The person who calls. @throws Failure not_found where no person does */
export async function findSelf(db: Db, caller: CallerIdentity): Promise<Colleague> {
  if (caller.userId === null) throw notFound('user');
  return findColleague(db, caller, caller.userId);
}

/** Null for the row behind an API client, which is no person. */
function asColleague({ signIn: [signIn], provider: [provider], type, ...user }: UserWithProvider): Colleague | null {
  if (type === 'interface') return null;
  return { ...user, type, email: user.email ?? signIn?.email ?? null, providerId: provider?.id ?? null };
}

/**
 * Adds someone who can sign in.
 * @param passwordHash made before the transaction, because it is slow on purpose
 * @throws Failure conflict when somebody signs in with this address already, in whichever practice
 */
export async function createUser(db: Db, caller: Caller, input: UserInput, passwordHash: string): Promise<UserWithSignIn> {
  const { organizationId } = caller;
  const email = accountName(input.email);
  await checkAddress(db, email);
  const user = await db.user.create({
    data: { ...input, email, organizationId, signIn: { create: { email, passwordHash } } },
    include: WITH_SIGN_IN,
  });
  recordChange(caller, 'administer', { name: 'user.created', subject: 'user', id: user.id });
  return user;
}

/**
 * The user that an operator means, by sign-in address or by id, whichever practice they work for.
 * @throws Failure not_found; also for the rows behind API clients, which are administered as clients
 */
export async function findUserAnywhere(db: Db, reference: string | number): Promise<UserWithSignIn> {
  const where: Prisma.UserWhereInput =
    typeof reference === 'number' ? { id: reference } : { signIn: { some: { email: accountName(reference) } } };
  const [user, another] = await db.user.findMany({ where: { ...where, type: { not: 'interface' } }, include: WITH_SIGN_IN, take: 2 });
  if (!user) throw notFound('user');
  if (another) throw conflict('ambiguous_user', 'Several practices have a user with this id. Name the user by email.');
  return user;
}

/** Switches a user off or on. Off, their sessions end; on again, they sign in anew. */
export async function setUserActive(db: Db, caller: Caller, id: number, active: boolean): Promise<void> {
  const { organizationId } = caller;
  await db.user.update({ where: { organizationId_id: { organizationId, id } }, data: { active }, select: { id: true } });
  if (!active) await endSessions(db, caller, id);
  recordChange(caller, 'administer', { name: active ? 'user.activated' : 'user.deactivated', subject: 'user', id, changed: ['active'] });
}

/**
 * Gives a user a new password and ends their sessions. Who has an email and could not sign in can from now on.
 * @throws Failure conflict for a user without an email, or whose email somebody else signs in with
 */
export async function resetPassword(
  db: Db,
  caller: Caller,
  { id, email, signIn: [standing] }: UserWithSignIn,
  passwordHash: string,
): Promise<void> {
  const { organizationId } = caller;
  if (standing) {
    await db.signIn.update({ where: { email: standing.email }, data: { passwordHash } });
  } else {
    if (!email) throw conflict('no_email', 'The user has no email to sign in with.');
    const name = accountName(email);
    await checkAddress(db, name);
    await db.signIn.create({ data: { email: name, organizationId, userId: id, passwordHash } });
  }
  await endSessions(db, caller, id);
  recordChange(caller, 'administer', { name: 'user.password_reset', subject: 'user', id });
}

/** Ends every session of a user, on all devices. @returns how many were open */
export async function signOutUser(db: Db, caller: Caller, id: number): Promise<number> {
  const ended = await endSessions(db, caller, id);
  recordChange(caller, 'administer', { name: 'user.signed_out', subject: 'user', id });
  return ended;
}

async function endSessions(db: Db, { organizationId }: Caller, userId: number): Promise<number> {
  const now = new Date();
  const open = { organizationId, userId, revokedAt: null, expiresAt: { gt: now } };
  const { count } = await db.session.updateMany({ where: open, data: { revokedAt: now, revokedReason: 'operator' } });
  return count;
}

async function checkAddress(db: Db, email: string): Promise<void> {
  const taken = await db.signIn.findUnique({ where: { email }, select: { email: true } });
  if (taken) throw conflict('email_taken', 'Somebody signs in with this email already.', 'email');
}
