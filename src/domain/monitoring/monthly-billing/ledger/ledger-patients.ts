import type { NamedPatient } from '../../../patients/shared-numbers.sql.ts';
import type { Tx } from '../../../tx.ts';
import type { PageRequest } from '../../../values/paging.ts';
import { isListedFor } from '../../care-team.ts';
import { MAX_REVIEW_MS } from '../evidence/evidence-rows.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';

/** More rows than a practice has patients, for whole months. */
export const WHOLE_MONTH: PageRequest = { page: 1, limit: 100_000 };

interface ListedRow extends NamedPatient {
  total: number;
}

/**
 * Patients with readings or reviews in a month, who were in a program then, or who have a row in the closed month; by id. Without
 * charts that are not listed.
 */
export function listPatients(
  tx: Tx,
  { month, span, readingsFrom, endDay }: BillingPeriod,
  patientId: number | null,
  { page, limit }: PageRequest,
): Promise<ListedRow[]> {
  const { organizationId } = tx;
  const [from, before] = [new Date(span.from), new Date(span.before)];
  const earliest = new Date(span.from - MAX_REVIEW_MS);
  return tx.prisma.$queryRaw<ListedRow[]>`
    WITH cared AS (
      SELECT patient_id FROM check_in_review WHERE organization_id = ${organizationId} AND deleted_at IS NULL
         AND started_at > ${earliest} AND started_at < ${before}
         AND started_at + make_interval(mins => minutes) > ${from}
      UNION SELECT patient_id FROM reading
       WHERE organization_id = ${organizationId} AND measured_on >= ${readingsFrom}::date AND measured_on < ${endDay}::date
      UNION SELECT patient_id FROM program_patient
       WHERE organization_id = ${organizationId} AND added_at < ${before} AND (removed_at IS NULL OR removed_at > ${from})
      UNION SELECT patient_id FROM closed_ledger_row WHERE organization_id = ${organizationId} AND month = ${month}
    ), listed AS (
      SELECT p.id, p.first_name AS "firstName", p.last_name AS "lastName"
        FROM patient p JOIN cared ON cared.patient_id = p.id
       WHERE p.organization_id = ${organizationId} AND (${patientId}::int IS NULL OR p.id = ${patientId}::int) AND ${isListedFor(tx)}
    )
    SELECT listed.*, count(*) OVER ()::int AS total FROM listed ORDER BY id LIMIT ${limit} OFFSET ${(page - 1) * limit}`;
}

/** Patients by their ids, in the order of these. */
export const findLedgerPatients = (tx: Tx, ids: number[]): Promise<NamedPatient[]> =>
  tx.prisma.patient.findMany({
    where: { ...tx.practice, id: { in: ids } },
    select: { id: true, firstName: true, lastName: true },
    orderBy: { id: 'asc' },
  });

/** Counts the patients for a page after the last one, which has no row with the total. */
export async function countPatients(tx: Tx, period: BillingPeriod, patientId: number | null, { page }: PageRequest): Promise<number> {
  if (page === 1) return 0;
  const [first] = await listPatients(tx, period, patientId, { page: 1, limit: 1 });
  return first?.total ?? 0;
}
