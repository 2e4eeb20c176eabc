import type { Db } from '../../../database/database.ts';
import { accountName } from '../accounts.ts';
import { hashToken } from '../secrets.ts';

/**
 * The device of a refresh token, also of one that is used up or too old, as far as its session is still stored: an app that keeps no
 * cookies shows with it that the account was signed in to from this device.
 * @returns null for another account's token, and for a session that ended because its token was stolen
 */
export async function findDeviceOfToken(db: Db, refreshToken: string, email: string): Promise<string | null> {
  const organizationId = Number(/^(\d{1,9})\./.exec(refreshToken)?.[1] ?? 0);
  const [token, account] = await Promise.all([
    db.refreshToken.findUnique({
      where: { organizationId_hash: { organizationId, hash: hashToken(refreshToken) } },
      select: { session: { select: { id: true, userId: true, deviceId: true, revokedReason: true } } },
    }),
    db.signIn.findUnique({ where: { email: accountName(email) }, select: { organizationId: true, userId: true } }),
  ]);
  if (!token || !account || account.organizationId !== organizationId || account.userId !== token.session.userId) return null;
  const { id, deviceId, revokedReason } = token.session;
  return revokedReason === 'reuse' ? null : (deviceId ?? id);
}
