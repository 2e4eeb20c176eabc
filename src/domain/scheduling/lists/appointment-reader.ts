import type { Prepared } from '../../../database/statements/statement.ts';
import { recordRead, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { type Caller, type CallerIdentity, maySeeChart } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { APPOINTMENTS_BY_ID, type AppointmentRow } from '../appointments.sql.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type {
  Appointment,
  AppointmentLocation,
  AppointmentOffice,
  AppointmentPatient,
  AppointmentUser,
  AppointmentWaitingRoom,
} from './appointment-view.ts';
import { REFERENCES, type Reference } from './references.sql.ts';

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

/** The same without an audit row. @throws Failure not_found, also for a cancelled one */
export async function findAppointment(prepared: Prepared, caller: Caller, id: number, field?: string): Promise<Appointment> {
  const rows = await prepared.rows(APPOINTMENTS_BY_ID, [caller.organizationId, [id]]);
  const [appointment] = await withReferences(prepared, caller, rows);
  if (!appointment) throw notFound('appointment', field);
  return appointment;
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

/** Rows of one page as appointments. */
export async function withReferences(prepared: Prepared, caller: CallerIdentity, rows: AppointmentRow[]): Promise<Appointment[]> {
  if (rows.length === 0) return [];
  const references = await findReferences(prepared, caller.organizationId, rows);
  return rows.map((row) => appointmentOf(caller, row, references));
}

/** A row as its readers get it. Of a restricted chart it names no patient to a caller who may not see such charts. */
export function appointmentOf(caller: CallerIdentity, row: AppointmentRow, references: References): Appointment {
  const isOpened = row.patientId !== null && caller.openedCharts?.has(row.patientId) === true;
  const isRestricted = row.chartRestricted === true || isOpened;
  const isShown = !isRestricted || maySeeChart(caller, row.patientId);
  const find = <K, T>(known: Map<K, T>, id: K | null): T | null => (id === null ? null : (known.get(id) ?? null));
  return {
    ...row,
    patientId: isShown ? row.patientId : null,
    patient: isShown ? patientOf(row) : null,
    patientRestricted: isRestricted,
    type: find(references.types, typeKey(row)),
    office: find(references.offices, row.officeId),
    location: find(references.locations, row.locationId),
    waitingRoom: find(references.waitingRooms, row.waitingRoomId),
    createdBy: find(references.users, row.createdByUserId),
    users: participantIds(row).flatMap((id) => references.users.get(id) ?? []),
  };
}

function patientOf(row: AppointmentRow): AppointmentPatient | null {
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

/** Records that appointments of an organization refer to, by id; types, of which some are another organization's, by `typeKey`. */
interface References {
  types: Map<string, AppointmentType>;
  offices: Map<number, AppointmentOffice>;
  locations: Map<number, AppointmentLocation>;
  waitingRooms: Map<number, AppointmentWaitingRoom>;
  users: Map<number, AppointmentUser>;
}

/** The references of the rows of one page: there are few offices, types and users, and many rows name each. */
export async function findReferences(prepared: Prepared, organizationId: number, rows: AppointmentRow[]): Promise<References> {
  const references: References = { types: new Map(), offices: new Map(), locations: new Map(), waitingRooms: new Map(), users: new Map() };
  for (const reference of await prepared.rows(REFERENCES, [organizationId, ...idsOf(rows)])) add(references, reference);
  return references;
}

/** Participants of a row: the ids of `{1,2}`. */
const participantIds = ({ userIds }: AppointmentRow): number[] => (userIds === '{}' ? [] : userIds.slice(1, -1).split(',').map(Number));

/** Key of a row's type in References; null where the row has none. */
const typeKey = ({ typeOrganizationId: owner, typeId: id }: AppointmentRow): string | null => (id === null ? null : `${owner}/${id}`);

function idsOf(rows: AppointmentRow[]) {
  const [offices, locations, rooms, users] = [new Set<number>(), new Set<number>(), new Set<number>(), new Set<number>()];
  const types = new Map<string | null, [number, number]>();
  for (const row of rows) {
    if (row.officeId !== null) offices.add(row.officeId);
    if (row.locationId !== null) locations.add(row.locationId);
    if (row.waitingRoomId !== null) rooms.add(row.waitingRoomId);
    if (row.createdByUserId !== null) users.add(row.createdByUserId);
    for (const id of participantIds(row)) users.add(id);
    if (row.typeId !== null && row.typeOrganizationId !== null) types.set(typeKey(row), [row.typeOrganizationId, row.typeId]);
  }
  const owned = [...types.values()];
  return [[...offices], [...locations], [...rooms], [...users], owned.map(([owner]) => owner), owned.map(([, id]) => id)];
}

function add(references: References, reference: Reference): void {
  if (reference.kind === 'type') references.types.set(`${reference.owner}/${reference.id}`, reference);
  else if (reference.kind === 'office') references.offices.set(reference.id, reference);
  else if (reference.kind === 'location') references.locations.set(reference.id, reference);
  else if (reference.kind === 'waitingRoom') references.waitingRooms.set(reference.id, reference);
  else references.users.set(reference.id, reference);
}
