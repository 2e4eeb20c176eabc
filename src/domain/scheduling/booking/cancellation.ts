import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { lockAppointment } from '../appointment/appointment-lock.ts';
import { changesWith, recordStatus } from '../appointment/appointment-statuses.ts';
import { bookedValues, type StoredAppointment, UPDATE_APPOINTMENT } from '../appointment/booking.sql.ts';
import { TEXTS_WAIT } from '../appointment/booking-context.sql.ts';
import { warnOfNotice } from './appointment-warnings.ts';
import { listCharts } from './booking.ts';

/**
 * Cancels: gone from every list, kept for the history.
 * @param notify how the patient hears of it; unless given, as the practice has set
 * @param reason kept with the change of its status
 * @throws Failure not_found, also for one that was cancelled before; conflict for one that took place
 */
export async function cancelAppointment(tx: Tx, id: number, notify?: VisitChangeNotice | null, reason?: string | null): Promise<void> {
  const [before, [practice]] = await Promise.all([lockAppointment(tx, id), tx.rows(TEXTS_WAIT, [id])]);
  requireNotCancelled(before);
  const statusChanges = changesWith(tx, before, 'cancelled', reason);
  tx.later(UPDATE_APPOINTMENT, [id, ...bookedValues({ ...before, status: 'cancelled', cancelledAt: new Date() })]);
  recordStatus(tx, id, statusChanges);
  const { patientId, startsAt: startedAt } = before;
  const { textsWait = true, mayBeAwaited = true, changeNotice: usual = 'none', ruled = false } = practice ?? {};
  const notice = { asked: notify ?? null, usual, ruled, patientId, startedAt };
  recordChange(tx, 'cancel', { name: 'appointment.cancelled', id, textsWait, mayBeAwaited, notice }, listCharts(patientId));
  await warnOfNotice(tx, notify, patientId);
  // The audit of a chart shows its cancelled appointments too.
  if (patientId !== null)
    tx.journal.audits.push({ action: 'update', resource: 'patient', ids: [patientId], detail: `appointment ${id} cancelled` });
}

/** @throws Failure not_found, also for a cancelled one */
export function requireNotCancelled(appointment: StoredAppointment | null): asserts appointment is StoredAppointment {
  if (appointment === null || appointment.status === 'cancelled') throw notFound('appointment');
}
