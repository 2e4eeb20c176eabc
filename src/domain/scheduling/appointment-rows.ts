import type { Prepared } from '../../database/statement.ts';
import { type References, referencesOf, typeKey, usersOf } from './appointment-references.ts';
import type { ShownAppointment, ShownPatient } from './appointment-view.ts';
import type { AppointmentRow } from './appointments.sql.ts';

/** Rows with what they refer to. */
export async function withReferences(prepared: Prepared, organizationId: number, rows: AppointmentRow[]): Promise<ShownAppointment[]> {
  if (rows.length === 0) return [];
  const known = await referencesOf(prepared, organizationId, rows);
  return rows.map((row) => assemble(row, known));
}

const found = <K, T>(known: Map<K, T>, id: K | null): T | null => (id === null ? null : (known.get(id) ?? null));

function assemble(row: AppointmentRow, known: References): ShownAppointment {
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
    type: found(known.types, typeKey(row)),
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
