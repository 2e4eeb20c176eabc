import type { Tx } from '../../../tx.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';

/** Time that a patient and one host spent in a video session together. */
export interface VisitRow {
  patientId: number;
  sessionId: number;
  userId: number;
  from: Date;
  before: Date;
  /** Whether the host was on the patient's care team: then, by a condition or as a member of a program; or now, as the primary provider. */
  onCareTeam: boolean;
}

/**
 * Time in the month that each patient and each host were in a room together, by time. Somebody who is still there, or whose
 * connection was lost, was there until the last heartbeat.
 */
export function findVisitRows(tx: Tx, { span }: BillingPeriod, patientIds: number[]): Promise<VisitRow[]> {
  const { organizationId } = tx;
  const [from, before] = [new Date(span.from), new Date(span.before)];
  return tx.prisma.$queryRaw<VisitRow[]>`
    SELECT g.patient_id AS "patientId", g.video_session_id AS "sessionId", h.user_id AS "userId",
           greatest(g.joined_at, h.joined_at) AS "from", least(g.ended_at, h.ended_at) AS before,
           EXISTS (SELECT FROM tracked_condition t WHERE t.organization_id = ${organizationId} AND t.patient_id = g.patient_id
                      AND t.user_id = h.user_id AND t.created_at < least(g.ended_at, h.ended_at)
                      AND (t.ended_at IS NULL OR t.ended_at > greatest(g.joined_at, h.joined_at)))
           OR EXISTS (SELECT FROM patient p JOIN provider v ON v.organization_id = p.organization_id AND v.id = p.primary_provider_id
                       WHERE p.organization_id = ${organizationId} AND p.id = g.patient_id AND v.user_id = h.user_id)
           OR EXISTS (SELECT FROM program_patient e
                        JOIN program_member m ON m.organization_id = e.organization_id AND m.program_id = e.program_id
                       WHERE e.organization_id = ${organizationId} AND e.patient_id = g.patient_id AND m.user_id = h.user_id
                         AND e.added_at < least(g.ended_at, h.ended_at)
                         AND (e.removed_at IS NULL OR e.removed_at > greatest(g.joined_at, h.joined_at))
                         AND m.added_at < least(g.ended_at, h.ended_at)
                         AND (m.removed_at IS NULL OR m.removed_at > greatest(g.joined_at, h.joined_at))) AS "onCareTeam"
      FROM (SELECT patient_id, video_session_id, joined_at, coalesce(left_at, last_seen_at) AS ended_at FROM session_participant
             WHERE organization_id = ${organizationId} AND patient_id = ANY (${patientIds}::int[]) AND role = 'guest'
               AND joined_at < ${before} AND coalesce(left_at, last_seen_at) > ${from}) g
      JOIN LATERAL (SELECT user_id, joined_at, coalesce(left_at, last_seen_at) AS ended_at FROM session_participant
             WHERE organization_id = ${organizationId} AND video_session_id = g.video_session_id AND role = 'host'
               AND user_id IS NOT NULL AND joined_at < g.ended_at AND coalesce(left_at, last_seen_at) > g.joined_at) h ON true
     WHERE least(g.ended_at, h.ended_at) > greatest(g.joined_at, h.joined_at, ${from}::timestamptz)
     ORDER BY 4, g.video_session_id, h.user_id`;
}
