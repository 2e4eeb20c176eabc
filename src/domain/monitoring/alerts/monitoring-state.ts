import type { Tx } from '../../tx.ts';
import { isListedFor } from '../care-team.ts';

/** The content of the pages of monitoring, in numbers that change when it does. */
export interface MonitoringState {
  open: number;
  acknowledged: number;
  /** The newest alert that is not closed; 0 for none. */
  newest: number;
  /** Alerts about which the patient was, or is to be, texted. */
  texts: number;
  /** Check-ins that wait for a review, and when the last one was answered. */
  checkIns: number;
  lastAnswer: string | null;
}

/** Counts what waits for somebody, without charts that are not listed. */
export async function readMonitoringState(tx: Tx): Promise<MonitoringState> {
  const { organizationId } = tx;
  const [state] = await tx.prisma.$queryRaw<MonitoringState[]>`
    SELECT a.*, c.*
      FROM (SELECT (count(*) FILTER (WHERE a.state = 'open'))::int AS open, (count(*) FILTER (WHERE a.state = 'acknowledged'))::int AS acknowledged,
                   coalesce(max(a.id), 0)::float8 AS newest, (count(*) FILTER (WHERE a.patient_text_id IS NOT NULL OR a.patient_text_due))::int AS texts
              FROM monitoring_alert a JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id
             WHERE a.organization_id = ${organizationId} AND a.state <> 'closed' AND ${isListedFor(tx)}) AS a,
           (SELECT count(*)::int AS "checkIns", max(r.answered_at)::text AS "lastAnswer" FROM check_in r
             WHERE r.organization_id = ${organizationId} AND r.answered_at IS NOT NULL AND NOT r.reviewed) AS c`;
  if (!state) throw new Error('a count has no row');
  return state;
}
