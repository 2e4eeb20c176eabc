import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { before, databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import { Failure } from '../../errors.ts';
import { inPractice, type PracticeTx } from '../../tx.ts';
import { type AccountHolder, isPracticeOpen, toRole, type UserType } from '../accounts.ts';
import { requireAllowedMethod } from '../policies/password-sign-in.ts';
import { readSecurityPolicy } from '../policies/security-policy.ts';
import { type SessionKind, sessionLife } from '../policies/session-life.ts';
import { hashToken } from '../secrets.ts';
import { type OpenedCharts, withOpenedCharts } from './opened-charts.ts';
import { lockSignInEpoch } from './sign-in-epoch.ts';

export interface SignedIn extends AccountHolder {
  sessionId: string;
  /** The app to which the session belongs; null for one that no registered app opened. */
  clientId: string | null;
  /** The scopes of that app to which the user agreed. */
  scopes: readonly string[];
  /** When a password or another factor was last shown: at sign-in, or later, before something that matters. */
  verifiedAt: Date;
}

const SIGN_IN_METHODS = ['pwd', 'otp', 'hwk', 'recovery', 'sso'] as const;
/** Ways to prove who one is, by the names of RFC 8176 where it has one; `hwk` is a passkey. */
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

export const signInMethods = (stored: readonly string[]): SignInMethod[] => SIGN_IN_METHODS.filter((method) => stored.includes(method));

export interface SignInDetails {
  methods: readonly SignInMethod[];
  address: string | null;
  userAgent: string | null;
  /** The id that the browser or app keeps from sign-in to sign-in (known-devices.ts). */
  deviceId: string | null;
}

export const tokenPair = z.object({ accessToken: z.string(), refreshToken: z.string() });
/** A short-lived access token, and the refresh token for the next pair. */
export type TokenPair = z.infer<typeof tokenPair>;

/** Signs an access token for a session; the HTTP layer provides it. */
export type SignAccess = (session: SignedIn) => string;

/** Opens a session for a user who has shown all factors that are asked of them. */
export async function openSession(db: Db, user: AccountHolder, sign: SignAccess, details: SignInDetails): Promise<TokenPair> {
  return issuePair(db, await createSession(db, user, 'app', details), sign);
}

/** An app to which a user signed in by the pages. */
interface SignedInApp {
  clientId: string;
  scopes: readonly string[];
  /** When the user last proved there who they are. */
  verifiedAt: Date;
  /** Whether the app asked for that proof; otherwise it counts for the pages alone. */
  ownProof: boolean;
}

/** Opens a session of an app to which a user signed in by the pages. */
export async function openAppSession(
  db: Db,
  user: AccountHolder,
  sign: SignAccess,
  { clientId, scopes, verifiedAt, ownProof, ...details }: SignInDetails & SignedInApp,
): Promise<{ pair: TokenPair; session: SignedIn }> {
  const opened = await createSession(db, user, 'app', details);
  const { organizationId, sessionId } = opened;
  const app = { clientId, scopes: [...scopes], verifiedAt };
  await db.session.update({ where: { organizationId_id: { organizationId, id: sessionId } }, data: { ...app, ownProof } });
  const session = { ...opened, ...app };
  return { pair: await issuePair(db, session, sign), session };
}

/** Opens a session for the pages of staff, as openSession, without tokens: the browser keeps it in a cookie. */
export const openPageSession = (db: Db, user: AccountHolder, details: SignInDetails): Promise<SignedIn> =>
  createSession(db, user, 'page', details);

const LONGEST_USER_AGENT = 200;
export const trimUserAgent = (userAgent: string | null): string | null => userAgent?.slice(0, LONGEST_USER_AGENT) ?? null;

/** @throws Failure unauthenticated where the account has changed since its password was right */
async function createSession(
  db: Db,
  { epoch, ...user }: AccountHolder,
  kind: SessionKind,
  { methods, address, userAgent, deviceId }: SignInDetails,
): Promise<SignedIn> {
  const { organizationId, userId } = user;
  if (epoch !== undefined && (await lockSignInEpoch(db, user)) !== epoch)
    throw new Failure('unauthenticated', 'account_changed', 'The account was changed meanwhile. Sign in again.');
  const sessionId = randomUUID();
  const now = new Date();
  const policy = await readSecurityPolicy(inPractice(db, organizationId));
  requireAllowedMethod(policy, organizationId, methods);
  const life = sessionLife(policy, kind, now);
  const shown = { address, userAgent: trimUserAgent(userAgent), deviceId, methods: [...methods] };
  const times = { createdAt: now, verifiedAt: now, lastUsedAt: now, ...life };
  await db.session.create({ data: { organizationId, id: sessionId, userId, kind, ...shown, ...times } });
  await db.user.update({ where: { organizationId_id: { organizationId, id: userId } }, data: { lastSeenAt: now } });
  return { ...user, sessionId, clientId: null, scopes: [], verifiedAt: now };
}

export interface SessionUser extends SignedIn, OpenedCharts {
  /** Whether the user is notified of every emergency access to a restricted chart. */
  privacyOfficer: boolean;
}

/** The user of a session, or null when the session has ended or the user or the practice is inactive. */
export async function sessionUser(tx: PracticeTx, sessionId: string): Promise<SessionUser | null> {
  const [session, open] = await Promise.all([
    tx.prisma.session.findUnique({ where: tx.key(sessionId), select: OPEN_SESSION }),
    isPracticeOpen(tx),
  ]);
  const user = session && open ? toSignedIn(session) : null;
  if (!user || !session) return null;
  noteUse(tx.prisma, session);
  return withOpenedCharts(tx.prisma, { ...user, privacyOfficer: session.user.privacyOfficer }, session.user.chartsOpenUntil);
}

export const OPEN_SESSION = {
  organizationId: true,
  id: true,
  userId: true,
  clientId: true,
  scopes: true,
  revokedAt: true,
  expiresAt: true,
  endsAt: true,
  lastUsedAt: true,
  verifiedAt: true,
  user: { select: { active: true, type: true, chartsOpenUntil: true, privacyOfficer: true } },
} as const;

/** The columns of OPEN_SESSION that say whether a session is open. */
export interface SessionRow {
  organizationId: number;
  id: string;
  userId: number;
  clientId: string | null;
  scopes: string[];
  revokedAt: Date | null;
  expiresAt: Date;
  endsAt: Date;
  lastUsedAt: Date;
  verifiedAt: Date;
  user: { active: boolean; type: UserType };
}

/** The session's user, or null where it has ended or the user is inactive. */
export function toSignedIn({ revokedAt, expiresAt, user, id, ...session }: SessionRow): SignedIn | null {
  const role = toRole(user.type);
  if (revokedAt || expiresAt <= new Date() || !user.active || !role) return null;
  const { organizationId, userId, clientId, scopes, verifiedAt } = session;
  return { organizationId, userId, role, sessionId: id, clientId, scopes, verifiedAt };
}

/** Refresh tokens and codes begin with their organization, so that looking for one names it. Null for anything else. */
export function organizationOfToken(refreshToken: string): number | null {
  const digits = /^(\d{1,10})\./.exec(refreshToken)?.[1];
  const organizationId = Number(digits);
  return organizationId > 0 && organizationId <= 2_147_483_647 ? organizationId : null;
}

export async function issuePair(db: Db, session: SignedIn, sign: SignAccess): Promise<TokenPair> {
  const { organizationId, sessionId } = session;
  const refreshToken = `${organizationId}.${randomBytes(32).toString('base64url')}`;
  await db.refreshToken.create({ data: { organizationId, hash: hashToken(refreshToken), sessionId } });
  return { accessToken: sign(session), refreshToken };
}

/** Use is written at most so often, so that few requests cost a write. */
const NOTED_EVERY_MS = 60_000;

interface UsedSession {
  organizationId: number;
  id: string;
  lastUsedAt: Date;
}

/**
 * Notes that a session is in use, and under an idle timeout moves its end. Not awaited by the request; a failure is left to the
 * request of the next minute.
 */
function noteUse(db: Db, session: UsedSession): void {
  if (Date.now() - session.lastUsedAt.getTime() < NOTED_EVERY_MS) return;
  writeUse(db, session).catch(() => {});
}

async function writeUse(db: Db, { organizationId, id }: UsedSession): Promise<void> {
  const { sessionIdleMinutes } = await readSecurityPolicy(inPractice(db, organizationId));
  const now = await databaseTime(db);
  const idleAt = sessionIdleMinutes === null ? null : new Date(now.getTime() + sessionIdleMinutes * 60_000);
  await db.$executeRaw`
    UPDATE session
       SET last_used_at = ${now}::timestamptz,
           expires_at = CASE WHEN ${idleAt}::timestamptz IS NULL THEN expires_at ELSE least(ends_at, ${idleAt}::timestamptz) END
     WHERE organization_id = ${organizationId}::int AND id = ${id}::uuid AND revoked_at IS NULL AND expires_at > ${now}::timestamptz
       AND last_used_at < ${before(now, NOTED_EVERY_MS)}::timestamptz`;
}
