import type { Tx } from '../../../tx.ts';
import type { ClosedTexts } from '../ledger/closed-documents.ts';

/** First key of the advisory lock of closings; the second one is the organization's id. */
const CLOSING_LOCK = 7_410_259;

/** Lets one closing or correction of a practice begin at a time. */
export async function lockClosings(tx: Tx): Promise<void> {
  await tx.prisma.$queryRaw`SELECT pg_advisory_xact_lock(${CLOSING_LOCK}::int, ${tx.organizationId}::int)::text`;
}

/** The month as a number, `202611`: events and audit rows name it by this. */
export const monthNumber = (month: string): number => Number(month.replace('-', ''));

interface NewCorrectedRow extends ClosedTexts {
  /** `2026-11` */
  month: string;
  patientId: number;
  version: number;
  reason: string;
  recordedAt: Date;
  recordedById: number | null;
}

export async function insertCorrectedRow(
  tx: Tx,
  { month, patientId, version, document, evidence, reason, recordedAt, recordedById }: NewCorrectedRow,
): Promise<void> {
  await tx.prisma.$executeRaw`
    INSERT INTO closed_ledger_row (organization_id, month, patient_id, version, document, hash, evidence, reason, recorded_by_id,
                                   recorded_at)
    VALUES (${tx.organizationId}, ${month}, ${patientId}, ${version}, ${document}, sha256(convert_to(${document}, 'UTF8')), ${evidence},
            ${reason}, ${recordedById}, ${recordedAt})`;
}
