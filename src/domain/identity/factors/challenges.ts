import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { readClaims, signClaims } from '../../../database/encryption/signed-claims.ts';
import { Failure } from '../../errors.ts';

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

/** A challenge of this server that has not expired. Whether it was answered stands in the database. */
export interface Challenge {
  id: string;
  expiresAt: Date;
}

const common = z.object({ jti: z.uuid(), exp: z.int() });

/** Signs a challenge with its content. Nothing is stored until it is answered, so that asking for challenges costs nothing. */
export const issueChallenge = (keyring: Keyring, purpose: ChallengePurpose, content: object = {}): string =>
  signClaims(keyring, purpose, { ...content, jti: randomUUID(), exp: Math.floor(Date.now() / 1000) + CHALLENGE_SECONDS });

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

/**
 * Marks a challenge as answered, in the transaction of what the answer does.
 * @throws Failure unauthenticated `invalid_challenge` where it was answered before
 */
export async function redeemChallenge(db: Db, { id, expiresAt }: Challenge): Promise<void> {
  const { count } = await db.revokedToken.createMany({ data: { id, expiresAt }, skipDuplicates: true });
  if (count === 0) throw invalidChallenge();
}

/** The bytes that a passkey signs for a challenge, in base64url. */
export const passkeyChallengeOf = ({ id }: Pick<Challenge, 'id'>): string =>
  createHash('sha256').update(`passkey ${id}`).digest('base64url');

const invalidChallenge = () =>
  new Failure('unauthenticated', 'invalid_challenge', 'This step has expired or was done already. Start again.');

/** A challenge that was given to somebody else. */
export const foreignChallenge = () =>
  new Failure('unauthenticated', 'invalid_challenge', 'This step belongs to somebody else. Start again.');
