import type {
  AppointmentReference,
  ShownAppointment,
  ShownLocation,
  ShownOffice,
  ShownPatient,
  ShownType,
  ShownUser,
  ShownWaitingRoom,
} from './appointment-record.ts';
import { APPOINTMENT_REFERENCES, type AppointmentRow } from './reads/appointments.ts';
import type { Prepared } from './reads/statement.ts';

/**
 * Rows with what they refer to. Offices, types and people are few and stand in many rows, so each is read once, and not
 * with every row.
 */
export async function withReferences(prepared: Prepared, organizationId: number, rows: AppointmentRow[]): Promise<ShownAppointment[]> {
  if (rows.length === 0) return [];
  const ids = idsOf(rows);
  const known = indexOf(await prepared.rows(APPOINTMENT_REFERENCES, [organizationId, ...ids]));
  return rows.map((row) => assemble(row, known));
}

function idsOf(rows: AppointmentRow[]) {
  const [offices, locations, rooms, users] = [new Set<number>(), new Set<number>(), new Set<number>(), new Set<number>()];
  const types = new Map<number, number>();
  for (const row of rows) {
    if (row.office_id !== null) offices.add(row.office_id);
    if (row.location_id !== null) locations.add(row.location_id);
    if (row.waiting_room_id !== null) rooms.add(row.waiting_room_id);
    if (row.created_by_user_id !== null) users.add(row.created_by_user_id);
    for (const id of usersOf(row)) users.add(id);
    if (row.type_id !== null && row.type_organization_id !== null) types.set(row.type_id, row.type_organization_id);
  }
  return [[...offices], [...locations], [...rooms], [...users], [...types.values()], [...types.keys()]];
}

/** The ids of `{1,2}`. */
const usersOf = ({ user_ids }: AppointmentRow) => (user_ids === '{}' ? [] : user_ids.slice(1, -1).split(',').map(Number));

interface Known {
  types: Map<number, ShownType>;
  offices: Map<number, ShownOffice>;
  locations: Map<number, ShownLocation>;
  waitingRooms: Map<number, ShownWaitingRoom>;
  users: Map<number, ShownUser>;
}

function indexOf(references: AppointmentReference[]): Known {
  const known: Known = { types: new Map(), offices: new Map(), locations: new Map(), waitingRooms: new Map(), users: new Map() };
  for (const reference of references) {
    const { kind, id, value } = reference;
    if (kind === 'type') known.types.set(id, value);
    else if (kind === 'office') known.offices.set(id, value);
    else if (kind === 'location') known.locations.set(id, value);
    else if (kind === 'waitingRoom') known.waitingRooms.set(id, value);
    else known.users.set(id, value);
  }
  return known;
}

const found = <T>(known: Map<number, T>, id: number | null): T | null => (id === null ? null : (known.get(id) ?? null));

function assemble(row: AppointmentRow, known: Known): ShownAppointment {
  return {
    id: row.id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    localStart: row.local_start,
    timeZone: row.time_zone,
    durationMinutes: row.duration_minutes,
    status: row.status,
    confirmation: row.confirmation,
    confirmedAt: row.confirmed_at,
    confirmedBy: row.confirmed_by,
    initialSmsSent: row.initial_sms_sent,
    showOnTasks: row.show_on_tasks,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    patientId: row.patient_id,
    typeId: row.type_id,
    officeId: row.office_id,
    locationId: row.location_id,
    waitingRoomId: row.waiting_room_id,
    providerId: row.provider_id,
    patient: patientOf(row),
    type: found(known.types, row.type_id),
    office: found(known.offices, row.office_id),
    location: found(known.locations, row.location_id),
    waitingRoom: found(known.waitingRooms, row.waiting_room_id),
    createdBy: found(known.users, row.created_by_user_id),
    users: usersOf(row).flatMap((id) => {
      const user = known.users.get(id);
      return user ? [{ user }] : [];
    }),
  };
}

function patientOf(row: AppointmentRow): ShownPatient | null {
  if (row.p_id === null || row.p_status === null) return null;
  return {
    id: row.p_id,
    status: row.p_status,
    firstName: row.first_name,
    lastName: row.last_name,
    birthDate: row.birth_date,
    sex: row.sex,
    address1: row.address1,
    address2: row.address2,
    city: row.city,
    state: row.state,
    zip: row.zip,
    email: row.email,
    mobilePhone: row.mobile_phone,
    doNotSms: row.do_not_sms === true,
    admitDate: row.admit_date,
    medicalRecordNo: row.medical_record_no,
    census: row.census,
    primaryProviderId: row.primary_provider_id,
    locationId: row.p_location_id,
    flags: row.flags ?? [],
  };
}
