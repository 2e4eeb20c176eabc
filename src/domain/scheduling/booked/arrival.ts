import { statement } from '../../../database/statements/statement.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { type AppointmentStatus, isOpenAppointment } from '../../values/appointment-status.ts';
import { lockAppointment } from '../appointment/appointment-lock.ts';
import type { StoredAppointment } from '../appointment/booking.sql.ts';
import { listCharts } from '../booking/booking.ts';
import { setStatus } from '../status/appointment-status.ts';
import { requireOpen } from './booked-appointments.ts';

/** Values: organization, appointment, the instant or null. */
const SET_CHECK_IN_START = statement<never>(
  'set_check_in_start',
  'UPDATE appointment SET check_in_started_at = $3::timestamptz, updated_at = now() WHERE organization_id = $1 AND id = $2',
);

/**
 * Notes that the desk has begun to check a patient in, who counts as arrived at the end of it. Asked for again, it is done already.
 * @throws Failure not_found; conflict for a visit without a patient, or that has begun or ended
 */
export async function startCheckIn(tx: Tx, id: number): Promise<void> {
  const visit = await lockBooked(tx, id);
  if (visit.status !== 'scheduled') throw conflict('checked_in', 'The patient is already checked in.');
  if (visit.checkInStartedAt === null) setCheckInStart(tx, visit, new Date());
}

/** The patient has arrived. Asked for again, it is done already. @throws Failure as startCheckIn */
export async function checkIn(tx: Tx, id: number): Promise<void> {
  const { status } = await lockBooked(tx, id);
  if (status === 'scheduled') await setStatus(tx, id, { status: 'arrived' });
}

/** Takes a check-in back, begun or done. @throws Failure as startCheckIn */
export async function cancelCheckIn(tx: Tx, id: number): Promise<void> {
  const visit = await lockBooked(tx, id);
  if (visit.checkInStartedAt !== null) setCheckInStart(tx, visit, null);
  if (visit.status !== 'scheduled') await setStatus(tx, id, { status: 'scheduled' });
}

/** The patient leaves. Asked for again, it is done already. @throws Failure as startCheckIn; conflict for a patient who is not checked in */
export async function checkOut(tx: Tx, id: number): Promise<void> {
  const { status } = await lockBooked(tx, id, ['checked_out', 'completed']);
  if (status === 'scheduled') throw conflict('not_checked_in', 'The patient is not checked in: check them in first.');
  if (isOpenAppointment(status)) await setStatus(tx, id, { status: 'checked_out' });
}

/** Locks a visit of a patient that is to come or goes on, or is in one of these statuses. */
export async function lockBooked(tx: Tx, id: number, also: readonly AppointmentStatus[] = []): Promise<StoredAppointment> {
  const visit = await lockAppointment(tx, id);
  if (visit === null) throw notFound('appointment');
  if (visit.patientId === null) throw conflict('no_patient', 'The appointment is open: it has no patient.');
  if (!also.includes(visit.status)) requireOpen(visit.status, 'it cannot be changed');
  return visit;
}

function setCheckInStart(tx: Tx, { id, patientId }: StoredAppointment, at: Date | null): void {
  tx.later(SET_CHECK_IN_START, [id, at]);
  recordChange(tx, 'update', { name: 'appointment.changed', id, changed: ['checkInStartedAt'], textsWait: false }, listCharts(patientId));
}
