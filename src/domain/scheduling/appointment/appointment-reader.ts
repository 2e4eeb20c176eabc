import { recordRead, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { type Caller, type CallerIdentity, maySeeChart } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { writeInstant, writeLocal } from '../../values/time/time.ts';
import { findReferences, type References, typeKey } from './appointment-references.ts';
import type { Appointment, AppointmentPatient } from './appointment-view.ts';
import { APPOINTMENT_BY_ID, APPOINTMENTS_BY_ID, type AppointmentRow, NO_PATIENT } from './appointments.sql.ts';
import type { BookedFields } from './booking.sql.ts';
import type { BookingContext } from './booking-context.sql.ts';
import type { ReferredRecords } from './reference-columns.ts';

/**
 * One appointment, audited as read together with its patient's chart.
 * @param field where its id was written
 * @throws Failure not_found, also for a cancelled one
 */
export async function readAppointment(tx: Tx, id: number, field?: string): Promise<Appointment> {
  const appointment = await findAppointment(tx, id, field);
  recordRead(tx, 'appointment', [id]);
  recordPatientRead(tx, appointment);
  return appointment;
}

/** The same without an audit row. @throws Failure not_found, also for a cancelled one unless `cancelled` says otherwise */
export async function findAppointment(
  tx: Tx,
  id: number,
  field?: string,
  { cancelled = false }: { cancelled?: boolean } = {},
): Promise<Appointment> {
  const [found] = await tx.rows(APPOINTMENT_BY_ID, [id, cancelled]);
  if (!found) throw notFound('appointment', field);
  const { type, office, location, waitingRoom, people, ...row } = found;
  return assembleOne(tx, row, { type, office, location, waitingRoom, people });
}

/** Existing appointments among these ids, in no order; cancelled ones are left out. Audited as a search. */
export async function findAppointments(tx: Tx, ids: number[]): Promise<Appointment[]> {
  const rows = await tx.rows(APPOINTMENTS_BY_ID, [ids]);
  const appointments = await withReferences(tx, rows);
  recordSearched(tx, appointments);
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

export async function withReferences(tx: Tx, rows: AppointmentRow[]): Promise<Appointment[]> {
  if (rows.length === 0) return [];
  const references = await findReferences(tx, rows);
  return rows.map((row) => assembleListed(tx, row, references));
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

/** A row of a page with the records that it refers to. */
function assembleListed(caller: CallerIdentity, row: AppointmentRow, references: References): Appointment {
  const find = <K, T>(known: Map<K, T>, id: K | null): T | null => (id === null ? null : (known.get(id) ?? null));
  return assembleAppointment(caller, row, {
    type: find(references.types, typeKey(row)),
    office: find(references.offices, row.officeId),
    location: find(references.locations, row.locationId),
    waitingRoom: find(references.waitingRooms, row.waitingRoomId),
    createdBy: find(references.users, row.createdByUserId),
    users: row.userIds.flatMap((id) => references.users.get(id) ?? []),
  });
}

/** The records that an appointment refers to, as it shows them. */
type Referred = Pick<Appointment, 'type' | 'office' | 'location' | 'waitingRoom' | 'createdBy' | 'users'>;

/** The same for one appointment of which they are at hand. */
function assembleOne(caller: CallerIdentity, row: AppointmentRow, { people, ...records }: ReferredRecords): Appointment {
  const known = new Map(people.map((user) => [user.id, user]));
  const find = (id: number) => known.get(id) ?? null;
  const createdBy = row.createdByUserId === null ? null : find(row.createdByUserId);
  return assembleAppointment(caller, row, { ...records, createdBy, users: row.userIds.flatMap((id) => find(id) ?? []) });
}

/** A row as its readers get it. Of a restricted chart it names no patient to a caller who may not see such charts. */
function assembleAppointment(caller: CallerIdentity, row: AppointmentRow, referred: Referred): Appointment {
  const isOpened = row.patientId !== null && caller.openedCharts?.has(row.patientId) === true;
  const isRestricted = row.chartRestricted === true || isOpened;
  const shown = !isRestricted || maySeeChart(caller, row.patientId) ? row : withoutPatient(row);
  return { ...shown, patient: toAppointmentPatient(shown), patientRestricted: isRestricted, ...referred };
}

/** Reasons for which a status changed may name the patient too. */
const withoutPatient = (row: AppointmentRow): AppointmentRow => ({
  ...row,
  ...NO_PATIENT,
  patientId: null,
  statusChanges: row.statusChanges.map((change) => ({ ...change, reason: null })),
});

function toAppointmentPatient(row: AppointmentRow): AppointmentPatient | null {
  if (row.patientId === null || row.patientStatus === null) return null;
  return {
    id: row.patientId,
    status: row.patientStatus,
    firstName: row.firstName,
    lastName: row.lastName,
    birthDate: row.birthDate,
    sex: row.sex,
    address1: row.address1,
    address2: row.address2,
    city: row.city,
    state: row.state,
    zip: row.zip,
    email: row.email,
    mobilePhone: row.mobilePhone,
    doNotSms: row.doNotSms === true,
    admitDate: row.admitDate,
    medicalRecordNo: row.medicalRecordNo,
    census: row.census,
    primaryProviderId: row.primaryProviderId,
    locationId: row.patientLocationId,
    flags: row.flags ?? [],
  };
}
