import { type LegalHold, Prisma } from '../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../audit/journal-entries.ts';
import { notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { IS_SAME_PERSON } from './charts-of-person.ts';

export type { LegalHold };

/**
 * Keeps everything about a patient, or about the whole practice, until the hold is lifted.
 * @param patientId null for the practice
 * @throws Failure not_found
 */
export async function placeHold(tx: Tx, patientId: number | null, reason: string): Promise<LegalHold> {
  if (patientId !== null && !(await tx.prisma.patient.findUnique({ where: tx.key(patientId) }))) throw notFound('patient');
  const hold = await tx.prisma.legalHold.create({ data: { ...tx.practice, patientId, reason } });
  recordChange(tx, 'administer', { name: 'legal_hold.placed', id: hold.id }, toPatientIds(hold));
  return hold;
}

/** Lifts a hold; it stays on record. @throws Failure not_found, also where it is lifted already */
export async function liftHold(tx: Tx, id: number): Promise<LegalHold> {
  const { count } = await tx.prisma.legalHold.updateMany({ where: { ...tx.practice, id, liftedAt: null }, data: { liftedAt: new Date() } });
  if (count === 0) throw notFound('legal hold');
  const hold = await tx.prisma.legalHold.findUniqueOrThrow({ where: tx.key(id) });
  recordChange(tx, 'administer', { name: 'legal_hold.lifted', id, changed: ['liftedAt'] }, toPatientIds(hold));
  return hold;
}

/** The holds of a practice, lifted ones too, newest first. */
export function listHolds(tx: Tx): Promise<LegalHold[]> {
  return tx.prisma.legalHold.findMany({ where: tx.practice, orderBy: { id: 'desc' } });
}

/** Those of a practice whose records are held. */
export interface Held {
  /** All of the practice. */
  practice: boolean;
  /** All charts of the people who are held. */
  charts: number[];
  /** The telephone numbers of those charts. */
  numbers: string[];
}

/** The holds in force. */
export async function readHeld(tx: PracticeTx): Promise<Held> {
  const rows = await tx.prisma.$queryRaw<{ id: number | null; numbers: string[] }[]>`
    SELECT p.id, array_remove(ARRAY[p.mobile_phone, p.home_phone, p.work_phone], NULL) AS numbers
      FROM legal_hold h
      LEFT JOIN patient one ON one.organization_id = h.organization_id AND one.id = h.patient_id
      LEFT JOIN patient p ON p.organization_id = h.organization_id AND ${Prisma.raw(IS_SAME_PERSON)}
     WHERE h.organization_id = ${tx.organizationId} AND h.lifted_at IS NULL`;
  return {
    practice: rows.some(({ id }) => id === null),
    charts: rows.flatMap(({ id }) => id ?? []),
    numbers: rows.flatMap(({ numbers }) => numbers),
  };
}
