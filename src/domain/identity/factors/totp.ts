import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn } from '../../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { conflict, invalid } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { asSeen } from '../../values/same-text.ts';
import { raiseSignInEpoch } from '../sessions/sign-in-epoch.ts';
import { issueOwnChallenge, readOwnChallenge, redeemChallenge, requireOwn } from './challenges.ts';
import { type FactorOwner, recordFactorChange, requireOwner, type SecondFactor, toSecondFactor } from './second-factors.ts';

/** A code is taken up to one step of 30 s before and after its own, for clocks that differ. */
const TOLERANCE_SECONDS = 30;
const CODE = /^\d{6}$/;

const issued = z.object({ key: z.string() });

/** A new key for a user's authenticator app (160 bits in base 32), the address that its QR code holds, and the challenge to send back. */
export async function newAuthenticatorKey(db: Db, keyring: Keyring, owner: FactorOwner, account: string) {
  const { generateSecret, generateURI } = await import('otplib');
  const key = generateSecret();
  return {
    challenge: await issueOwnChallenge(db, keyring, 'authenticator-app', owner, { key }),
    ...authenticatorKey(key, account, generateURI),
  };
}

/** The key and the address of an enrolment under way. @throws Failure unauthenticated for a challenge that is not this user's */
export async function readAuthenticatorKey(
  keyring: Keyring,
  owner: FactorOwner,
  { challenge, account }: { challenge: string; account: string },
) {
  const { generateURI } = await import('otplib');
  return authenticatorKey(readOwn(keyring, owner, challenge).content.key, account, generateURI);
}

type WriteAddress = (options: { issuer: string; label: string; secret: string }) => string;

const authenticatorKey = (key: string, account: string, write: WriteAddress) => ({
  key,
  address: write({ issuer: 'Triptych', label: account, secret: key }),
});

function readOwn(keyring: Keyring, owner: FactorOwner, token: string) {
  const challenge = readOwnChallenge(keyring, 'authenticator-app', { token, content: issued });
  requireOwn(challenge, owner);
  return challenge;
}

/**
 * Stores an authenticator app, once a code proves that it has the key.
 * @throws Failure unauthenticated for a challenge that is not the caller's or was used; invalid for a wrong code; conflict for a
 *   second app
 */
export async function addAuthenticatorApp(
  tx: Tx,
  keyring: Keyring,
  { challenge, name, code }: { challenge: string; name: string; code: string },
): Promise<SecondFactor> {
  const owner = requireOwner(tx);
  const started = readOwn(keyring, owner, challenge);
  const step = await stepOfCode(started.content.key, code);
  if (step === null) throw invalid('code', 'is not the current code of the app');
  await redeemChallenge(tx.prisma, started);
  await raiseSignInEpoch(tx.prisma, owner);
  if (await tx.prisma.secondFactor.findFirst({ where: { ...owner, kind: 'authenticator_app' }, select: { id: true } }))
    throw conflict('one_authenticator_app', 'There is already an authenticator app. Delete it before you add another one.');
  const [row] = await tx.prisma.$queryRaw<{ id: number }[]>`SELECT nextval('second_factor_id_seq')::int AS id`;
  if (!row) throw new Error('the sequence of second factors gave no number');
  const secret = encryptIn(keyring, ENCRYPTED.authenticatorApp, { organizationId: owner.organizationId, row: row.id }, started.content.key);
  const app = await tx.prisma.secondFactor.create({
    data: { ...owner, id: row.id, kind: 'authenticator_app', name, secret, lastStep: step },
  });
  recordFactorChange(tx, owner, 'authenticator app added');
  return toSecondFactor(app);
}

/** The step of a code, by which it is known that it was used; null for a wrong code. */
async function stepOfCode(key: string, code: string): Promise<number | null> {
  const digits = asSeen(code).replaceAll(/[\s-]/g, '');
  if (!CODE.test(digits)) return null;
  const { verify } = await import('otplib');
  const result = await verify({ secret: key, token: digits, epochTolerance: TOLERANCE_SECONDS });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}

/**
 * Takes a code of a user's authenticator app, once. Must run in a transaction.
 * @returns false for a wrong code, one that was used, and a user without an app
 */
export async function useAuthenticatorCode(db: Db, keyring: Keyring, owner: FactorOwner, code: string): Promise<boolean> {
  const { organizationId, userId } = owner;
  const app = await db.secondFactor.findFirst({ where: { organizationId, userId, kind: 'authenticator_app' } });
  if (!app?.secret) return false;
  const key = decryptIn(keyring, ENCRYPTED.authenticatorApp, { organizationId, row: app.id }, app.secret);
  const step = await stepOfCode(key, code);
  if (step === null) return false;
  // A code that was used, and of two that are sent at the same moment the second, find the step taken.
  const { count } = await db.secondFactor.updateMany({
    where: { organizationId, id: app.id, OR: [{ lastStep: null }, { lastStep: { lt: step } }] },
    data: { lastStep: step, lastUsedAt: new Date() },
  });
  return count === 1;
}
