import type { Tx } from '../../tx.ts';
import { isOnCareTeam } from '../care-team.ts';

export interface AlertedUser {
  userId: number;
  /** They want a text too, for a program that the patient is in. */
  texts: boolean;
}

/**
 * The active users on the care teams of patients, by patient: members of the programs that the patient is in, and those whom the chart
 * names. A patient without any has the admins of the practice.
 */
export async function findCareTeams(tx: Tx, patientIds: readonly number[]): Promise<Map<number, AlertedUser[]>> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<(AlertedUser & { patientId: number })[]>`
    WITH patients AS (
      SELECT p.id, p.primary_provider_id FROM patient p
       WHERE p.organization_id = ${organizationId} AND p.id = ANY (${[...new Set(patientIds)]}::int[])
    ), members AS (
      SELECT p.id AS patient_id, m.user_id, bool_or(m.text_alerts) AS texts
        FROM patients p
        JOIN program_patient e ON e.organization_id = ${organizationId} AND e.patient_id = p.id AND e.removed_at IS NULL
        JOIN program_member m ON m.organization_id = e.organization_id AND m.program_id = e.program_id AND m.removed_at IS NULL
       GROUP BY p.id, m.user_id
    ), team AS (
      SELECT p.id AS patient_id, u.id AS user_id, coalesce(m.texts, false) AS texts
        FROM patients p
        JOIN "user" u ON u.organization_id = ${organizationId} AND u.active AND u.type <> 'interface'
        LEFT JOIN members m ON m.patient_id = p.id AND m.user_id = u.id
       WHERE m.user_id IS NOT NULL OR ${isOnCareTeam(tx)}
    )
    SELECT patient_id AS "patientId", user_id AS "userId", texts FROM team
     UNION ALL
    SELECT p.id, u.id, false FROM patients p
      JOIN "user" u ON u.organization_id = ${organizationId} AND u.active AND u.type = 'admin'
     WHERE NOT EXISTS (SELECT FROM team t WHERE t.patient_id = p.id)
     ORDER BY 1, 2`;
  return Map.groupBy(rows, ({ patientId }) => patientId);
}
