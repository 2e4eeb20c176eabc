import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import type { AppointmentStatus } from '../../values/appointment-status.ts';
import { lockAppointment } from '../appointment/appointment-lock.ts';
import { findAppointment, recordPatientRead } from '../appointment/appointment-reader.ts';
import type { Appointment } from '../appointment/appointment-view.ts';
import { readChangeContext } from '../booking/appointment-input.ts';
import { changeLocked } from '../booking/appointments.ts';
import { cancelAppointment } from '../booking/cancellation.ts';

/** A status that somebody gives a visit, and the way in which its patient hears of a cancellation. */
export interface NewStatus {
  status: AppointmentStatus;
  reason?: string | null | undefined;
  notify?: VisitChangeNotice | null | undefined;
}

/**
 * Gives a visit a status, also a cancelled one, which is restored; the same status again changes nothing.
 * @throws Failure not_found; conflict for a status that cannot follow, a restored visit whose time was taken meanwhile, or whose patient has
 *   died
 */
export async function setStatus(tx: Tx, id: number, { status, reason, notify }: NewStatus): Promise<Appointment> {
  const [before, context] = await Promise.all([lockAppointment(tx, id), readChangeContext(tx, id, {})]);
  if (before === null) throw notFound('appointment');
  if (status !== 'cancelled') return changeLocked(tx, { before, context }, { status, reason });
  if (before.status !== 'cancelled') await cancelAppointment(tx, id, notify, reason);
  const cancelled = await findAppointment(tx, id, undefined, { cancelled: true });
  recordPatientRead(tx, cancelled);
  return cancelled;
}
