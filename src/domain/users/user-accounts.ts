import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { Prisma, User } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity, Role } from '../caller.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import { findLockedAccounts } from '../identity/limits/account-locks.ts';
import { isLastActiveAdmin } from '../identity/rights/active-admins.ts';
import { endUserSessions } from '../identity/sessions/session-ends.ts';
import { findIdsByWords } from '../practices/colleagues.ts';
import { countVisitsToCome, providerOfUser, requireNoVisitsToCome } from '../scheduling/hours/reassign.ts';
import { changesTo } from '../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { setUserActive } from './users.ts';

const SHOWN = {
  organizationId: true,
  id: true,
  type: true,
  firstName: true,
  lastName: true,
  phone: true,
  active: true,
  verified: true,
  privacyOfficer: true,
  lastSeenAt: true,
  createdAt: true,
  signIn: { select: { email: true }, take: 1 },
  secondFactors: { select: { kind: true } },
} as const satisfies Prisma.UserSelect;

/** A user as an administrator of the practice sees them. */
export interface UserAccount extends Pick<User, 'id' | 'firstName' | 'lastName' | 'active' | 'lastSeenAt' | 'createdAt'> {
  role: Role;
  /** E.164. */
  phone: string | null;
  /** Whether the user has accepted their invitation. */
  verified: boolean;
  /** Whether the user is notified of every emergency access to a restricted chart. */
  privacyOfficer: boolean;
  /** Null for a user who cannot sign in. */
  signInEmail: string | null;
  /** The kinds of their second factors, each once: passkey, authenticator_app. */
  factorKinds: string[];
}

/** The key of the counts of failed sign-ins, and the count at which an account is locked (SIGN_IN_FAILURES_ACCOUNT). */
export interface AccountLocks {
  keyring: Keyring;
  failures: number;
}

/** A user, and whether too many wrong passwords lock their account now. */
export type LockableAccount = UserAccount & { locked: boolean };

export async function withLocks(db: Db, locks: AccountLocks, users: readonly UserAccount[]): Promise<LockableAccount[]> {
  const locked = await lockedAmong(db, locks, users);
  return users.map((user) => withLockIn(locked, user));
}

/** A user as an administrator sees them, and whether the account is locked. @throws Failure not_found, also for interface users */
export async function findLockableAccount(db: Db, caller: CallerIdentity, locks: AccountLocks, id: number): Promise<LockableAccount> {
  const user = await findUserAccount(db, caller, id);
  return withLockIn(await lockedAmong(db, locks, [user]), user);
}

const lockedAmong = (db: Db, { keyring, failures }: AccountLocks, users: readonly UserAccount[]): Promise<Set<string>> =>
  findLockedAccounts(
    db,
    keyring,
    users.flatMap(({ signInEmail }) => signInEmail ?? []),
    failures,
  );

const withLockIn = (locked: ReadonlySet<string>, user: UserAccount): LockableAccount => ({
  ...user,
  locked: user.signInEmail !== null && locked.has(user.signInEmail),
});

export interface UserAccountFilter {
  /** Prefixes; each must match a word of the name or the email. */
  words: string[];
  role?: Role | undefined;
  active?: boolean | undefined;
}

/** Orders of the list; the id decides between equal rows. */
export type UserAccountOrder = 'name' | 'role' | 'lastSeen' | 'created';

export interface UserAccountSort {
  sort: UserAccountOrder;
  order: 'ASC' | 'DESC';
}

/** The users of the caller's practice, active or not, without interface users. */
export async function listUserAccounts(
  db: Db,
  { organizationId }: CallerIdentity,
  { words, role, active }: UserAccountFilter,
  { sort, order }: UserAccountSort,
  page: PageRequest,
): Promise<Page<UserAccount>> {
  const where: Prisma.UserWhereInput = {
    organizationId,
    type: role ?? { not: 'interface' },
    ...(active === undefined ? {} : { active }),
    ...(words.length > 0 ? { id: { in: await findIdsByWords(db, organizationId, words) } } : {}),
  };
  const [rows, total] = await Promise.all([
    db.user.findMany({ where, select: SHOWN, orderBy: toOrderBy(sort, order === 'ASC' ? 'asc' : 'desc'), ...window(page) }),
    db.user.count({ where }),
  ]);
  return { ...page, items: rows.flatMap((row) => toAccount(row) ?? []), total };
}

function toOrderBy(sort: UserAccountOrder, order: 'asc' | 'desc'): Prisma.UserOrderByWithRelationInput[] {
  const orders: Record<UserAccountOrder, Prisma.UserOrderByWithRelationInput[]> = {
    name: [{ lastName: order }, { firstName: order }],
    role: [{ type: order }],
    lastSeen: [{ lastSeenAt: { sort: order, nulls: 'last' } }],
    created: [{ createdAt: order }],
  };
  return [...orders[sort], { id: order }];
}

async function findUserAccount(db: Db, { organizationId }: CallerIdentity, id: number): Promise<UserAccount> {
  const row = await db.user.findUnique({ where: { organizationId_id: { organizationId, id } }, select: SHOWN });
  const account = row && toAccount(row);
  if (!account) throw notFound('user');
  return account;
}

/** Null for an interface user. */
function toAccount({
  type,
  signIn: [signIn],
  secondFactors,
  ...user
}: Prisma.UserGetPayload<{ select: typeof SHOWN }>): UserAccount | null {
  return type === 'interface'
    ? null
    : {
        ...user,
        role: type,
        signInEmail: signIn?.email ?? null,
        factorKinds: [...new Set(secondFactors.map(({ kind }) => kind))].sort(),
      };
}

/** Absent means unchanged. */
export interface UserAccountInput {
  role?: Role | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  phone?: string | null | undefined;
  privacyOfficer?: boolean | undefined;
}

/**
 * Changes a user. Another role ends their sessions, so that they sign in under its rules.
 * @throws Failure not_found; forbidden for a role of one's own; conflict for the role of the last active admin
 */
export async function updateUserAccount(db: Db, caller: Caller, id: number, input: UserAccountInput): Promise<void> {
  const { organizationId } = caller;
  const before = await findUserAccount(db, caller, id);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  if (changes.role !== undefined) await requireChangeableRole(db, caller, id);
  const { role, ...others } = changes;
  await db.user.update({
    where: { organizationId_id: { organizationId, id } },
    data: { ...others, ...(role === undefined ? {} : { type: role }) },
    select: { id: true },
  });
  if (role !== undefined) await endUserSessions(db, { organizationId, userId: id }, 'administrator');
  recordChange(caller, 'administer', { name: 'user.updated', id, changed });
}

async function requireChangeableRole(db: Db, caller: Caller, id: number): Promise<void> {
  if (caller.userId === id) throw forbidden('own_role', 'You cannot change your own role. Another administrator can.');
  await requireAnotherAdmin(db, caller, id);
}

/**
 * Lets a user of the practice sign in again, or shuts them out and ends their sessions.
 * @param despiteVisits also where upcoming visits are the user’s
 * @throws Failure not_found; conflict for oneself, for the last active admin, and for upcoming visits, with their number
 */
export async function setAccountActive(db: Db, caller: Caller, id: number, active: boolean, despiteVisits = false): Promise<void> {
  const before = await findUserAccount(db, caller, id);
  if (before.active === active) return;
  if (!active) {
    await requireAnotherAdmin(db, caller, id);
    if (caller.userId === id) throw conflict('own_account', 'You cannot deactivate your own account. Another administrator can.');
    if (!despiteVisits) await requireNoVisits(db, caller, id);
  }
  await setUserActive(db, caller, id, active);
}

async function requireNoVisits(db: Db, caller: Caller, userId: number): Promise<void> {
  const providerId = await providerOfUser(db, caller, userId);
  if (providerId !== null) requireNoVisitsToCome(await countVisitsToCome(db, caller, { providerId, officeId: null }));
}

/** Ends all sessions of a user, on every device. @returns the ids of those that were open @throws Failure not_found */
export async function signOutAccount(db: Db, caller: Caller, id: number): Promise<void> {
  await findUserAccount(db, caller, id);
  await endUserSessions(db, { organizationId: caller.organizationId, userId: id }, 'administrator');
  recordChange(caller, 'administer', { name: 'user.signed_out', id });
}

/** @throws Failure conflict where the user is the only active admin */
async function requireAnotherAdmin(db: Db, caller: CallerIdentity, id: number): Promise<void> {
  if (await isLastActiveAdmin(db, caller, id))
    throw conflict('last_admin', 'This is the last active administrator of the practice. Make somebody else an administrator first.');
}
