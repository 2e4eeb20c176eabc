import { conflict, invalid } from '../../errors.ts';
import type { Tx } from '../../tx.ts';

/** The codes of a condition, one of which is there at least. */
interface Codes {
  /** ICD-10-CM code with its dot, such as `E11.9`. */
  icdCode: string | null;
  /** Number of the condition in the lexicon of an app. */
  icdLexCode: number | null;
}

/** A letter, a digit, a letter or digit; an optional dot; up to four letters or digits. */
const ICD_CODE = /^([A-Z]\d[A-Z\d])\.?([A-Z\d]{1,4})?$/;
export const ICD_CODE_MESSAGE = 'must be an ICD-10-CM code such as E11.9';

/** The code in capitals with its dot; null for a malformed one. */
export function readIcdCode(written: string): string | null {
  const [, category, rest] = ICD_CODE.exec(written.trim().toUpperCase()) ?? [];
  if (category === undefined || written.trim().endsWith('.')) return null;
  return rest === undefined ? category : `${category}.${rest}`;
}

/** A code that is absent stays as it is; null clears it. */
interface CodeChange {
  icdCode?: Codes['icdCode'] | undefined;
  icdLexCode?: Codes['icdLexCode'] | undefined;
}

/** @throws Failure invalid where a condition has no code */
export function requireCode({ icdCode, icdLexCode }: Codes): void {
  if (icdCode === null && icdLexCode === null) throw invalid('icdLexCode', 'is required if there is no ICD-10-CM code', 'missing');
}

/** The change with the code that goes: a new code in one list of codes ends the former one in the other. */
export function withBothCodes<C extends CodeChange>(before: Codes, input: C): C {
  const { icdCode, icdLexCode } = input;
  const isRenamed = (code: string | number | null | undefined, former: string | number | null) =>
    code !== undefined && code !== null && former !== null && code !== former;
  if (isRenamed(icdCode, before.icdCode) && icdLexCode === undefined) return { ...input, icdLexCode: null };
  return isRenamed(icdLexCode, before.icdLexCode) && icdCode === undefined ? { ...input, icdCode: null } : input;
}

interface PatientCodes extends Codes {
  /** The tracked condition that gets the codes; absent for a new one. */
  id?: number;
  patientId: number;
}

/**
 * Requires that no other tracked condition of the patient has one of the codes, and keeps it so until the end of the transaction.
 * @throws Failure conflict that names the condition
 */
export async function requireUntracked(tx: Tx, { id = 0, patientId, icdCode, icdLexCode }: PatientCodes): Promise<void> {
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`SELECT id FROM patient WHERE organization_id = ${organizationId} AND id = ${patientId} FOR NO KEY UPDATE`;
  const tracked = await tx.prisma.trackedCondition.findFirst({
    where: {
      organizationId,
      patientId,
      endedAt: null,
      id: { not: id },
      OR: [...(icdCode === null ? [] : [{ icdCode }]), ...(icdLexCode === null ? [] : [{ icdLexCode }])],
    },
    orderBy: { id: 'asc' },
    select: { id: true, icdCode: true },
  });
  if (!tracked) return;
  const field = icdCode !== null && tracked.icdCode === icdCode ? 'icdCode' : 'icdLexCode';
  throw conflict(
    'condition_tracked',
    `Tracked condition ${tracked.id} of the patient already has this code. Change or end that one.`,
    field,
  );
}
