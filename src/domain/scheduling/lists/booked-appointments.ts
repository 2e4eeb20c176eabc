import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { AppointmentStatus, Patient } from '../../../generated/prisma/client.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { conflict, Failure, invalid, notFound } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { lockAppointment } from '../appointment-lock.ts';
import { cancelAppointment, changeAppointment } from '../appointments.ts';
import type { AppointmentRecord } from './appointment-records.sql.ts';
import { readAppointmentRecords } from './appointment-records.ts';
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

/** One appointment with a date, also a cancelled one and one that lost it; audited. @throws Failure not_found */
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
  if (status !== 'scheduled') throw conflict('appointment_begun', `${REASONS[status]}: it cannot be cancelled.`);
  await cancelAppointment(db, caller, of.appointmentId);
}

/** For appointments that are not ahead any more. */
const REASONS: Readonly<Record<Exclude<AppointmentStatus, 'scheduled'>, string>> = {
  cancelled: 'The appointment was cancelled',
  no_show: 'The patient did not come',
  arrived: 'The patient has arrived',
  completed: 'The appointment is over',
};

/** Where an appointment goes: to a time on its own clock, `YYYY-MM-DDTHH:MM:SS`, or to the slot of an open appointment. */
export type NewPlace = { date: string } | { appointmentId: number };

/**
 * Moves a patient's appointment to another time, where it keeps its id; or books an open appointment for its patient, with its type, and
 * cancels it. The open one keeps its time, department, provider, length and participants. Asked for again, it is done already.
 * @returns the id of the appointment that the patient has now
 * @throws Failure as cancelForPatient; not_found naming `newAppointmentId`; conflict for one that is taken; as changeAppointment
 */
export async function rescheduleForPatient(db: Db, caller: Caller, of: OfPatient, to: NewPlace): Promise<number> {
  const other = 'appointmentId' in to ? to.appointmentId : null;
  // In the order of their ids, so that two who move in opposite directions do not wait for each other.
  if (other !== null && other < of.appointmentId) await lockAppointment(db, caller, other);
  const status = await lockForPatient(db, caller, of);
  if (status === 'cancelled' && other !== null && (await hasInstead(db, caller, of, other))) return other;
  if (status !== 'scheduled') throw conflict('appointment_not_open', `${REASONS[status]}: it cannot be moved.`);
  if (!('appointmentId' in to)) return (await changeAppointment(db, caller, of.appointmentId, { date: to.date })).id;
  return bookInstead(db, caller, of, to.appointmentId);
}

/** Whether the patient of an appointment has another one already, as after a move whose answer was lost. */
async function hasInstead(db: Db, { organizationId }: Caller, { appointmentId }: OfPatient, newId: number): Promise<boolean> {
  const both = await db.appointment.findMany({
    where: { organizationId, id: { in: [appointmentId, newId] }, patientId: { not: null } },
    select: { id: true, patientId: true, status: true },
  });
  const [before, now] = [appointmentId, newId].map((id) => both.find((one) => one.id === id));
  return before !== undefined && now !== undefined && now.status !== 'cancelled' && before.patientId === now.patientId;
}

async function bookInstead(db: Db, caller: Caller, { appointmentId }: OfPatient, newId: number): Promise<number> {
  const { organizationId } = caller;
  if (newId === appointmentId) throw invalid('newAppointmentId', 'must be another appointment, without a patient', 'same_appointment');
  const status = await lockAppointment(db, caller, newId);
  const open = await db.appointment.findFirst({ where: { organizationId, id: newId, startsAt: { not: null } } });
  if (!open || status === 'cancelled') throw notFound('appointment', 'newAppointmentId');
  if (status !== 'scheduled' || open.patientId !== null)
    throw conflict('appointment_taken', 'Somebody has this appointment already.', 'newAppointmentId');
  const { typeId, patientId } = await db.appointment.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id: appointmentId } },
    select: { typeId: true, patientId: true },
  });
  await cancelAppointment(db, caller, appointmentId);
  const type = typeId === null ? {} : { typeId };
  return (await changeAppointment(db, caller, newId, { patientId, ...type, durationMinutes: open.durationMinutes })).id;
}

/**
 * Locks a patient's appointment, which may be of another chart of the same person.
 * @returns its status
 * @throws Failure not_found, also for one that never had a day; naming `ofPatientId` for a patient who is not there, or has not this appointment
 */
async function lockForPatient(db: Db, caller: Caller, { appointmentId: id, patientId }: OfPatient): Promise<AppointmentStatus> {
  const { organizationId } = caller;
  const status = await lockAppointment(db, caller, id);
  const appointment = await db.appointment.findFirst({
    where: { organizationId, id, OR: [{ startsAt: { not: null } }, { undatedAt: { not: null } }] },
    select: { patientId: true },
  });
  if (status === null || !appointment) throw notFound('appointment');
  const asked = await findPatient(db, caller, patientId, 'ofPatientId');
  const holder = appointment.patientId === null ? null : await findPatient(db, caller, appointment.patientId).catch(() => null);
  if (holder === null || personOf(holder) !== personOf(asked))
    throw new Failure('not_found', 'not_of_patient', 'The appointment is not this patient’s.', {
      issues: [{ field: 'ofPatientId', code: 'not_of_patient', message: 'The appointment is not this patient’s.' }],
    });
  return status;
}

/** The chart that all charts of a person have in common. */
const personOf = ({ id, enterpriseId }: Pick<Patient, 'id' | 'enterpriseId'>): number => enterpriseId ?? id;
