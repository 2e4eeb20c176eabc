import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import { inPractice } from '../../tx.ts';
import { hashToken } from '../secrets.ts';
import { organizationOfToken, type SignedIn, type SignInMethod, sessionUser, signInMethods } from '../sessions/sessions.ts';
import { readSignInEpoch } from '../sessions/sign-in-epoch.ts';
import { POSSIBLE_CLIENT_ID } from './client-authentication.ts';

/** An app fetches its tokens at once; a code that somebody finds later opens nothing. */
const CODE_SECONDS = 60;

/** The purpose of a code: an app, the address to which it returned, and the app's challenge (RFC 7636, S256). */
export interface CodeGrant {
  clientId: string;
  redirectUri: string;
  challenge: string;
  scopes: readonly string[];
  /** Whether the app asked for a proof of who the person is, with `prompt=login` or `max_age`. */
  asksProof: boolean;
}

/** Makes a code with which an app gets a session of a user, who agreed to it in a session of the pages. */
export async function issueAuthorizationCode(
  db: Db,
  { organizationId, sessionId }: Pick<SignedIn, 'organizationId' | 'sessionId'>,
  { clientId, redirectUri, challenge, scopes, asksProof }: CodeGrant,
): Promise<string> {
  const code = `${organizationId}.${randomBytes(32).toString('base64url')}`;
  const expiresAt = new Date(Date.now() + CODE_SECONDS * 1000);
  const grant = { clientId, redirectUri, challenge, scopes: [...scopes], asksProof, expiresAt };
  await db.authorizationCode.create({ data: { organizationId, hash: hashToken(code), pageSessionId: sessionId, ...grant } });
  return code;
}

export interface ShownCode {
  code: string;
  clientId: string;
  redirectUri: string;
  /** The text that only the app knows; its hash is the challenge. */
  verifier: string;
}

/** The user who agreed, how they had signed in, and to what they agreed. */
export interface CodeHolder extends Pick<CodeGrant, 'scopes' | 'asksProof'> {
  user: SignedIn;
  methods: SignInMethod[];
}

/** The user of a code that is good but for having been used; null for any other. The session in which they agreed must be open. */
export async function findCodeHolder(db: Db, { code, clientId, redirectUri, verifier }: ShownCode): Promise<CodeHolder | null> {
  const row = await findCode(db, code);
  if (!row || row.clientId !== clientId || row.redirectUri !== redirectUri || row.expiresAt <= new Date()) return null;
  const challenge = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(row.challenge, 'base64url');
  if (expected.length !== challenge.length || !timingSafeEqual(expected, challenge)) return null;
  // Read before the session is seen to be open: what ends it later raises the epoch.
  const epoch = await readSignInEpoch(db, { organizationId: row.organizationId, userId: row.pageSession.userId });
  const user = await sessionUser(inPractice(db, row.organizationId), row.pageSessionId);
  return (
    user && { user: { ...user, epoch }, methods: signInMethods(row.pageSession.methods), scopes: row.scopes, asksProof: row.asksProof }
  );
}

/**
 * Uses a code up, for a session that is opened in the same transaction. Of concurrent calls one gets true.
 * @param sessionId of that session
 */
export async function useCode(db: Db, code: string, sessionId: string): Promise<boolean> {
  const organizationId = organizationOfToken(code);
  const now = await databaseTime(db);
  const count = await db.$executeRaw`
    UPDATE authorization_code SET used_at = ${now}::timestamptz, session_id = ${sessionId}::uuid
     WHERE organization_id = ${organizationId}::int AND hash = ${hashToken(code)}::bytea AND used_at IS NULL`;
  return count === 1;
}

/** The session that a code of an app has opened, which is to end when the code is shown again; null where it has opened none. */
export async function sessionOfUsedCode(db: Db, code: string, clientId: string): Promise<SignedIn | null> {
  const row = await findCode(db, code);
  return row?.sessionId && row.clientId === clientId ? sessionUser(inPractice(db, row.organizationId), row.sessionId) : null;
}

async function findCode(db: Db, code: string) {
  const organizationId = organizationOfToken(code);
  if (organizationId === null) return null;
  return db.authorizationCode.findUnique({
    where: { organizationId_hash: { organizationId, hash: hashToken(code) } },
    include: { pageSession: { select: { methods: true, userId: true } } },
  });
}

export interface App {
  id: string;
  name: string;
  /** The scopes for which it may ask people. */
  scopes: string[];
  redirectUris: string[];
  organizationIds: number[];
}

/** The active app of an id; null for a machine client too. */
export async function findApp(db: Db, id: string): Promise<App | null> {
  if (!POSSIBLE_CLIENT_ID.test(id)) return null;
  const client = await db.apiClient.findUnique({ where: { id }, include: { grants: { select: { organizationId: true } } } });
  if (!client?.active || client.kind !== 'app') return null;
  const { name, scopes, redirectUris, grants } = client;
  return { id, name, scopes, redirectUris, organizationIds: grants.map(({ organizationId }) => organizationId) };
}

export async function sessionOfApp(db: Db, clientId: string, refreshToken: string): Promise<SignedIn | null> {
  const organizationId = organizationOfToken(refreshToken);
  if (organizationId === null) return null;
  const row = await db.refreshToken.findUnique({
    where: { organizationId_hash: { organizationId, hash: hashToken(refreshToken) } },
    select: { session: { select: { id: true, clientId: true } } },
  });
  return row?.session.clientId === clientId ? sessionUser(inPractice(db, organizationId), row.session.id) : null;
}

export async function isSessionOfApp(
  db: Db,
  clientId: string,
  { organizationId, sessionId }: Pick<SignedIn, 'organizationId' | 'sessionId'>,
): Promise<boolean> {
  return (await db.session.count({ where: { organizationId, id: sessionId, clientId } })) > 0;
}
