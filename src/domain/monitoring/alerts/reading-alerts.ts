import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { closeAlert } from './alert-actions.ts';

/** By it an alert is known that was closed with its reading. */
const NOTE = 'The reading was entered in error.';

/** Closes the alert of a reading that was entered in error, if one is open; the patient is not texted about it any more. */
export async function closeAlertOfReading(db: Db, caller: Caller, readingId: number): Promise<void> {
  const { organizationId } = caller;
  const alert = await db.monitoringAlert.findFirst({
    where: { organizationId, readingId, state: { not: 'closed' } },
    select: { id: true, patientTextDue: true },
  });
  if (!alert) return;
  await closeAlert(db, caller, alert.id, NOTE);
  if (!alert.patientTextDue) return;
  const data = { patientTextDue: false, patientTextReason: 'entered_in_error' };
  await db.monitoringAlert.update({ where: { organizationId_id: { organizationId, id: alert.id } }, data, select: { id: true } });
}

/** Opens the alert again that was closed so; nobody is notified of it a second time. */
export async function reopenAlertOfReading(db: Db, caller: Caller, readingId: number): Promise<void> {
  const { organizationId } = caller;
  const alert = await db.monitoringAlert.findFirst({
    where: { organizationId, readingId, state: 'closed', closedNote: NOTE },
    select: { id: true, patientId: true, acknowledgedAt: true },
  });
  if (!alert) return;
  const state = alert.acknowledgedAt === null ? 'open' : 'acknowledged';
  await db.monitoringAlert.update({
    where: { organizationId_id: { organizationId, id: alert.id } },
    data: { state, closedAt: null, closedByUserId: null, closedNote: null },
    select: { id: true },
  });
  recordChange(caller, 'update', { name: 'monitoring_alert.opened', id: alert.id }, [alert.patientId]);
}
