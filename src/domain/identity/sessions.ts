import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import type { Role } from '../caller.ts';
import { hashToken, verifySecret } from './secrets.ts';

/** Lifetime of a refresh token and its session; each new pair starts it again. */
const SESSION_MS = 30 * 86_400_000;
/** A concurrent refresh gets the same pair for ten seconds (isConcurrentRefresh); this allows for clocks that differ. */
const SUCCESSOR_KEPT_MS = 60_000;
const PURPOSE = 'refresh-successor';

/** A user who may sign in. */
export interface AccountHolder {
  organizationId: number;
  userId: number;
  role: Role;
}

/** A user who signed in on one device. */
export interface SignedIn extends AccountHolder {
  sessionId: string;
}

const tokenPair = z.object({ accessToken: z.string(), refreshToken: z.string() });
/** A short-lived access token, and the refresh token for the next pair. */
export type TokenPair = z.infer<typeof tokenPair>;

/** Signs an access token for a session; the HTTP layer provides it. */
export type SignAccess = (session: SignedIn) => string;

/** The canonical spelling of an address, by which accounts are found and failed sign-ins are counted. */
export const accountName = (email: string): string => email.trim().toLowerCase();

/** The user who signs in with an address, or null: also for inactive and interface users, who cannot sign in. */
export async function findAccount(db: Db, email: string): Promise<AccountHolder | null> {
  return (await readAccount(db, email))?.holder ?? null;
}

/** The user of an address and a password, or null. Takes the same time for an unknown address. */
export async function checkPassword(db: Db, email: string, password: string): Promise<AccountHolder | null> {
  const account = await readAccount(db, email);
  const right = await verifySecret(account?.passwordHash ?? null, password);
  return right && account ? account.holder : null;
}

/** Always runs three queries: an unknown address must not be answered sooner. */
async function readAccount(db: Db, email: string): Promise<{ holder: AccountHolder; passwordHash: string } | null> {
  const signIn = await db.signIn.findUnique({ where: { email: accountName(email) } });
  const { organizationId, userId, passwordHash } = signIn ?? { organizationId: 0, userId: 0, passwordHash: '' };
  const user = await db.user.findUnique({
    where: { organizationId_id: { organizationId, id: userId } },
    select: { active: true, type: true },
  });
  const open = await isPracticeOpen(db, organizationId);
  const role = open && user?.active ? roleOf(user.type) : null;
  return role && { holder: { organizationId, userId, role }, passwordHash };
}

/** Opens a session for a user with a verified password. */
export async function openSession(db: Db, user: AccountHolder, sign: SignAccess): Promise<TokenPair> {
  return issuePair(db, await createSession(db, user, sessionEnd()), sign);
}

/** Lifetime of a session of pages, which has no refresh token: a working day. */
export const PAGE_SESSION_SECONDS = 12 * 3_600;

/** Opens a session for the pages of staff, as openSession, without tokens: the browser keeps it in a cookie. */
export const openPageSession = (db: Db, user: AccountHolder): Promise<SignedIn> =>
  createSession(db, user, new Date(Date.now() + PAGE_SESSION_SECONDS * 1_000));

async function createSession(db: Db, user: AccountHolder, expiresAt: Date): Promise<SignedIn> {
  const { organizationId, userId } = user;
  const sessionId = randomUUID();
  await db.session.create({ data: { organizationId, id: sessionId, userId, expiresAt } });
  await db.user.update({ where: { organizationId_id: { organizationId, id: userId } }, data: { lastSeenAt: new Date() } });
  return { ...user, sessionId };
}

/** "reused": a retired token was sent again, so either it or its successor was stolen. Its session must be revoked. */
export type RefreshOutcome =
  | { kind: 'renewed'; pair: TokenPair; session: SignedIn }
  | { kind: 'reused'; session: SignedIn }
  | { kind: 'unknown' };

/**
 * Exchanges a refresh token for a new pair and retires it. Concurrent requests of one device get the same pair for ten
 * seconds. Must run in a transaction, whose row lock makes the others wait for the first.
 */
export async function refreshSession(db: Db, keyring: Keyring, refreshToken: string, sign: SignAccess): Promise<RefreshOutcome> {
  const organizationId = organizationOf(refreshToken);
  if (organizationId === null) return { kind: 'unknown' };
  const hash = hashToken(refreshToken);
  const first = await retire(db, organizationId, hash);
  const row = await findRefreshToken(db, organizationId, hash);
  const session = row && (await isPracticeOpen(db, organizationId)) ? signedIn(row.session) : null;
  if (!row || !session) return { kind: 'unknown' };
  if (first) return { kind: 'renewed', pair: await renew(db, keyring, session, { hash, sign }), session };
  if (row.successor && (await isConcurrentRefresh(db, organizationId, hash))) {
    return { kind: 'renewed', pair: tokenPair.parse(JSON.parse(keyring.decrypt(PURPOSE, row.successor))), session };
  }
  return { kind: 'reused', session };
}

/** Ends a session: every process refuses its access tokens within a second, and its refresh tokens immediately. */
export async function revokeSession(
  db: Db,
  { organizationId, sessionId }: Pick<SignedIn, 'organizationId' | 'sessionId'>,
  reason: 'logout' | 'reuse' | 'operator',
): Promise<void> {
  await db.session.updateMany({
    where: { organizationId, id: sessionId, revokedAt: null },
    data: { revokedAt: new Date(), revokedReason: reason },
  });
}

/** The user of a session, or null when the session has ended or the user or the practice is inactive. */
export async function sessionUser(db: Db, organizationId: number, sessionId: string): Promise<SignedIn | null> {
  const [session, open] = await Promise.all([
    db.session.findUnique({ where: { organizationId_id: { organizationId, id: sessionId } }, select: OPEN_SESSION }),
    isPracticeOpen(db, organizationId),
  ]);
  return session && open ? signedIn(session) : null;
}

/** A closed practice admits no user. */
async function isPracticeOpen(db: Db, organizationId: number): Promise<boolean> {
  return (await db.organization.findUnique({ where: { id: organizationId }, select: { active: true } }))?.active === true;
}

const OPEN_SESSION = {
  organizationId: true,
  id: true,
  userId: true,
  revokedAt: true,
  expiresAt: true,
  user: { select: { active: true, type: true } },
} as const;

interface SessionRow {
  organizationId: number;
  id: string;
  userId: number;
  revokedAt: Date | null;
  expiresAt: Date;
  user: { active: boolean; type: UserType };
}

function signedIn({ organizationId, id, userId, revokedAt, expiresAt, user }: SessionRow): SignedIn | null {
  const role = roleOf(user.type);
  if (revokedAt || expiresAt <= new Date() || !user.active || !role) return null;
  return { organizationId, userId, role, sessionId: id };
}

type UserType = Role | 'interface';

/** Null for interface users, which belong to API clients and have no role. */
const roleOf = (type: UserType): Role | null => (type === 'interface' ? null : type);

/** Refresh tokens begin with their organization, so that looking for one names it. */
function organizationOf(refreshToken: string): number | null {
  const digits = /^(\d{1,10})\./.exec(refreshToken)?.[1];
  const organizationId = Number(digits);
  return organizationId > 0 && organizationId <= 2_147_483_647 ? organizationId : null;
}

/**
 * Retires a token and returns whether this call did it. Of concurrent calls the first takes the row's lock; the others
 * then see that it is retired. All times are the database's, because clocks of processes differ.
 */
async function retire(db: Db, organizationId: number, hash: Uint8Array): Promise<boolean> {
  const count = await db.$executeRaw`
    UPDATE refresh_token SET used_at = clock_timestamp()
     WHERE organization_id = ${organizationId}::int AND hash = ${hash}::bytea AND used_at IS NULL`;
  return count === 1;
}

/** Whether a token was used within the last ten seconds: a device that sent it twice. Later reuse means that it was stolen. */
async function isConcurrentRefresh(db: Db, organizationId: number, hash: Uint8Array): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM refresh_token
     WHERE organization_id = ${organizationId}::int AND hash = ${hash}::bytea AND used_at > clock_timestamp() - interval '10 seconds'`;
  return rows.length === 1;
}

function findRefreshToken(db: Db, organizationId: number, hash: Uint8Array<ArrayBuffer>) {
  return db.refreshToken.findUnique({
    where: { organizationId_hash: { organizationId, hash } },
    select: { successor: true, session: { select: OPEN_SESSION } },
  });
}

/** Issues the next pair and keeps it encrypted for a concurrent refresh; older pairs and expired tokens are deleted. */
async function renew(
  db: Db,
  keyring: Keyring,
  session: SignedIn,
  { hash, sign }: { hash: Uint8Array<ArrayBuffer>; sign: SignAccess },
): Promise<TokenPair> {
  const { organizationId, sessionId } = session;
  const pair = await issuePair(db, session, sign);
  const successor = keyring.encrypt(PURPOSE, JSON.stringify(pair));
  await db.refreshToken.update({ where: { organizationId_hash: { organizationId, hash } }, data: { successor } });
  await db.session.update({ where: { organizationId_id: { organizationId, id: sessionId } }, data: { expiresAt: sessionEnd() } });
  await db.refreshToken.updateMany({
    where: { organizationId, sessionId, successor: { not: null }, usedAt: { lt: ago(SUCCESSOR_KEPT_MS) } },
    data: { successor: null },
  });
  await db.refreshToken.deleteMany({ where: { organizationId, sessionId, usedAt: { lt: ago(SESSION_MS) } } });
  return pair;
}

const ago = (ms: number): Date => new Date(Date.now() - ms);
const sessionEnd = (): Date => new Date(Date.now() + SESSION_MS);

async function issuePair(db: Db, session: SignedIn, sign: SignAccess): Promise<TokenPair> {
  const { organizationId, sessionId } = session;
  const refreshToken = `${organizationId}.${randomBytes(32).toString('base64url')}`;
  await db.refreshToken.create({ data: { organizationId, hash: hashToken(refreshToken), sessionId } });
  return { accessToken: sign(session), refreshToken };
}
