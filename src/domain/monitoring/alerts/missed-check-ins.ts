import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { statement } from '../../../database/statements/statement.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import type { NewAlert } from './new-alerts.ts';
import { raiseAlerts } from './raise-alerts.ts';

/** Values: organization, check-in. */
const CLOSE_MISSED_ALERT = statement<{ id: number; patientId: number }>(
  'close_missed_alert',
  `UPDATE monitoring_alert a
      SET state = 'closed', closed_at = now(), closed_note = 'The patient answered the check-in.', escalate_at = NULL
    WHERE a.organization_id = $1 AND a.check_in_id = $2 AND a.kind = 'missed_check_in' AND a.state <> 'closed'
RETURNING a.id, a.patient_id AS "patientId"`,
);

/** Check-ins whose time was over earlier alert nobody any more: of them a practice knows, and its first start would alert of them all. */
const MOST_DAYS_LATE = 7;

/**
 * Check-ins that nobody answered in the time that the patient's programs give, the shortest of them: of those that the patient was in
 * when the check-in was sent and is in now.
 * @param practice of the check-in `c`: a parameter, or its column for all practices
 */
const fromMissed = (practice: Prisma.Sql) => Prisma.sql`
    FROM check_in c
    JOIN patient p ON p.organization_id = c.organization_id AND p.id = c.patient_id AND p.status <> 'deleted' AND p.deceased_date IS NULL
   CROSS JOIN LATERAL (
     SELECT c.sent_at + make_interval(hours => min(g.missed_check_in_hours)) AS at
       FROM program_patient e
       JOIN program g ON g.organization_id = e.organization_id AND g.id = e.program_id
      WHERE e.organization_id = ${practice} AND e.patient_id = c.patient_id AND e.removed_at IS NULL AND e.added_at <= c.sent_at) AS due
   WHERE c.answered_at IS NULL AND c.sent_at > now() - make_interval(days => 30 + ${MOST_DAYS_LATE}::int)
     AND due.at <= now() AND due.at > now() - make_interval(days => ${MOST_DAYS_LATE}::int)
     AND NOT EXISTS (SELECT FROM monitoring_alert a
                      WHERE a.organization_id = ${practice} AND a.check_in_id = c.id AND a.kind = 'missed_check_in')`;

export async function listOrganizationsWithMissedCheckIns(db: Db): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT DISTINCT c.organization_id AS id ${fromMissed(Prisma.sql`c.organization_id`)} ${overAllPractices('the job looks for what is due')}`;
  return rows.map(({ id }) => id);
}

/** Missed check-ins of an organization that have no alert yet. A check-in that is being answered now is left out. */
export async function findMissedCheckIns(tx: PracticeTx, most: number): Promise<NewAlert[]> {
  const { organizationId } = tx;
  const found = await tx.prisma.$queryRaw<{ checkInId: number; patientId: number; occurredAt: Date }[]>`
    SELECT c.id AS "checkInId", c.patient_id AS "patientId", due.at AS "occurredAt" ${fromMissed(Prisma.sql`${organizationId}`)} AND c.organization_id = ${organizationId}
     ORDER BY due.at, c.id LIMIT ${most} FOR NO KEY UPDATE OF c SKIP LOCKED`;
  return found.map((one) => ({ ...one, kind: 'missed_check_in' }));
}

export async function raiseAlertsOfMissedCheckIns(tx: Tx, most: number): Promise<void> {
  await raiseAlerts(tx, await findMissedCheckIns(tx, most));
}

/** Closes the alert of a missed check-in, which was answered after all. Does nothing where it is closed. */
export async function closeMissedCheckIn(tx: Tx, checkInId: number): Promise<void> {
  for (const { id, patientId } of await tx.rows(CLOSE_MISSED_ALERT, [checkInId]))
    recordChange(tx, 'update', { name: 'monitoring_alert.closed', id, changed: ['state', 'closedAt', 'closedNote'] }, [patientId]);
}
