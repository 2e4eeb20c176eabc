import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
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
export async function cancelAppointment(
  db: Db,
  caller: Caller,
  id: number,
  notify?: VisitChangeNotice | null,
  reason?: string | null,
): Promise<void> {
  const { organizationId } = caller;
  const [before, [practice]] = await Promise.all([lockAppointment(db, caller, id), preparedIn(db).rows(TEXTS_WAIT, [organizationId, id])]);
  requireNotCancelled(before);
  const statusChanges = changesWith(caller, before, 'cancelled', reason);
  sendLater(db, UPDATE_APPOINTMENT, [organizationId, id, ...bookedValues({ ...before, status: 'cancelled', cancelledAt: new Date() })]);
  recordStatus(db, caller, id, statusChanges);
  const { patientId, startsAt: startedAt } = before;
  const { textsWait = true, mayBeAwaited = true, changeNotice: usual = 'none', ruled = false } = practice ?? {};
  const notice = { asked: notify ?? null, usual, ruled, patientId, startedAt };
  recordChange(caller, 'cancel', { name: 'appointment.cancelled', id, textsWait, mayBeAwaited, notice }, listCharts(patientId));
  await warnOfNotice(db, caller, notify, patientId);
  // The audit of a chart shows its cancelled appointments too.
  if (patientId !== null)
    caller.journal.audits.push({ action: 'update', resource: 'patient', ids: [patientId], detail: `appointment ${id} cancelled` });
}

/** @throws Failure not_found, also for a cancelled one */
export function requireNotCancelled(appointment: StoredAppointment | null): asserts appointment is StoredAppointment {
  if (appointment === null || appointment.status === 'cancelled') throw notFound('appointment');
}
