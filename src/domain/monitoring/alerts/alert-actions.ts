import { type MonitoringAlert, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { NewEvent } from '../../journal.ts';
import { acknowledgeInboxItem } from '../../messaging/inbox/inbox-actions.ts';
import type { Tx } from '../../tx.ts';
import { hasListedPatient } from '../care-team.ts';
import { withdrawTeamTexts } from './team-texts.ts';

/**
 * Records that somebody looks after an alert: nobody else is notified of it. Without effect where that was so already, without a note or
 * with the same one.
 * @throws Failure not_found; conflict where it is closed, or was acknowledged with another note
 */
export async function acknowledgeAlert(tx: Tx, id: number, note: string | null): Promise<void> {
  const alert = await lockAlert(tx, id);
  if (alert.state === 'closed') throw conflict('alert_closed', 'The alert is closed.');
  if (alert.state === 'acknowledged') {
    if (isSameNote(note, alert.acknowledgedNote)) return;
    throw conflict('alert_acknowledged', 'The alert is already acknowledged. Close it with a note of what was done.');
  }
  const acknowledged = { acknowledgedAt: new Date(), acknowledgedByUserId: tx.userId, acknowledgedNote: note };
  await tx.prisma.monitoringAlert.update({
    where: toKey(alert),
    data: { ...acknowledged, state: 'acknowledged', escalateAt: null },
    select: { id: true },
  });
  recordStep(tx, alert, 'acknowledged', acknowledgedFields(note));
  await acknowledgeConversations(tx, { ...alert, ids: [id] });
  await withdrawTeamTexts(tx);
}

/**
 * Closes an alert, acknowledged or not. Without effect where it is closed without a note or with the same one.
 * @throws Failure not_found; conflict where it was closed with another note
 */
export async function closeAlert(tx: Tx, id: number, note: string | null): Promise<void> {
  const alert = await lockAlert(tx, id);
  if (alert.state === 'closed') {
    if (isSameNote(note, alert.closedNote)) return;
    throw conflict('alert_closed', 'The alert was closed with another note.');
  }
  await close(tx, alert, { userId: tx.userId, note });
  await acknowledgeConversations(tx, { ...alert, ids: [id] });
  await withdrawTeamTexts(tx);
}

const isSameNote = (note: string | null, stored: string | null): boolean => note === null || note === stored;

async function close(
  tx: Tx,
  alert: MonitoringAlert,
  { userId: closedByUserId, note: closedNote }: { userId: number | null; note: string | null },
): Promise<void> {
  const closed = { state: 'closed', closedAt: new Date(), closedByUserId, closedNote, escalateAt: null };
  await tx.prisma.monitoringAlert.update({ where: toKey(alert), data: closed, select: { id: true } });
  recordStep(tx, alert, 'closed', ['state', 'closedAt', ...(closedNote === null ? [] : ['closedNote'])]);
}

/**
 * Acknowledges all open alerts of a patient at once, for who calls the patient about all of them.
 * @param upTo the newest alert that the caller has seen: those that were raised after it stay open
 * @throws Failure not_found, also for an alert of another patient
 */
export async function acknowledgeAlertsOfPatient(
  tx: Tx,
  { patientId, upTo, note }: { patientId: number; upTo: number; note: string | null },
): Promise<void> {
  const seen = await lockAlert(tx, upTo);
  if (seen.patientId !== patientId) throw notFound('alert');
  const ids = await acknowledgeOpen(tx, Prisma.sql`a.patient_id = ${patientId} AND a.id <= ${upTo}`, note);
  await acknowledgeConversations(tx, { ...tx.practice, patientId, ids });
  await withdrawTeamTexts(tx);
}

/** People who look after a conversation in the inbox know the alerts that it shows. */
export async function acknowledgeAlertsOfItem(tx: Tx, { id: inboxItemId }: NewEvent): Promise<void> {
  const ofItem = Prisma.sql`a.id IN (
    SELECT e.subject_id FROM inbox_entry e
     WHERE e.organization_id = ${tx.organizationId} AND e.inbox_item_id = ${inboxItemId} AND e.subject_type = 'monitoring_alert')`;
  const ids = await acknowledgeOpen(tx, ofItem, null);
  if (ids.length > 0) await withdrawTeamTexts(tx);
}

/** Acknowledges the open alerts `a` of a condition. @returns their ids */
async function acknowledgeOpen(tx: Tx, which: Prisma.Sql, note: string | null): Promise<number[]> {
  const { organizationId, userId } = tx;
  const alerts = await tx.prisma.$queryRaw<Pick<MonitoringAlert, 'id' | 'patientId'>[]>`
    UPDATE monitoring_alert a
       SET state = 'acknowledged', acknowledged_at = now(), acknowledged_by_user_id = ${userId}::int, acknowledged_note = ${note}::text,
           escalate_at = NULL
     WHERE a.organization_id = ${organizationId} AND a.state = 'open' AND ${which}
    RETURNING a.id, a.patient_id AS "patientId"`;
  const changed = acknowledgedFields(note);
  for (const alert of alerts) recordStep(tx, alert, 'acknowledged', changed);
  return alerts.map(({ id }) => id);
}

const acknowledgedFields = (note: string | null): string[] => ['state', 'acknowledgedAt', ...(note === null ? [] : ['acknowledgedNote'])];

/**
 * Acknowledges the conversations in the inbox that hold one of these alerts, where somebody looks after all of their alerts and nobody is being
 * notified of anything else in them.
 */
async function acknowledgeConversations(
  tx: Tx,
  { organizationId, ids, patientId }: { organizationId: number; ids: readonly number[]; patientId: number },
): Promise<void> {
  const items = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT i.id
      FROM inbox_item i
      JOIN inbox_entry e ON e.organization_id = i.organization_id AND e.inbox_item_id = i.id AND e.subject_type = 'monitoring_alert'
      JOIN monitoring_alert a ON a.organization_id = e.organization_id AND a.id = e.subject_id
     WHERE i.organization_id = ${organizationId} AND i.patient_id = ${patientId}
       AND i.closed_at IS NULL AND i.acknowledged_at IS NULL AND i.waiting_entry_id IS NULL
     GROUP BY i.id HAVING bool_or(a.id = ANY (${[...ids]}::bigint[])) AND NOT bool_or(a.state = 'open')
     ORDER BY i.id`;
  for (const item of items) await acknowledgeInboxItem(tx, item.id, undefined);
}

/**
 * Locks an alert, and before it the open conversations of its patient, in the order in which the inbox does.
 * @throws Failure not_found, also for an alert of a chart that is not listed
 */
async function lockAlert(tx: Tx, id: number): Promise<MonitoringAlert> {
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`
    SELECT i.id FROM monitoring_alert a JOIN inbox_item i ON i.organization_id = a.organization_id AND i.patient_id = a.patient_id
     WHERE a.organization_id = ${organizationId} AND a.id = ${id} AND i.closed_at IS NULL ORDER BY i.id FOR NO KEY UPDATE OF i`;
  await tx.prisma.$queryRaw`SELECT id FROM monitoring_alert WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const alert = await tx.prisma.monitoringAlert.findFirst({ where: { organizationId, id, ...hasListedPatient(tx) } });
  if (!alert) throw notFound('alert');
  return alert;
}

const toKey = ({ organizationId, id }: MonitoringAlert) => ({ organizationId_id: { organizationId, id } });

function recordStep(
  caller: Caller,
  { id, patientId }: Pick<MonitoringAlert, 'id' | 'patientId'>,
  step: 'acknowledged' | 'closed',
  changed: string[],
): void {
  recordChange(caller, 'update', { name: `monitoring_alert.${step}`, id, changed }, [patientId]);
}
