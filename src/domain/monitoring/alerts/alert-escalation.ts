import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { listActiveAdmins } from '../../identity/rights/active-admins.ts';
import { notifyOfEach } from '../../notifications/notifications.ts';
import type { Tx } from '../../tx.ts';
import type { RowKey } from '../../values/row-key.ts';
import { type AlertedUser, findCareTeams } from './alert-team.ts';
import { ESCALATION_MINUTES, type Severity } from './new-alerts.sql.ts';
import { ALERT } from './notify-teams.ts';
import { textTeam } from './team-texts.ts';

/** Times that people are notified again of a danger that nobody acknowledges. */
const MOST_ESCALATIONS = 12;

/** Alerts that nobody has acknowledged within the period of their program, the longest due first. */
export function listDueAlerts(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT organization_id AS "organizationId", id FROM monitoring_alert a WHERE escalate_at <= now()
     ORDER BY escalate_at LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
}

interface LockedAlert {
  patientId: number;
  severity: Severity;
  /** Steps that were made before. */
  escalations: number;
}

/**
 * The next step of an alert that is due: first the admins who were not notified yet; then, of a danger, everybody again. An alert that
 * another process has locked, or that was acknowledged or closed meanwhile, is left alone.
 */
export async function escalateAlert(tx: Tx, id: number): Promise<void> {
  const [due] = await tx.prisma.$queryRaw<LockedAlert[]>`
    SELECT patient_id AS "patientId", severity, escalations FROM monitoring_alert
     WHERE organization_id = ${tx.organizationId} AND id = ${id} AND escalate_at <= now() FOR NO KEY UPDATE SKIP LOCKED`;
  if (!due) return;
  const { patientId, severity } = due;
  const step = due.escalations + 1;
  const users = await findNext(tx, id, due);
  const recipients = users.map((user) => ({ ...user, subjectId: id, severity }));
  await notifyOfEach(tx, { kind: 'monitoring_alert.escalated', subjectType: ALERT, occasion: step, recipients });
  await textTeam(tx, recipients, { oncePerRun: true });
  await planNext(tx, id, { step, goesOn: severity === 'danger' && step < MOST_ESCALATIONS });
  if (users.length === 0) return;
  recordChange(tx, 'update', { name: 'monitoring_alert.escalated', id, changed: ['escalations', 'escalateAt'] }, [patientId]);
}

/** Users to notify now: admins who know nothing of the alert yet, else of a danger everybody. */
async function findNext(tx: Tx, id: number, { patientId, severity }: LockedAlert): Promise<AlertedUser[]> {
  const admins = await listActiveAdmins(tx);
  const notified = await tx.prisma.notification.findMany({
    where: { ...tx.practice, subjectType: ALERT, subjectId: id, userId: { in: admins } },
    distinct: ['userId'],
    select: { userId: true },
  });
  const known = new Set(notified.map(({ userId }) => userId));
  const unaware = admins.filter((userId) => !known.has(userId)).map((userId) => ({ userId, texts: false }));
  if (unaware.length > 0 || severity !== 'danger') return unaware;
  const team = (await findCareTeams(tx, [patientId])).get(patientId) ?? [];
  const others = admins.filter((userId) => !team.some((one) => one.userId === userId));
  return [...team, ...others.map((userId) => ({ userId, texts: false }))];
}

/** The next step is one period of the patient's programs from now, the shortest of them. */
async function planNext(tx: Tx, id: number, { step, goesOn }: { step: number; goesOn: boolean }): Promise<void> {
  const { organizationId } = tx;
  const [alert] = await tx.prisma.$queryRaw<{ next: Date | null }[]>`
    SELECT CASE WHEN ${goesOn}::boolean THEN now() + make_interval(mins => coalesce((
             SELECT min(g.alert_escalation_minutes) FROM program g
              WHERE g.organization_id = ${organizationId} AND g.id = ANY (a.program_ids)), ${ESCALATION_MINUTES}::int)) END AS next
      FROM monitoring_alert a WHERE a.organization_id = ${organizationId} AND a.id = ${id}`;
  await tx.prisma.$executeRaw`
    UPDATE monitoring_alert SET escalations = ${step}::int, escalate_at = ${alert?.next ?? null}::timestamptz
     WHERE organization_id = ${organizationId} AND id = ${id}`;
}
