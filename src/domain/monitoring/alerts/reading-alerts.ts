import { recordChange } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';
import { closeAlert } from './alert-actions.ts';

/** By it an alert is known that was closed with its reading. */
const NOTE = 'The reading was entered in error.';

/** Closes the alert of a reading that was entered in error, if one is open; the patient is not texted about it any more. */
export async function closeAlertOfReading(tx: Tx, readingId: number): Promise<void> {
  const alert = await tx.prisma.monitoringAlert.findFirst({
    where: { ...tx.practice, readingId, state: { not: 'closed' } },
    select: { id: true, patientTextDue: true },
  });
  if (!alert) return;
  await closeAlert(tx, alert.id, NOTE);
  if (!alert.patientTextDue) return;
  const data = { patientTextDue: false, patientTextReason: 'entered_in_error' };
  await tx.prisma.monitoringAlert.update({ where: tx.key(alert.id), data, select: { id: true } });
}

/** Opens the alert again that was closed so; nobody is notified of it a second time. */
export async function reopenAlertOfReading(tx: Tx, readingId: number): Promise<void> {
  const alert = await tx.prisma.monitoringAlert.findFirst({
    where: { ...tx.practice, readingId, state: 'closed', closedNote: NOTE },
    select: { id: true, patientId: true, acknowledgedAt: true },
  });
  if (!alert) return;
  const state = alert.acknowledgedAt === null ? 'open' : 'acknowledged';
  await tx.prisma.monitoringAlert.update({
    where: tx.key(alert.id),
    data: { state, closedAt: null, closedByUserId: null, closedNote: null },
    select: { id: true },
  });
  recordChange(tx, 'update', { name: 'monitoring_alert.opened', id: alert.id }, [alert.patientId]);
}
