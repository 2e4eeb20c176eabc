import { createHash } from 'node:crypto';
import type { Db } from '../../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn, type RowOfValue } from '../../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { ExternalLogout, ExternalSignIn } from '../../../gateways/openid/openid-connect.ts';
import type { PracticeTx } from '../../tx.ts';
import { revokeSession } from '../sessions/session-ends.ts';
import type { SignedIn } from '../sessions/sessions.ts';

type SessionName = Pick<SignedIn, 'organizationId' | 'sessionId'>;

const toRow = ({ organizationId, sessionId }: SessionName): RowOfValue => ({ organizationId, row: sessionId });

/** Keeps the session at the provider behind a new session, with the ID token by which the provider knows it at sign-out. */
export async function keepExternalSession(
  db: Db,
  keyring: Keyring,
  session: SessionName,
  { issuer, subject, sessionId: externalId, idToken }: Pick<ExternalSignIn, 'issuer' | 'subject' | 'sessionId' | 'idToken'>,
): Promise<void> {
  const sealed = encryptIn(keyring, ENCRYPTED.idToken, toRow(session), idToken);
  const { organizationId, sessionId } = session;
  await db.externalSession.create({ data: { organizationId, sessionId, issuer, subject, externalId, idToken: sealed } });
}

/** Lets a session that another one opened, such as that of an app, end with the same session at the provider. */
export async function inheritExternalSession(db: Db, { organizationId, sessionId }: SessionName, heir: string): Promise<void> {
  const where = { organizationId_sessionId: { organizationId, sessionId } };
  const found = await db.externalSession.findUnique({ where, omit: { idToken: true } });
  if (found) await db.externalSession.create({ data: { ...found, sessionId: heir } });
}

/** The provider's session behind a session; null for one of another way to sign in. */
export async function findExternalSession(
  db: Db,
  keyring: Keyring,
  session: SessionName,
): Promise<{ issuer: string; subject: string; idToken: string | null } | null> {
  const { organizationId, sessionId } = session;
  const found = await db.externalSession.findUnique({ where: { organizationId_sessionId: { organizationId, sessionId } } });
  if (!found) return null;
  const idToken = found.idToken === null ? null : decryptIn(keyring, ENCRYPTED.idToken, toRow(session), found.idToken);
  return { issuer: found.issuer, subject: found.subject, idToken };
}

/** Takes the token of a logout, once. @returns false where it was taken before */
export async function takeLogoutToken(tx: PracticeTx, { issuer, tokenId, endsAt }: ExternalLogout): Promise<boolean> {
  const hash = createHash('sha256')
    .update(JSON.stringify(['logout token', tx.organizationId, issuer, tokenId]))
    .digest('hex');
  const id = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  const { count } = await tx.prisma.revokedToken.createMany({ data: { id, expiresAt: endsAt }, skipDuplicates: true });
  return count === 1;
}

/**
 * Ends the sessions of a practice that a logout at its provider names: those of one session there, or all of a user.
 * @returns the ids of those that were open, and of their users
 */
export async function endExternalSessions(
  tx: PracticeTx,
  { issuer, subject, sessionId: externalId }: ExternalLogout,
): Promise<{ sessionIds: string[]; userIds: number[] }> {
  const named = { ...(subject === null ? {} : { subject }), ...(externalId === null ? {} : { externalId }) };
  const found = await tx.prisma.externalSession.findMany({
    where: { ...tx.practice, issuer, ...named, session: { revokedAt: null, expiresAt: { gt: new Date() } } },
    select: { sessionId: true, session: { select: { userId: true } } },
  });
  const sessionIds = found.map(({ sessionId }) => sessionId);
  for (const sessionId of sessionIds) await revokeSession(tx.prisma, { ...tx.practice, sessionId }, 'provider');
  return { sessionIds, userIds: [...new Set(found.map(({ session }) => session.userId))] };
}
