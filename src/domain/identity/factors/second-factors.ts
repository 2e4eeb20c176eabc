import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { endUserSessions } from '../sessions/session-ends.ts';
import type { SignInMethod } from '../sessions/sessions.ts';
import { raiseSignInEpoch } from '../sessions/sign-in-epoch.ts';

export interface FactorOwner {
  organizationId: number;
  userId: number;
}

export type FactorKind = 'passkey' | 'authenticator_app';

export interface SecondFactor {
  id: number;
  kind: FactorKind;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

const SHOWN = { id: true, kind: true, name: true, createdAt: true, lastUsedAt: true } as const;

/** The passkeys and the authenticator app of a user, oldest first. */
export async function listSecondFactors(db: Db, { organizationId, userId }: FactorOwner): Promise<SecondFactor[]> {
  const rows = await db.secondFactor.findMany({ where: { organizationId, userId }, select: SHOWN, orderBy: { id: 'asc' } });
  return rows.map(toSecondFactor);
}

export const toSecondFactor = ({ kind, ...factor }: Omit<SecondFactor, 'kind'> & { kind: string }): SecondFactor => ({
  id: factor.id,
  kind: kind === 'passkey' ? 'passkey' : 'authenticator_app',
  name: factor.name,
  createdAt: factor.createdAt,
  lastUsedAt: factor.lastUsedAt,
});

export async function hasSecondFactor(db: Db, { organizationId, userId }: FactorOwner): Promise<boolean> {
  return (await db.secondFactor.findFirst({ where: { organizationId, userId }, select: { id: true } })) !== null;
}

/** The methods that a user can show beside a password. A user without a factor has none: recovery codes are of no use alone. */
export async function listSecondMethods(db: Db, owner: FactorOwner): Promise<SignInMethod[]> {
  const factors = await listSecondFactors(db, owner);
  if (factors.length === 0) return [];
  const kinds = new Set(factors.map(({ kind }) => kind));
  return [
    ...(kinds.has('passkey') ? (['hwk'] as const) : []),
    ...(kinds.has('authenticator_app') ? (['otp'] as const) : []),
    ...((await countRecoveryCodes(db, owner)) > 0 ? (['recovery'] as const) : []),
  ];
}

/** The recovery codes of a user that were not used yet. */
export const countRecoveryCodes = (db: Db, { organizationId, userId }: FactorOwner): Promise<number> =>
  db.recoveryCode.count({ where: { organizationId, userId, usedAt: null } });

/** The user who calls. @throws Failure not_found for a caller that is no user who signed in */
export function requireOwner({ organizationId, userId, role }: CallerIdentity): FactorOwner {
  if (userId === null || role === null) throw notFound('user');
  return { organizationId, userId };
}

/** Records that somebody's factors changed. @param detail which and how, without a secret */
export function recordFactorChange(caller: Caller, { userId }: Pick<FactorOwner, 'userId'>, detail: string): void {
  caller.journal.events.push({ name: 'user.second_factors_changed', id: userId });
  caller.journal.audits.push({ action: 'update', resource: 'user', ids: [userId], detail });
}

/**
 * Deletes one of the caller's own factors; with the last one their recovery codes go too.
 * @param required whether the practice's policy asks this user for a second factor
 * @throws Failure not_found; conflict `last_second_factor` for the last one of a user who is asked for one
 */
export async function deleteSecondFactor(tx: Tx, id: number, required: boolean): Promise<void> {
  const owner = requireOwner(tx);
  await raiseSignInEpoch(tx.prisma, owner);
  const factors = await listSecondFactors(tx.prisma, owner);
  const factor = factors.find((one) => one.id === id);
  if (!factor) throw notFound('second factor');
  if (factors.length === 1 && required)
    throw conflict('last_second_factor', 'The practice requires a second factor. Add another one before you delete this one.');
  await tx.prisma.secondFactor.delete({ where: { organizationId_id: { organizationId: owner.organizationId, id } } });
  if (factors.length === 1) await tx.prisma.recoveryCode.deleteMany({ where: owner });
  recordFactorChange(tx, owner, `${writeKind(factor.kind)} deleted`);
}

const writeKind = (kind: FactorKind): string => kind.replace('_', ' ');

/**
 * Takes all factors and recovery codes away from a user of the caller's practice, who has lost them, and ends their sessions.
 * @returns how many factors there were, and the ids of the sessions
 * @throws Failure not_found
 */
export async function resetSecondFactors(tx: Tx, userId: number): Promise<{ factors: number; sessions: string[] }> {
  const owner = { ...tx.practice, userId };
  const where = { organizationId_id: { organizationId: owner.organizationId, id: userId } };
  const user = await tx.prisma.user.findUnique({ where, select: { type: true } });
  if (!user || user.type === 'interface') throw notFound('user');
  await raiseSignInEpoch(tx.prisma, owner);
  const { count: factors } = await tx.prisma.secondFactor.deleteMany({ where: owner });
  await tx.prisma.recoveryCode.deleteMany({ where: owner });
  const sessions = await endUserSessions(tx.prisma, owner, 'administrator');
  recordChange(tx, 'administer', { name: 'user.second_factors_reset', id: userId });
  return { factors, sessions };
}
