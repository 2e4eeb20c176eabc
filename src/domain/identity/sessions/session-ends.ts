import type { Db } from '../../../database/database.ts';
import type { SignedIn } from './sessions.ts';
import { raiseSignInEpoch } from './sign-in-epoch.ts';

/** Reasons for which a session ends before its time. */
export type SessionEnd = 'logout' | 'reuse' | 'operator' | 'user' | 'password' | 'reset' | 'administrator' | 'provider';

/** Ends a session: every process refuses its access tokens within a second, and its refresh tokens immediately. */
export async function revokeSession(
  db: Db,
  { organizationId, sessionId }: Pick<SignedIn, 'organizationId' | 'sessionId'>,
  reason: SessionEnd,
): Promise<void> {
  await db.session.updateMany({
    where: { organizationId, id: sessionId, revokedAt: null },
    data: { revokedAt: new Date(), revokedReason: reason },
  });
}

/**
 * Ends the sessions of a user on all devices, and the sign-ins under way.
 * @param who `except` is the session that stays
 * @returns the ids of those that were open
 */
export async function endUserSessions(
  db: Db,
  { organizationId, userId, except }: { organizationId: number; userId: number; except?: string | null | undefined },
  reason: SessionEnd,
): Promise<string[]> {
  await raiseSignInEpoch(db, { organizationId, userId });
  const now = new Date();
  const open = { organizationId, userId, revokedAt: null, expiresAt: { gt: now }, ...(except ? { id: { not: except } } : {}) };
  const ended = await db.session.updateManyAndReturn({
    where: open,
    data: { revokedAt: now, revokedReason: reason },
    select: { id: true },
  });
  return ended.map(({ id }) => id);
}
