import { randomInt } from 'node:crypto';
import type { Db } from '../../../database/database.ts';
import type { Tx } from '../../tx.ts';
import { asSeen } from '../../values/same-text.ts';
import { hashToken } from '../secrets.ts';
import { type FactorOwner, listSecondFactors, recordFactorChange } from './second-factors.ts';

const CODES = 10;
/** Letters and digits that cannot be taken for each other: 24 of them are 118 bits, beyond guessing also for who has the hash. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const LETTERS = 24;

/**
 * Gives a user ten new recovery codes; earlier ones stop working.
 * @returns the codes, in groups of four letters; shown once, and stored as hashes
 */
export async function replaceRecoveryCodes(tx: Tx, owner: FactorOwner): Promise<string[]> {
  const { organizationId, userId } = owner;
  const codes = Array.from({ length: CODES }, newCode);
  await tx.prisma.recoveryCode.deleteMany({ where: { organizationId, userId } });
  await tx.prisma.recoveryCode.createMany({ data: codes.map((code) => ({ organizationId, userId, hash: hashRecoveryCode(owner, code) })) });
  recordFactorChange(tx, owner, 'recovery codes made');
  return codes;
}

/** Recovery codes beside a user's first factor; null beside a further one. */
export async function codesWithFirstFactor(tx: Tx, owner: FactorOwner): Promise<string[] | null> {
  return (await listSecondFactors(tx.prisma, owner)).length === 1 ? replaceRecoveryCodes(tx, owner) : null;
}

/** Uses a code up. @returns false for one that is unknown, another user's, or was used */
export async function useRecoveryCode(db: Db, owner: FactorOwner, code: string): Promise<boolean> {
  const { organizationId, userId } = owner;
  const { count } = await db.recoveryCode.updateMany({
    where: { organizationId, userId, hash: hashRecoveryCode(owner, code), usedAt: null },
    data: { usedAt: new Date() },
  });
  return count === 1;
}

const newCode = (): string =>
  Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)] ?? '')
    .join('')
    .replaceAll(/(.{4})(?=.)/g, '$1-');

/** People type a code with or without its hyphens, and in capitals. */
const hashRecoveryCode = ({ userId }: FactorOwner, code: string) =>
  hashToken(
    `recovery ${userId} ${asSeen(code)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')}`,
  );
