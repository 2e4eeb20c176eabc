import { maySeeChart, maySeeRestricted } from '../../caller.ts';
import { conflict, Failure, invalid, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { type AppointmentStatus, isOpenAppointment } from '../../values/appointment-status.ts';
import { type OffsetWindow, readPosition, startOfWindow } from '../../values/paging.ts';
import { lockAppointment } from '../appointment/appointment-lock.ts';
import type { StoredAppointment } from '../appointment/booking.sql.ts';
import { CHARTS_OF_BOOKING } from '../appointment/booking-context.sql.ts';
import type { ConfirmationAnswer } from '../appointment/confirmation.ts';
import { readChangeContext } from '../booking/appointment-input.ts';
import { changeAppointment, changeLocked } from '../booking/appointments.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { bookSlot } from '../booking/open-times.ts';
import { BY_START_NAME } from '../lists/appointment-list-queries.sql.ts';
import { setStatus } from '../status/appointment-status.ts';
import type { AppointmentRecord } from './appointment-records.sql.ts';
import { readAppointmentRecords } from './appointment-records.ts';
import { type BookedFilter, bookedPage } from './booked-appointments.sql.ts';

export interface BookedAppointments {
  appointments: AppointmentRecord[];
  /** On all pages. */
  total: number;
  /** The position of the last of the page where more follow. */
  end: string | null;
}

/** Dated appointments by start; also cancelled ones where the filter has them. Audited as a search. */
export async function listBookedAppointments(tx: Tx, filter: BookedFilter, page: OffsetWindow): Promise<BookedAppointments> {
  const scope = { ...tx.practice, mayRestricted: maySeeRestricted(tx) };
  const start = startOfWindow(page, BY_START_NAME);
  const [found] = await tx.prisma.$queryRaw<{ positions: string[]; total: number }[]>(bookedPage(scope, filter, start));
  const positions = found?.positions ?? [];
  const shown = positions.slice(0, page.limit);
  const ids = shown.map((position) => Number(readPosition(position)[2]));
  return {
    appointments: await readAppointmentRecords(tx, ids),
    total: found?.total ?? 0,
    end: positions.length > shown.length ? (shown.at(-1) ?? null) : null,
  };
}

/** One appointment with a date, also a cancelled one and one that lost it; audited. @throws Failure not_found */
export async function readBookedAppointment(tx: Tx, id: number): Promise<AppointmentRecord> {
  const [appointment] = await readAppointmentRecords(tx, [id]);
  if (!appointment) throw notFound('appointment');
  return appointment;
}

/** An appointment, and the patient who must be its own. */
export interface OfPatient {
  appointmentId: number;
  patientId: number;
}

/** The reason of a cancellation; the text is null without one. */
interface Cancellation {
  isNoShow: boolean;
  text: string | null;
}

/**
 * Cancels a patient's appointment, or notes that the patient did not come. One that was cancelled before, or missed, stays as it is.
 * @throws Failure not_found, naming `ofPatientId` for somebody else's; conflict for one whose patient has arrived
 */
export async function cancelForPatient(tx: Tx, of: OfPatient, { isNoShow, text }: Cancellation): Promise<void> {
  const { status } = await lockForPatient(tx, of);
  if (status === 'cancelled' || status === 'no_show') return;
  if (status !== 'scheduled') throw conflict('appointment_begun', `${REASONS[status]}: it cannot be cancelled.`);
  if (isNoShow) await setStatus(tx, of.appointmentId, { status: 'no_show', reason: text });
  else await cancelAppointment(tx, of.appointmentId, undefined, text);
}

/**
 * Records the answer that a patient gave. The same answer again changes nothing.
 * @throws Failure as cancelForPatient; conflict for an appointment that is not ahead any more
 */
export async function confirmForPatient(tx: Tx, of: OfPatient, confirmation: ConfirmationAnswer): Promise<void> {
  const { status } = await lockForPatient(tx, of);
  if (status !== 'scheduled') throw conflict('appointment_not_open', `${REASONS[status]}: it cannot be confirmed.`);
  await changeAppointment(tx, of.appointmentId, { confirmation });
}

/** @throws Failure conflict for an appointment that has ended. @param consequence of it */
export function requireOpen(status: AppointmentStatus, consequence: string): void {
  if (status !== 'scheduled' && !isOpenAppointment(status)) throw conflict('appointment_not_open', `${REASONS[status]}: ${consequence}.`);
}

/** For appointments that are not ahead any more. */
const REASONS: Readonly<Record<Exclude<AppointmentStatus, 'scheduled'>, string>> = {
  cancelled: 'The appointment was cancelled',
  no_show: 'The patient did not come',
  arrived: 'The patient has arrived',
  roomed: 'The patient is in the room',
  in_progress: 'The visit has begun',
  checked_out: 'The patient has left',
  completed: 'The appointment is over',
};

/** Where an appointment goes: to a time on its own clock, `YYYY-MM-DDTHH:MM:SS`, or to that of an open appointment or a slot. */
export type NewPlace = { date: string } | { appointmentId: number };

/**
 * Moves a patient's appointment to another time, where it keeps its id; or books an open appointment or a slot for its patient, with its
 * type, and cancels it. The open one keeps its time, department, provider, length and participants. Asked for again, it is done already.
 * @returns the id of the appointment that the patient has now
 * @throws Failure as cancelForPatient; not_found naming `newAppointmentId`; conflict for one that is taken; as changeAppointment
 */
export async function rescheduleForPatient(tx: Tx, of: OfPatient, to: NewPlace): Promise<number> {
  if (!('appointmentId' in to)) return moveForPatient(tx, of, to);
  // In the order of their ids, so that two who move in opposite directions do not wait for each other.
  if (to.appointmentId < of.appointmentId) await lockAppointment(tx, to.appointmentId);
  const before = await lockForPatient(tx, of);
  const open = await lockAppointment(tx, to.appointmentId);
  // After a move whose answer was lost, the patient has it already.
  const isDone = open !== null && before.patientId !== null && open.patientId === before.patientId && open.status !== 'cancelled';
  if (before.status === 'cancelled' && isDone) return open.id;
  requireScheduled(before);
  return bookInstead(tx, before, { id: to.appointmentId, open });
}

async function moveForPatient(tx: Tx, of: OfPatient, { date }: { date: string }): Promise<number> {
  const [before, context] = await Promise.all([lockForPatient(tx, of), readChangeContext(tx, of.appointmentId, { date })]);
  requireScheduled(before);
  return (await changeLocked(tx, { before, context }, { date })).id;
}

/** @throws Failure conflict for an appointment that is not ahead any more */
function requireScheduled({ status }: StoredAppointment): void {
  if (status !== 'scheduled') throw conflict('appointment_not_open', `${REASONS[status]}: it cannot be moved.`);
}

async function bookInstead(
  tx: Tx,
  { id: formerId, typeId, patientId }: StoredAppointment,
  { id, open }: { id: number; open: StoredAppointment | null },
): Promise<number> {
  if (id === formerId) throw invalid('newAppointmentId', 'must be another appointment, without a patient', 'same_appointment');
  if (open === null) {
    const booked = await bookSlot(tx, id, { patientId, typeId }, 'newAppointmentId');
    await cancelAppointment(tx, formerId, 'none');
    return booked;
  }
  if (open.startsAt === null || open.status === 'cancelled') throw notFound('appointment', 'newAppointmentId');
  if (open.status !== 'scheduled' || open.patientId !== null)
    throw conflict('appointment_taken', 'The appointment is already taken.', 'newAppointmentId');
  const input = { patientId, durationMinutes: open.durationMinutes, ...(typeId === null ? {} : { typeId }) };
  const context = await readChangeContext(tx, id, input);
  await changeLocked(tx, { before: open, context, insteadOf: formerId }, input);
  await cancelAppointment(tx, formerId, 'none');
  return id;
}

/**
 * Locks a patient's appointment, which may be of another chart of the same person.
 * @throws Failure not_found, also for one that never had a day; naming `ofPatientId` for a patient who is not there, or has not this appointment
 */
async function lockForPatient(tx: Tx, { appointmentId: id, patientId }: OfPatient): Promise<StoredAppointment> {
  const [appointment, charts] = await Promise.all([lockAppointment(tx, id), tx.rows(CHARTS_OF_BOOKING, [id, patientId])]);
  if (!appointment || (appointment.startsAt === null && appointment.undatedAt === null)) throw notFound('appointment');
  const shown = charts.filter((chart) => !chart.restricted || maySeeChart(tx, chart.id));
  const asked = shown.find((chart) => chart.id === patientId);
  if (!asked) throw notFound('patient', 'ofPatientId');
  const holder = shown.find((chart) => chart.id === appointment.patientId);
  if (holder?.person !== asked.person)
    throw new Failure('not_found', 'not_of_patient', 'The appointment is not this patient’s.', {
      issues: [{ field: 'ofPatientId', code: 'not_of_patient', message: 'The appointment is not this patient’s.' }],
    });
  return appointment;
}
