import { Temporal } from 'temporal-polyfill';
import type { Tx } from '../../../tx.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';
import type { SupportedCode } from '../rules/cpt-codes.ts';

export interface ClaimProvider {
  id: number;
  firstName: string | null;
  lastName: string | null;
  npi: string | null;
}

/** The needs of a claim beside the codes, as they are known now. */
export interface ClaimFacts {
  patientId: number;
  /** `1954-05-02` */
  birthDate: string | null;
  /** Number of the chart in the system of the practice. */
  recordNumber: string | null;
  /** ICD-10-CM codes of the conditions that were tracked in the month. */
  diagnoses: string[];
  /** Of the newest tracked condition that names one, else the primary provider. */
  ordering: ClaimProvider | null;
  /** The primary provider, or the one who supervises a provider that does not bill. */
  billing: ClaimProvider | null;
  /** The patient's office. */
  place: { code: string | null; name: string } | null;
}

/** First and last day of the service of a code: those of its supply period, else of the calendar month. */
export function datesOfService({ period }: SupportedCode, { firstDay, endDay }: BillingPeriod): { from: string; to: string } {
  return {
    from: period?.from ?? firstDay,
    to: period?.to ?? Temporal.PlainDate.from(endDay).subtract({ days: 1 }).toString(),
  };
}

/** The facts of a claim for patients. Not audited. */
export async function findClaimFacts(tx: Tx, { span }: BillingPeriod, patientIds: readonly number[]): Promise<Map<number, ClaimFacts>> {
  const { organizationId } = tx;
  const [from, before] = [new Date(span.from), new Date(span.before)];
  const rows = await tx.prisma.$queryRaw<ClaimFacts[]>`
    SELECT p.id AS "patientId", p.birth_date::text AS "birthDate", p.medical_record_no AS "recordNumber", coalesce(c.codes, '{}') AS diagnoses,
           CASE WHEN o.id IS NOT NULL THEN json_build_object('id', o.id, 'firstName', o.first_name, 'lastName', o.last_name, 'npi', o.npi) END AS ordering,
           CASE WHEN b.id IS NOT NULL THEN json_build_object('id', b.id, 'firstName', b.first_name, 'lastName', b.last_name, 'npi', b.npi) END AS billing,
           CASE WHEN f.id IS NOT NULL THEN json_build_object('code', f.place_of_service_type_id, 'name', f.name) END AS place
      FROM patient p
      LEFT JOIN LATERAL (
        SELECT array_agg(DISTINCT t.icd_code) FILTER (WHERE t.icd_code IS NOT NULL) AS codes,
               (array_agg(t.provider_id ORDER BY t.created_at DESC) FILTER (WHERE t.provider_id IS NOT NULL))[1] AS provider_id
          FROM tracked_condition t
         WHERE t.organization_id = ${organizationId} AND t.patient_id = p.id AND t.created_at < ${before}
           AND (t.ended_at IS NULL OR t.ended_at >= ${from})) AS c ON true
      LEFT JOIN provider own ON own.organization_id = ${organizationId} AND own.id = p.primary_provider_id
      LEFT JOIN provider o ON o.organization_id = ${organizationId} AND o.id = coalesce(c.provider_id, own.id)
      LEFT JOIN provider b ON b.organization_id = ${organizationId}
            AND b.id = coalesce(CASE WHEN own.billable THEN own.id ELSE own.supervising_provider_id END, c.provider_id)
      LEFT JOIN office f ON f.organization_id = ${organizationId} AND f.id = p.primary_office_id
     WHERE p.organization_id = ${organizationId} AND p.id = ANY (${[...patientIds]}::int[])`;
  return new Map(rows.map((row) => [row.patientId, row]));
}
