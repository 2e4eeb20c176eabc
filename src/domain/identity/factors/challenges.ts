import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { readClaims, signClaims } from '../../../database/encryption/signed-claims.ts';
import { Failure } from '../../errors.ts';
import { type AccountKey, lockSignInEpoch, readSignInEpoch } from '../sessions/sign-in-epoch.ts';

/** Seconds in which a challenge is to be answered. */
export const CHALLENGE_SECONDS = 300;

/** The step that a challenge belongs to: one of them is no answer to another. */
export type ChallengePurpose =
  | 'second-factor'
  | 'second-factor-enrolment'
  | 'step-up'
  | 'passkey-sign-in'
  | 'passkey-registration'
  | 'authenticator-app';

type OwnPurpose = Exclude<ChallengePurpose, 'passkey-sign-in'>;

/** A user of a practice, and the epoch of their account in which a challenge was made. */
const account = z.object({ organizationId: z.int(), userId: z.int(), epoch: z.int() });

/** A challenge of this server that has not expired. The database knows whether it was answered, and the present epoch. */
export interface Challenge {
  id: string;
  expiresAt: Date;
  /** The user whom it is for; absent in one for anybody. */
  account?: z.output<typeof account>;
}

const common = z.object({ jti: z.uuid(), exp: z.int() });

/** Signs a challenge for anybody. Nothing is stored until it is answered, so that asking for challenges costs nothing. */
export const issueChallenge = (keyring: Keyring, purpose: ChallengePurpose, content: object = {}): string =>
  signClaims(keyring, purpose, { ...content, jti: randomUUID(), exp: Math.floor(Date.now() / 1000) + CHALLENGE_SECONDS });

/** Signs a challenge for one user, which is void once their password or factors change, or they are signed out everywhere. */
export async function issueOwnChallenge(
  db: Db,
  keyring: Keyring,
  purpose: OwnPurpose,
  { organizationId, userId }: AccountKey,
  content: object = {},
): Promise<string> {
  const epoch = await readSignInEpoch(db, { organizationId, userId });
  return issueChallenge(keyring, purpose, { ...content, organizationId, userId, epoch });
}

/** @throws Failure unauthenticated `invalid_challenge` for one that is altered, expired, or of another purpose */
export function readChallenge<T extends z.ZodType<object>>(
  keyring: Keyring,
  purpose: ChallengePurpose,
  { token, content }: { token: string; content: T },
): Challenge & { content: z.output<T> } {
  const claims = readClaims(keyring, purpose, token);
  const { data } = common.safeParse(claims);
  const told = content.safeParse(claims);
  if (!data || !told.success || data.exp * 1000 <= Date.now()) throw invalidChallenge();
  return { id: data.jti, expiresAt: new Date(data.exp * 1000), content: told.data };
}

type OwnChallenge<T> = Required<Challenge> & { content: T };

/** As readChallenge, of one for a user. */
export function readOwnChallenge<T extends z.ZodObject = z.ZodObject>(
  keyring: Keyring,
  purpose: OwnPurpose,
  { token, content }: { token: string; content: T },
): OwnChallenge<z.output<T>> {
  const { content: read, ...challenge } = readChallenge(keyring, purpose, { token, content: z.intersection(account, content) });
  const { organizationId, userId, epoch } = read;
  return { ...challenge, content: read, account: { organizationId, userId, epoch } };
}

/**
 * Holds the account of a challenge until the transaction ends.
 * @throws Failure unauthenticated `invalid_challenge` where something has voided the challenge since it was made
 */
export async function requireSameEpoch(db: Db, { account: of }: Challenge): Promise<void> {
  if (of && (await lockSignInEpoch(db, of)) !== of.epoch) throw invalidChallenge();
}

/**
 * Marks a challenge as answered, in the transaction of what the answer does.
 * @throws Failure unauthenticated `invalid_challenge` where it was answered before, or is void
 */
export async function redeemChallenge(db: Db, challenge: Challenge): Promise<void> {
  await requireSameEpoch(db, challenge);
  const { id, expiresAt } = challenge;
  const { count } = await db.revokedToken.createMany({ data: { id, expiresAt }, skipDuplicates: true });
  if (count === 0) throw invalidChallenge();
}

/** The bytes that a passkey signs for a challenge, in base64url. */
export const toPasskeyChallenge = ({ id }: Pick<Challenge, 'id'>): string =>
  createHash('sha256').update(`passkey ${id}`).digest('base64url');

const invalidChallenge = () =>
  new Failure('unauthenticated', 'invalid_challenge', 'This step has expired or was already done. Start again.');

/** @throws Failure unauthenticated `invalid_challenge` for a challenge that was given to somebody else */
export function requireOwn(
  { account: of }: Required<Challenge>,
  { organizationId, userId }: { organizationId: number; userId: number | null },
): void {
  if (of.organizationId !== organizationId || of.userId !== userId)
    throw new Failure('unauthenticated', 'invalid_challenge', 'This step belongs to another user. Start again.');
}
