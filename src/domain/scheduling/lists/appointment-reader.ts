import type { Prepared } from '../../../database/statements/statement.ts';
import { recordRead, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { writeInstant, writeLocal } from '../../values/time/time.ts';
import { APPOINTMENT_BY_ID, APPOINTMENTS_BY_ID, type AppointmentRow } from '../appointments.sql.ts';
import type { BookedFields } from '../booking/booking.sql.ts';
import type { BookingContext } from '../booking/booking-context.sql.ts';
import { assembleOne, findReferences, toAppointment } from './appointment-references.ts';
import type { Appointment } from './appointment-view.ts';

/**
 * One appointment, audited as read together with its patient's chart.
 * @param field where its id was written
 * @throws Failure not_found, also for a cancelled one
 */
export async function readAppointment(prepared: Prepared, caller: Caller, id: number, field?: string): Promise<Appointment> {
  const appointment = await findAppointment(prepared, caller, id, field);
  recordRead(caller, 'appointment', [id]);
  recordPatientRead(caller, appointment);
  return appointment;
}

/** The same without an audit row. @throws Failure not_found, also for a cancelled one unless `cancelled` says otherwise */
export async function findAppointment(
  prepared: Prepared,
  caller: Caller,
  id: number,
  field?: string,
  { cancelled = false }: { cancelled?: boolean } = {},
): Promise<Appointment> {
  const [found] = await prepared.rows(APPOINTMENT_BY_ID, [caller.organizationId, id, cancelled]);
  if (!found) throw notFound('appointment', field);
  const { type, office, location, waitingRoom, people, ...row } = found;
  return assembleOne(caller, row, { type, office, location, waitingRoom, people });
}

/** Existing appointments among these ids, in no order; cancelled ones are left out. Audited as a search. */
export async function findAppointments(prepared: Prepared, caller: Caller, ids: number[]): Promise<Appointment[]> {
  const rows = await prepared.rows(APPOINTMENTS_BY_ID, [caller.organizationId, ids]);
  const appointments = await withReferences(prepared, caller, rows);
  recordSearched(caller, appointments);
  return appointments;
}

/** Audits a list of appointments, and the charts that it shows. */
export function recordSearched(caller: Caller, appointments: Appointment[]): void {
  if (appointments.length === 0) return;
  const ids = appointments.map(({ id }) => id);
  const patientIds = [...new Set(appointments.flatMap(({ patient }) => patient?.id ?? []))];
  recordReadWithPatients(caller, 'appointment', { ids, patientIds }, 'search');
}

/** An answer that shows an appointment shows its patient's chart. */
export function recordPatientRead(caller: Caller, { patientId }: Pick<Appointment, 'patientId'>): void {
  if (patientId !== null) recordRead(caller, 'patient', [patientId]);
}

export async function withReferences(prepared: Prepared, caller: CallerIdentity, rows: AppointmentRow[]): Promise<Appointment[]> {
  if (rows.length === 0) return [];
  const references = await findReferences(prepared, caller.organizationId, rows);
  return rows.map((row) => toAppointment(caller, row, references));
}

/** An appointment with the instants at which it was made and changed, as they are shown. */
type ShownFields = BookedFields & Pick<Appointment, 'id' | 'createdAt' | 'updatedAt' | 'statusChanges'>;

/** The appointment as the transaction leaves it. Its patient's chart is audited as read. */
export function showBooked(
  caller: Caller,
  booked: ShownFields,
  userIds: number[],
  { patient, users: people, type, office, location, waitingRoom }: BookingContext,
): Appointment {
  const row = {
    ...patient,
    ...booked,
    startsAt: writeInstant(booked.startsAt),
    endsAt: writeInstant(booked.endsAt),
    localStart: writeLocal(booked.localStart),
    confirmedAt: writeInstant(booked.confirmedAt),
    userIds,
    chartRestricted: booked.patientId === null ? null : patient.chartRestricted,
  };
  const appointment = assembleOne(caller, row, { type, office, location, waitingRoom, people });
  recordPatientRead(caller, appointment);
  return appointment;
}
