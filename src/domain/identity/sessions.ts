import { randomBytes, randomUUID } from 'node:crypto';
import type { Db } from '../../database.ts';
import type { Keyring } from '../../keyring.ts';
import type { Role } from '../caller.ts';
import { hashToken, verifySecret } from './secrets.ts';

export const SESSION_DAYS = 30;
/** A device that asks twice with one refresh token within this time is racing itself; later it is a thief or a victim. */
const RACE_SECONDS = 10;
const PURPOSE = 'refresh-successor';

/** Someone who signed in on one device. */
export interface SignedIn {
  organizationId: number;
  userId: number;
  role: Role;
  sessionId: string;
}

/** What a device is given: a short access token and the refresh token for the next pair. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** Signs an access token for a session; the edge knows how. */
export type SignAccess = (session: SignedIn) => string;

/** The user of an address and a password, or null; as slow for an unknown address. */
export async function checkPassword(db: Db, email: string, password: string): Promise<Omit<SignedIn, 'sessionId'> | null> {
  const signIn = await db.signIn.findUnique({ where: { email: email.trim().toLowerCase() }, include: { user: true } });
  const role = signIn?.user.active ? roleOf(signIn.user.type) : null;
  const right = await verifySecret(role && signIn ? signIn.passwordHash : null, password);
  return right && signIn && role ? { organizationId: signIn.organizationId, userId: signIn.userId, role } : null;
}

/** Opens a session for someone whose password was right. */
export async function openSession(db: Db, user: Omit<SignedIn, 'sessionId'>, sign: SignAccess): Promise<TokenPair> {
  const sessionId = randomUUID();
  const { organizationId, userId } = user;
  const expiresAt = new Date(Date.now() + SESSION_DAYS * 86_400_000);
  await db.session.create({ data: { organizationId, id: sessionId, userId, expiresAt } });
  await db.user.update({ where: { organizationId_id: { organizationId, id: userId } }, data: { lastSeenAt: new Date() } });
  return issuePair(db, { ...user, sessionId }, sign);
}

export type RefreshOutcome = { pair: TokenPair; session: SignedIn } | 'unknown' | 'reused';

/**
 * Trades a refresh token for a new pair and retires it. Twenty devices' worth of races get one and the same pair; a
 * retired token that comes back later ends its whole session. Must run in a transaction that commits also on "reused".
 */
export async function refreshSession(db: Db, keyring: Keyring, refreshToken: string, sign: SignAccess): Promise<RefreshOutcome> {
  const organizationId = Number(refreshToken.split('.', 1)[0]);
  if (!Number.isInteger(organizationId) || organizationId <= 0 || organizationId > 2_147_483_647) return 'unknown';
  const hash = new Uint8Array(hashToken(refreshToken));
  // The update takes the row's lock: of several at once the first retires it, the others then see that it is retired.
  const { count } = await db.refreshToken.updateMany({ where: { organizationId, hash, usedAt: null }, data: { usedAt: new Date() } });
  const row = await db.refreshToken.findUnique({ where: { organizationId_hash: { organizationId, hash } }, include: { session: { include: { user: true } } } });
  if (!row) return 'unknown';
  const { session } = row;
  const role = roleOf(session.user.type);
  if (session.revokedAt || session.expiresAt <= new Date() || !session.user.active || !role) return 'unknown';
  const signedIn = { organizationId, userId: session.userId, role, sessionId: session.id };
  if (count === 1) {
    const pair = await issuePair(db, signedIn, sign);
    await db.refreshToken.update({
      where: { organizationId_hash: { organizationId, hash } },
      data: { successor: keyring.encrypt(PURPOSE, JSON.stringify(pair)) },
    });
    return { pair, session: signedIn };
  }
  if (row.successor && row.usedAt && row.usedAt.getTime() > Date.now() - RACE_SECONDS * 1000) {
    const pair: TokenPair = JSON.parse(keyring.decrypt(PURPOSE, row.successor));
    return { pair, session: signedIn };
  }
  await revokeSession(db, organizationId, session.id, 'reuse');
  return 'reused';
}

/** Ends a session: its access tokens are refused within a second on every process, its refresh tokens at once. */
export async function revokeSession(db: Db, organizationId: number, sessionId: string, reason: 'logout' | 'reuse' | 'operator'): Promise<void> {
  await db.session.updateMany({ where: { organizationId, id: sessionId, revokedAt: null }, data: { revokedAt: new Date(), revokedReason: reason } });
}

/** Whom an access token of a session stands for at this moment, or null once the session or the user is out. */
export async function sessionUser(db: Db, organizationId: number, sessionId: string): Promise<{ userId: number; role: Role } | null> {
  const session = await db.session.findUnique({
    where: { organizationId_id: { organizationId, id: sessionId } },
    select: { userId: true, revokedAt: true, expiresAt: true, user: { select: { active: true, type: true } } },
  });
  if (!session || session.revokedAt || session.expiresAt <= new Date() || !session.user.active) return null;
  const role = roleOf(session.user.type);
  return role && { userId: session.userId, role };
}

/** Interface users stand behind API clients and have no role of their own. */
function roleOf(type: 'admin' | 'provider' | 'staff' | 'interface'): Role | null {
  return type === 'interface' ? null : type;
}

async function issuePair(db: Db, session: SignedIn, sign: SignAccess): Promise<TokenPair> {
  const refreshToken = `${session.organizationId}.${randomBytes(32).toString('base64url')}`;
  await db.refreshToken.create({
    data: { organizationId: session.organizationId, hash: new Uint8Array(hashToken(refreshToken)), sessionId: session.sessionId },
  });
  return { accessToken: sign(session), refreshToken };
}
