import type { Tx } from '../../tx.ts';
import type { Severity } from '../alerts/new-alerts.sql.ts';
import { countPatientMonths } from '../monthly-billing/patient-months.ts';
import { readBillingPeriod } from '../monthly-billing/rules/billing-period.ts';

/** The urgency of a monitored patient, and how far the month is. */
export interface PatientRisk {
  /** Open alerts, and the gravest of them; null for none. */
  openAlerts: number;
  gravest: Severity | null;
  lastReadingAt: Date | null;
  /** Of the present month, as the ledger counts them. */
  minutes: number;
  days: number;
}

interface RiskRow extends Omit<PatientRisk, 'minutes' | 'days'> {
  id: number;
}

/** The risk of patients by their ids. Not audited: the list of the patients is. */
export async function findRisks(tx: Tx, ids: number[]): Promise<Map<number, PatientRisk>> {
  if (ids.length === 0) return new Map();
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<RiskRow[]>`
    SELECT p.id, a."openAlerts", a.gravest, r."lastReadingAt"
      FROM unnest(${ids}::int[]) AS p (id)
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS "openAlerts", (array_agg(a.severity ORDER BY a.gravity DESC))[1] AS gravest FROM monitoring_alert a
        WHERE a.organization_id = ${organizationId} AND a.patient_id = p.id AND a.state = 'open') AS a
     CROSS JOIN LATERAL (
       SELECT max(r.measured_at) AS "lastReadingAt" FROM reading r
        WHERE r.organization_id = ${organizationId} AND r.patient_id = p.id AND r.error_at IS NULL) AS r`;
  const months = await countPatientMonths(tx, await readBillingPeriod(tx), ids);
  return new Map(
    rows.map(({ id, ...risk }) => {
      const { minutes = 0, days = 0 } = months.get(id) ?? {};
      return [id, { ...risk, minutes, days }];
    }),
  );
}
