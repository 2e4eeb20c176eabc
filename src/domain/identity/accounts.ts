import type { Db } from '../../database/database.ts';
import type { Role } from '../caller.ts';
import { inPractice, type PracticeTx } from '../tx.ts';
import { normalizePassword, verifySecret } from './secrets.ts';

/** A user who may sign in. */
export interface AccountHolder {
  organizationId: number;
  userId: number;
  role: Role;
  /** Of whose password was right: the epoch of that moment. A session is opened in no other (sign-in-epoch.ts). */
  epoch?: number;
}

/** The canonical spelling of an address, by which accounts are found and failed sign-ins are counted. */
export const accountName = (email: string): string => email.trim().toLowerCase();

/** The user who signs in with an address, or null: also for inactive and interface users, who cannot sign in. */
export async function findAccount(db: Db, email: string): Promise<AccountHolder | null> {
  return (await readAccount(db, email))?.holder ?? null;
}

/** The user of an address and a password, or null. Takes the same time for an unknown address. */
export async function checkPassword(db: Db, email: string, password: string): Promise<AccountHolder | null> {
  const account = await readAccount(db, email);
  const right = await verifySecret(account?.passwordHash ?? null, normalizePassword(password));
  return right && account ? { ...account.holder, epoch: account.epoch } : null;
}

/** Always runs three queries: an unknown address must not be answered sooner. */
async function readAccount(db: Db, email: string): Promise<{ holder: AccountHolder; epoch: number; passwordHash: string } | null> {
  const signIn = await db.signIn.findUnique({ where: { email: accountName(email) } });
  const { organizationId, userId, passwordHash } = signIn ?? { organizationId: 0, userId: 0, passwordHash: '' };
  const user = await db.user.findUnique({
    where: { organizationId_id: { organizationId, id: userId } },
    select: { active: true, type: true, signInEpoch: true },
  });
  const open = await isPracticeOpen(inPractice(db, organizationId));
  const role = open && user?.active ? toRole(user.type) : null;
  return role && user && { holder: { organizationId, userId, role }, epoch: user.signInEpoch, passwordHash };
}

/** A user of a practice who may sign in now, or null. */
export async function findAccountHolder(
  db: Db,
  { organizationId, userId }: Pick<AccountHolder, 'organizationId' | 'userId'>,
): Promise<AccountHolder | null> {
  const where = { organizationId_id: { organizationId, id: userId } };
  const user = await db.user.findUnique({ where, select: { active: true, type: true } });
  const role = user?.active && (await isPracticeOpen(inPractice(db, organizationId))) ? toRole(user.type) : null;
  return role && { organizationId, userId, role };
}

/** The sign-in address and the name of a user, as their passkeys and apps show them. */
export async function accountLabel(
  db: Db,
  { organizationId, userId }: Pick<AccountHolder, 'organizationId' | 'userId'>,
): Promise<{ name: string; displayName: string }> {
  const user = await db.user.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id: userId } },
    select: { firstName: true, lastName: true, signIn: { select: { email: true }, take: 1 } },
  });
  const displayName = `${user.firstName} ${user.lastName}`;
  return { name: user.signIn[0]?.email ?? displayName, displayName };
}

/** A closed practice admits no user. */
export async function isPracticeOpen(tx: PracticeTx): Promise<boolean> {
  return (await tx.prisma.organization.findUnique({ where: { id: tx.organizationId }, select: { active: true } }))?.active === true;
}

export type UserType = Role | 'interface';

/** Null for interface users, which belong to API clients and have no role. */
export const toRole = (type: UserType): Role | null => (type === 'interface' ? null : type);
