import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { Prisma, User } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Role } from '../caller.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import { findLockedAccounts } from '../identity/limits/account-locks.ts';
import { isLastActiveAdmin } from '../identity/rights/active-admins.ts';
import { endUserSessions } from '../identity/sessions/session-ends.ts';
import { findIdsByWords } from '../practices/colleagues.ts';
import { countAppointmentsToCome, providerOfUser, requireNoAppointmentsToCome } from '../scheduling/hours/reassign.ts';
import type { PracticeTx, Tx } from '../tx.ts';
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
export async function findLockableAccount(tx: Tx, locks: AccountLocks, id: number): Promise<LockableAccount> {
  const user = await findUserAccount(tx, id);
  return withLockIn(await lockedAmong(tx.prisma, locks, [user]), user);
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
  tx: PracticeTx,
  { words, role, active }: UserAccountFilter,
  { sort, order }: UserAccountSort,
  page: PageRequest,
): Promise<Page<UserAccount>> {
  const where: Prisma.UserWhereInput = {
    ...tx.practice,
    type: role ?? { not: 'interface' },
    ...(active === undefined ? {} : { active }),
    ...(words.length > 0 ? { id: { in: await findIdsByWords(tx, words) } } : {}),
  };
  const [rows, total] = await Promise.all([
    tx.prisma.user.findMany({ where, select: SHOWN, orderBy: toOrderBy(sort, order === 'ASC' ? 'asc' : 'desc'), ...window(page) }),
    tx.prisma.user.count({ where }),
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

async function findUserAccount(tx: PracticeTx, id: number): Promise<UserAccount> {
  const row = await tx.prisma.user.findUnique({ where: tx.key(id), select: SHOWN });
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
export async function updateUserAccount(tx: Tx, id: number, input: UserAccountInput): Promise<void> {
  const before = await findUserAccount(tx, id);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  if (changes.role !== undefined) await requireChangeableRole(tx, id);
  const { role, ...others } = changes;
  await tx.prisma.user.update({
    where: tx.key(id),
    data: { ...others, ...(role === undefined ? {} : { type: role }) },
    select: { id: true },
  });
  if (role !== undefined) await endUserSessions(tx.prisma, { ...tx.practice, userId: id }, 'administrator');
  recordChange(tx, 'administer', { name: 'user.updated', id, changed });
}

async function requireChangeableRole(tx: Tx, id: number): Promise<void> {
  if (tx.userId === id) throw forbidden('own_role', 'You cannot change your own role. Another administrator can.');
  await requireAnotherAdmin(tx, id);
}

/**
 * Lets a user of the practice sign in again, or shuts them out and ends their sessions.
 * @param despiteVisits also where upcoming visits are the user’s
 * @throws Failure not_found; conflict for oneself, for the last active admin, and for upcoming visits, with their number
 */
export async function setAccountActive(tx: Tx, id: number, active: boolean, despiteVisits = false): Promise<void> {
  const before = await findUserAccount(tx, id);
  if (before.active === active) return;
  if (!active) {
    await requireAnotherAdmin(tx, id);
    if (tx.userId === id) throw conflict('own_account', 'You cannot deactivate your own account. Another administrator can.');
    if (!despiteVisits) await requireNoVisits(tx, id);
  }
  await setUserActive(tx, id, active);
}

async function requireNoVisits(tx: Tx, userId: number): Promise<void> {
  const providerId = await providerOfUser(tx, userId);
  if (providerId !== null) requireNoAppointmentsToCome(await countAppointmentsToCome(tx, { providerId, officeId: null }));
}

/** Ends all sessions of a user, on every device. @returns the ids of those that were open @throws Failure not_found */
export async function signOutAccount(tx: Tx, id: number): Promise<void> {
  await findUserAccount(tx, id);
  await endUserSessions(tx.prisma, { ...tx.practice, userId: id }, 'administrator');
  recordChange(tx, 'administer', { name: 'user.signed_out', id });
}

/** @throws Failure conflict where the user is the only active admin */
async function requireAnotherAdmin(tx: Tx, id: number): Promise<void> {
  if (await isLastActiveAdmin(tx, id))
    throw conflict('last_admin', 'This is the last active administrator of the practice. Make somebody else an administrator first.');
}
