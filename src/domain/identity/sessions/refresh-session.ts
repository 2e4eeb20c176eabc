import { before, databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn } from '../../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { inPractice, type PracticeTx } from '../../tx.ts';
import { isPracticeOpen } from '../accounts.ts';
import { readSecurityPolicy } from '../policies/security-policy.ts';
import { REFRESH_TOKEN_MS, sessionExpiry } from '../policies/session-life.ts';
import { hashToken } from '../secrets.ts';
import {
  issuePair,
  OPEN_SESSION,
  organizationOfToken,
  type SessionRow,
  type SignAccess,
  type SignedIn,
  type SignInDetails,
  type TokenPair,
  tokenPair,
  toSignedIn,
  trimUserAgent,
} from './sessions.ts';

/** A concurrent refresh gets the same pair for ten seconds (isConcurrentRefresh); this allows for clocks that differ. */
const SUCCESSOR_KEPT_MS = 60_000;

interface Use extends Pick<SignInDetails, 'address' | 'userAgent'> {
  sign: SignAccess;
  /** The app that shows it; null for none. The tokens of others are unknown. */
  clientId: string | null;
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
export async function refreshSession(
  db: Db,
  keyring: Keyring,
  refreshToken: string,
  { sign, clientId, ...device }: Use,
): Promise<RefreshOutcome> {
  const organizationId = organizationOfToken(refreshToken);
  if (organizationId === null) return { kind: 'unknown' };
  const practice = inPractice(db, organizationId);
  const hash = hashToken(refreshToken);
  const first = await retire(practice, { hash, clientId });
  const row = await findRefreshToken(practice, hash);
  const session = row && (await isPracticeOpen(practice)) ? toSignedIn(row.session) : null;
  if (!row || session?.clientId !== clientId) return { kind: 'unknown' };
  if (first) {
    await prolong(db, row.session, device);
    return { kind: 'renewed', pair: await renew(db, keyring, session, { hash, sign }), session };
  }
  if (row.successor && (await isConcurrentRefresh(practice, hash))) {
    const pair = decryptIn(keyring, ENCRYPTED.refreshSuccessor, rowOfToken(organizationId, hash), row.successor);
    return { kind: 'renewed', pair: tokenPair.parse(JSON.parse(pair)), session };
  }
  return { kind: 'reused', session };
}

/**
 * Retires a token and returns whether this call did it. Of concurrent calls the first takes the row's lock; the others
 * then see that it is retired. All times are the database's, because clocks of processes differ.
 */
async function retire(tx: PracticeTx, { hash, clientId }: { hash: Uint8Array; clientId: string | null }): Promise<boolean> {
  const { organizationId } = tx;
  const now = await databaseTime(tx.prisma);
  const count = await tx.prisma.$executeRaw`
    UPDATE refresh_token t SET used_at = ${now}::timestamptz FROM session s
     WHERE t.organization_id = ${organizationId}::int AND t.hash = ${hash}::bytea AND t.used_at IS NULL
       AND s.organization_id = ${organizationId}::int AND s.id = t.session_id AND s.client_id IS NOT DISTINCT FROM ${clientId}`;
  return count === 1;
}

/**
 * Milliseconds within which a repeated token counts as sent twice by one device. Later reuse means that it was stolen, and so does
 * one that a clock which was set back since has put into the future.
 */
const CONCURRENT_MS = 10_000;

async function isConcurrentRefresh(tx: PracticeTx, hash: Uint8Array): Promise<boolean> {
  const now = await databaseTime(tx.prisma);
  const rows = await tx.prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM refresh_token
     WHERE organization_id = ${tx.organizationId}::int AND hash = ${hash}::bytea
       AND used_at > ${before(now, CONCURRENT_MS)}::timestamptz AND used_at < ${before(now, -CONCURRENT_MS)}::timestamptz`;
  return rows.length === 1;
}

function findRefreshToken(tx: PracticeTx, hash: Uint8Array<ArrayBuffer>) {
  return tx.prisma.refreshToken.findUnique({
    where: { organizationId_hash: { ...tx.practice, hash } },
    select: { successor: true, session: { select: OPEN_SESSION } },
  });
}

/** Moves the end of a session that was refreshed, up to its last. */
async function prolong(
  db: Db,
  { organizationId, id, endsAt }: SessionRow,
  { address, userAgent }: Pick<SignInDetails, 'address' | 'userAgent'>,
): Promise<void> {
  const now = new Date();
  const expiresAt = sessionExpiry(await readSecurityPolicy(inPractice(db, organizationId)), endsAt, now);
  await db.session.update({
    where: { organizationId_id: { organizationId, id } },
    data: { expiresAt, lastUsedAt: now, address, userAgent: trimUserAgent(userAgent) },
  });
}

/** A refresh token's row has its hash as its name. */
const rowOfToken = (organizationId: number, hash: Uint8Array) => ({ organizationId, row: Buffer.from(hash).toString('hex') });

/** Issues the next pair and keeps it encrypted for a concurrent refresh; older pairs and expired tokens are deleted. */
async function renew(
  db: Db,
  keyring: Keyring,
  session: SignedIn,
  { hash, sign }: { hash: Uint8Array<ArrayBuffer>; sign: SignAccess },
): Promise<TokenPair> {
  const { organizationId, sessionId } = session;
  const pair = await issuePair(db, session, sign);
  const successor = encryptIn(keyring, ENCRYPTED.refreshSuccessor, rowOfToken(organizationId, hash), JSON.stringify(pair));
  await db.refreshToken.update({ where: { organizationId_hash: { organizationId, hash } }, data: { successor } });
  await db.refreshToken.updateMany({
    where: { organizationId, sessionId, successor: { not: null }, usedAt: { lt: ago(SUCCESSOR_KEPT_MS) } },
    data: { successor: null },
  });
  await db.refreshToken.deleteMany({ where: { organizationId, sessionId, usedAt: { lt: ago(REFRESH_TOKEN_MS) } } });
  return pair;
}

const ago = (ms: number): Date => new Date(Date.now() - ms);
