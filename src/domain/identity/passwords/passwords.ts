import { randomBytes } from 'node:crypto';
import type { Db } from '../../../database/database.ts';
import { conflict } from '../../errors.ts';
import { hashSecret, normalizePassword } from '../secrets.ts';

/** The Argon2id hash of a password, in the form in which sign-in checks it. @throws Failure unavailable when too many others are queued */
export const hashPassword = (password: string): Promise<string> => hashSecret(normalizePassword(password));

const encode = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');

/** The hash of no password: checking against it takes as long as against any, and fails. For a user who has not set one yet. */
export const unusableHash = (): string => `$argon2id$v=19$m=19456,t=2,p=1$${encode(16)}$${encode(32)}`;

export async function storePassword(
  db: Db,
  { organizationId, userId }: { organizationId: number; userId: number },
  passwordHash: string,
): Promise<void> {
  await db.signIn.updateMany({ where: { organizationId, userId }, data: { passwordHash } });
}

/**
 * Refuses to check a password of somebody who has none: their mail address may be that with which somebody else signs in.
 * @throws Failure conflict `no_password`
 */
export async function requireOwnPassword(db: Db, owner: { organizationId: number; userId: number }): Promise<void> {
  if (!(await hasPassword(db, owner))) throw conflict('no_password', 'You have no password here, since you sign in with single sign-on.');
}

/** Whether a user signs in with a password. Somebody made by single sign-on has none. */
export const hasPassword = async (db: Db, { organizationId, userId }: { organizationId: number; userId: number }): Promise<boolean> =>
  (await db.signIn.findFirst({ where: { organizationId, userId }, select: { email: true } })) !== null;
