import type { Db } from '../../database/database.ts';
import { preparedIn } from '../../database/statement.ts';
import { type Caller, maySeeRestricted } from '../caller.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { findPatient } from '../patients/find-patient.ts';
import { lockAppointment } from './appointment-lock.ts';
import type { AppointmentRecord } from './appointment-records.sql.ts';
import { readAppointmentRecords } from './appointment-records.ts';
import { cancelAppointment, changeAppointment } from './appointments.ts';
import { type BookedFilter, bookedPage } from './booked-appointments.sql.ts';

export interface BookedAppointments {
  appointments: AppointmentRecord[];
  /** On all pages. */
  total: number;
}

/** Dated appointments by start; also cancelled ones where the filter has them. Audited as a search. */
export async function listBookedAppointments(
  db: Db,
  caller: Caller,
  filter: BookedFilter,
  page: { limit: number; offset: number },
): Promise<BookedAppointments> {
  const scope = { organizationId: caller.organizationId, mayRestricted: maySeeRestricted(caller) };
  const [found] = await db.$queryRaw<{ ids: number[]; total: number }[]>(bookedPage(scope, filter, page));
  const { ids, total } = found ?? { ids: [], total: 0 };
  return { appointments: await readAppointmentRecords(preparedIn(db), caller, ids.map(Number)), total };
}

/** One appointment with a date, also a cancelled one; audited. @throws Failure not_found */
export async function readBookedAppointment(db: Db, caller: Caller, id: number): Promise<AppointmentRecord> {
  const [appointment] = await readAppointmentRecords(preparedIn(db), caller, [id]);
  if (!appointment) throw notFound('appointment');
  return appointment;
}

/** An appointment, and the patient who must be its own. */
export interface OfPatient {
  appointmentId: number;
  patientId: number;
}

/**
 * Cancels a patient's appointment. One that was cancelled before, or missed, stays as it is.
 * @throws Failure not_found, naming `ofPatientId` for somebody else's; conflict for one whose patient has arrived
 */
export async function cancelForPatient(db: Db, caller: Caller, of: OfPatient): Promise<void> {
  const status = await lockForPatient(db, caller, of);
  if (status === 'cancelled' || status === 'no_show') return;
  if (status !== 'scheduled')
    throw conflict('appointment_begun', 'The patient has arrived, or the appointment is over: it cannot be cancelled.');
  await cancelAppointment(db, caller, of.appointmentId);
}

/** Where an appointment goes: to a time on its own clock, `YYYY-MM-DDTHH:MM:SS`, or to the slot of an open appointment. */
export type NewPlace = { date: string } | { appointmentId: number };

/**
 * Moves a patient's appointment to another time, where it keeps its id; or books an open appointment for its patient, with its type, and
 * cancels it. The open one keeps its time, department, provider, length and participants.
 * @returns the id of the appointment that the patient has now
 * @throws Failure as cancelForPatient; not_found naming `newAppointmentId`; conflict for one that is taken; as changeAppointment
 */
export async function rescheduleForPatient(db: Db, caller: Caller, of: OfPatient, to: NewPlace): Promise<number> {
  const other = 'appointmentId' in to ? to.appointmentId : null;
  // In the order of their ids, so that two who move in opposite directions do not wait for each other.
  if (other !== null && other < of.appointmentId) await lockAppointment(db, caller, other);
  const status = await lockForPatient(db, caller, of);
  if (status !== 'scheduled')
    throw conflict('appointment_not_open', 'The appointment was cancelled, or its patient has arrived: it cannot be moved.');
  if (!('appointmentId' in to)) return (await changeAppointment(db, caller, of.appointmentId, { date: to.date })).id;
  return bookInstead(db, caller, of, to.appointmentId);
}

async function bookInstead(db: Db, caller: Caller, { appointmentId, patientId }: OfPatient, newId: number): Promise<number> {
  const { organizationId } = caller;
  if (newId === appointmentId) throw invalid('newAppointmentId', 'must be another appointment, without a patient', 'same_appointment');
  const status = await lockAppointment(db, caller, newId);
  const open = await db.appointment.findFirst({ where: { organizationId, id: newId, startsAt: { not: null } } });
  if (!open || status === 'cancelled') throw notFound('appointment', 'newAppointmentId');
  if (status !== 'scheduled' || open.patientId !== null)
    throw conflict('appointment_taken', 'Somebody has this appointment already.', 'newAppointmentId');
  const { typeId } = await db.appointment.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id: appointmentId } },
    select: { typeId: true },
  });
  await cancelAppointment(db, caller, appointmentId);
  const type = typeId === null ? {} : { typeId };
  return (await changeAppointment(db, caller, newId, { patientId, ...type, durationMinutes: open.durationMinutes })).id;
}

/** Locks a patient's appointment. @returns its status @throws Failure not_found, naming `ofPatientId` where it is somebody else's */
async function lockForPatient(db: Db, caller: Caller, { appointmentId: id, patientId }: OfPatient) {
  const { organizationId } = caller;
  const status = await lockAppointment(db, caller, id);
  const appointment = await db.appointment.findUnique({
    where: { organizationId_id: { organizationId, id } },
    select: { patientId: true },
  });
  if (status === null || !appointment) throw notFound('appointment');
  await findPatient(db, caller, patientId, 'ofPatientId');
  if (appointment.patientId !== patientId) throw notFound('patient', 'ofPatientId');
  return status;
}
