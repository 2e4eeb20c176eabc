import type { Tx } from '../../../tx.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';
import { CPT_CODE_RULES } from '../rules/cpt-code-rules.ts';
import type { JoinedEpisode } from './episodes.ts';
import { episodeDays } from './judge-evidence.ts';

export interface ClosedSetUp {
  patientId: number;
  /** `2026-11` */
  month: string;
  /** 99453 or 98975. */
  code: string;
}

const SETUP_CODES = CPT_CODE_RULES.filter(({ part }) => part === 'setup').map(({ code }) => code);

/** The set-ups that other months bill since they were closed or corrected, one row for each, by month. */
export function findClosedSetUps(tx: Tx, { month }: BillingPeriod, patientIds: number[]): Promise<ClosedSetUp[]> {
  const { organizationId } = tx;
  return tx.prisma.$queryRaw<ClosedSetUp[]>`
    SELECT r.patient_id AS "patientId", r.month, c.code ->> 'code' AS code
      FROM closed_ledger_row r CROSS JOIN LATERAL jsonb_array_elements(r.document::jsonb -> 'row' -> 'codes') AS c (code)
     WHERE r.organization_id = ${organizationId} AND r.patient_id = ANY (${patientIds}::int[]) AND r.month <> ${month}
       AND NOT EXISTS (SELECT FROM closed_ledger_row n
                        WHERE n.organization_id = ${organizationId} AND n.month = r.month AND n.patient_id = r.patient_id
                          AND n.version > r.version)
       AND c.code ->> 'code' = ANY (${SETUP_CODES}::text[])
     ORDER BY r.month`;
}

/** The episodes whose set-up no closed month bills: of those that reach into such a month, the first is the one that it billed. */
export function withoutClosedSetUps(
  episodes: readonly JoinedEpisode[],
  closed: readonly ClosedSetUp[],
  { timeZone }: BillingPeriod,
): JoinedEpisode[] {
  const left = [...episodes];
  for (const { month } of closed) {
    const billed = left.findIndex((episode) => {
      const { from, to } = episodeDays(episode, timeZone);
      return from.slice(0, 7) <= month && (to === null || to.slice(0, 7) >= month);
    });
    if (billed >= 0) left.splice(billed, 1);
  }
  return left;
}
