import type { AppointmentReference } from '../appointment-record.ts';
import { statement, written } from './statement.ts';

/** An appointment with its patient. Instants, days and wall clocks are written by the database. */
export interface AppointmentRow {
  id: number;
  starts_at: string | null;
  ends_at: string | null;
  local_start: string | null;
  time_zone: string;
  duration_minutes: number;
  status: 'scheduled' | 'arrived' | 'completed' | 'no_show' | 'cancelled';
  confirmation: 'Pending' | 'Yes' | 'No';
  confirmed_at: string | null;
  confirmed_by: string | null;
  initial_sms_sent: boolean | null;
  show_on_tasks: boolean;
  created_at: string;
  updated_at: string;
  patient_id: number | null;
  type_organization_id: number | null;
  type_id: number | null;
  office_id: number | null;
  location_id: number | null;
  waiting_room_id: number | null;
  provider_id: number | null;
  created_by_user_id: number | null;
  /** `{1,2}` */
  user_ids: string;
  /** Null, as all of the patient, where the chart was deleted. */
  p_id: number | null;
  p_status: 'active' | 'inactive' | 'prospective' | null;
  first_name: string | null;
  last_name: string | null;
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  email: string | null;
  mobile_phone: string | null;
  birth_date: string | null;
  admit_date: string | null;
  sex: string | null;
  medical_record_no: string | null;
  census: boolean | null;
  primary_provider_id: number | null;
  p_location_id: number | null;
  flags: string[] | null;
  do_not_sms: boolean | null;
}

const instant = (column: string, name = column) => `${written(`a.${column}`)} AS ${name}`;

const SHOWN = `
  SELECT a.id, ${instant('starts_at')}, ${instant('ends_at')}, to_char(a.local_start, 'YYYY-MM-DD"T"HH24:MI:SS') AS local_start,
         a.time_zone, a.duration_minutes, a.status, a.confirmation, ${instant('confirmed_at')}, a.confirmed_by, a.initial_sms_sent,
         a.show_on_tasks, ${instant('created_at')}, ${instant('updated_at')}, a.patient_id, a.type_organization_id, a.type_id,
         a.office_id, a.location_id, a.waiting_room_id, a.provider_id, a.created_by_user_id,
         ARRAY(SELECT u.user_id FROM user_appointment u
                WHERE u.organization_id = a.organization_id AND u.appointment_id = a.id ORDER BY u.user_id)::text AS user_ids,
         p.id AS p_id, p.status AS p_status, p.first_name, p.last_name, p.address1, p.address2, p.city, p.state, p.zip, p.email, p.mobile_phone,
         to_char(p.birth_date, 'YYYY-MM-DD') AS birth_date, to_char(p.admit_date, 'YYYY-MM-DD') AS admit_date, p.sex,
         p.medical_record_no, p.census, p.primary_provider_id, p.location_id AS p_location_id, p.flags, p.do_not_sms`;

const PATIENT = `LEFT JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id AND p.status <> 'deleted'`;

/** Values: organization, ids. In no order; cancelled ones are left out. */
export const APPOINTMENTS_BY_ID = statement<AppointmentRow>(
  'appointments_by_id',
  `${SHOWN} FROM appointment a ${PATIENT}
    WHERE a.organization_id = $1 AND a.id = ANY ($2::int[]) AND a.status <> 'cancelled'`,
);

const ADDRESS = (of: string) =>
  `'address1', ${of}.address1, 'address2', ${of}.address2, 'city', ${of}.city, 'state', ${of}.state, 'zip', ${of}.zip`;

/**
 * What several appointments of a page have in common, each once, in the words of the domain.
 * Values: organization, ids of offices, of locations, of waiting rooms, of users; owners of types, and as many ids of types.
 */
export const APPOINTMENT_REFERENCES = statement<AppointmentReference>(
  'appointment_references',
  `SELECT 'office' AS kind, o.organization_id AS owner, o.id,
          json_build_object('id', o.id, 'name', o.name, 'patientDepartmentName', o.patient_department_name, 'timeZone', o.time_zone,
            'phone', o.phone, 'fax', o.fax, 'active', o.active, ${ADDRESS('o')}) AS value
     FROM office o WHERE o.organization_id = $1 AND o.id = ANY ($2::int[])
    UNION ALL
   SELECT 'location', l.organization_id, l.id, json_build_object('id', l.id, 'name', l.name, 'phone', l.phone, ${ADDRESS('l')})
     FROM location l WHERE l.organization_id = $1 AND l.id = ANY ($3::int[])
    UNION ALL
   SELECT 'waitingRoom', w.organization_id, w.id, json_build_object('id', w.id, 'name', w.name, 'userId', w.user_id)
     FROM waiting_room w WHERE w.organization_id = $1 AND w.id = ANY ($4::int[])
    UNION ALL
   SELECT 'user', u.organization_id, u.id,
          json_build_object('id', u.id, 'type', u.type, 'firstName', u.first_name, 'lastName', u.last_name, 'email', u.email,
            'phone', u.phone, 'active', u.active)
     FROM "user" u WHERE u.organization_id = $1 AND u.id = ANY ($5::int[])
    UNION ALL
   SELECT 'type', t.organization_id, t.id,
          json_build_object('id', t.id, 'name', t.name, 'description', t.description, 'durationMinutes', t.duration_minutes,
            'active', t.active, 'isGlobal', t.is_global, 'createdAt', ${written('t.created_at')},
            'updatedAt', ${written('t.updated_at')})
     FROM unnest($6::int[], $7::int[]) AS k (owner, id)
     JOIN appointment_type t ON t.organization_id = k.owner AND t.id = k.id`,
);

/**
 * One way through the appointments of an organization, each in the order of start and id; cancelled ones, and those
 * without a date, are on none. $1 organization, $2 and $3 from and before, then each null unless asked for: $4 type,
 * $5 location, $6 confirmation, $7 on tasks.
 */
const FILTERED = `a.status <> 'cancelled' AND ($4::int IS NULL OR a.type_id = $4) AND ($5::int IS NULL OR a.location_id = $5)
   AND ($6::confirmation_answer IS NULL OR a.confirmation = $6) AND ($7::bool IS NULL OR a.show_on_tasks = $7)`;

/** As FILTERED, and $9 office. */
const OF_OFFICE = `${FILTERED} AND ($9::int IS NULL OR a.office_id = $9)`;

/** As OF_OFFICE, and $10 users of whom one takes part, $11 providers of whom one does, by name or as a user. */
const OF_PEOPLE = `${OF_OFFICE}
   AND ($10::int[] IS NULL OR EXISTS (
     SELECT FROM user_appointment o WHERE o.organization_id = $1 AND o.appointment_id = a.id AND o.user_id = ANY ($10)))
   AND ($11::int[] IS NULL OR a.provider_id = ANY ($11) OR EXISTS (
     SELECT FROM user_appointment o JOIN provider v ON v.organization_id = o.organization_id AND v.user_id = o.user_id
      WHERE o.organization_id = $1 AND o.appointment_id = a.id AND v.id = ANY ($11)))`;

/**
 * The bounds stand in selects of their own so that PostgreSQL thinks the same of every range. It would else plan each short
 * one anew, which takes longer than to read it.
 */
const BOUND = (of: string) =>
  `${of}.organization_id = $1 AND ${of}.starts_at >= (SELECT $2::timestamptz) AND ${of}.starts_at < (SELECT $3::timestamptz)`;

export interface FigureRow {
  confirmed: number;
  declined: number;
  total: number;
}

/**
 * The statements of one way. A page takes limit and offset after the values of the way; the first has no offset, because
 * of any that it does not know PostgreSQL thinks that it skips as much as it shows, and would plan short lists anew.
 */
function way(name: string, from: string, order: string, values: number) {
  const page = (kind: string, window: string) => {
    const ids = `SELECT a.id, ${order.split(',')[0]} AS starts_at ${from} ORDER BY ${order} ${window}`;
    return statement<AppointmentRow>(
      `appointments_${name}_${kind}`,
      `${SHOWN} FROM (${ids}) page JOIN appointment a ON a.organization_id = $1 AND a.id = page.id ${PATIENT} ORDER BY page.starts_at, page.id`,
    );
  };
  return {
    first: page('first', `LIMIT $${values + 1}`),
    page: page('page', `LIMIT $${values + 1} OFFSET $${values + 2}`),
    count: statement<{ total: number }>(`appointments_${name}_count`, `SELECT count(*)::int AS total ${from}`),
    figures: statement<FigureRow>(
      `appointments_${name}_figures`,
      `SELECT count(*) FILTER (WHERE a.confirmation = 'Yes')::int AS confirmed, count(*) FILTER (WHERE a.confirmation = 'No')::int AS declined,
              count(*)::int AS total ${from}`,
    ),
  };
}

const JOINED = 'JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id';

const OF_PATIENT = (filtered: string) => `FROM appointment a WHERE ${BOUND('a')} AND a.patient_id = $8 AND ${filtered}`;
const OF_USER = (filtered: string) => `FROM user_appointment u ${JOINED} WHERE ${BOUND('u')} AND u.user_id = $8 AND ${filtered}`;

/** Which way is right depends on what is asked for: each is led by the index that leaves least. $8 is what leads it. */
export const WAYS = {
  /** Of everybody. */
  byTime: way('by_time', `FROM appointment a WHERE ${BOUND('a')} AND ${FILTERED}`, 'a.starts_at, a.id', 7),
  /** Of one office. */
  byOffice: way('by_office', `FROM appointment a WHERE ${BOUND('a')} AND a.office_id = $8 AND ${FILTERED}`, 'a.starts_at, a.id', 8),
  /** Of one patient. */
  byPatient: way('by_patient', OF_PATIENT(OF_OFFICE), 'a.starts_at, a.id', 9),
  /** Of one patient, with certain people. */
  byPatientWith: way('by_patient_with', OF_PATIENT(OF_PEOPLE), 'a.starts_at, a.id', 11),
  /** Of one user. */
  byUser: way('by_user', OF_USER(OF_OFFICE), 'u.starts_at, u.appointment_id', 9),
  /** Of one user, with certain people. */
  byUserWith: way('by_user_with', OF_USER(OF_PEOPLE), 'u.starts_at, u.appointment_id', 11),
  /** Of any of several users. */
  byUsers: way(
    'by_users',
    `FROM (SELECT DISTINCT u.organization_id, u.starts_at, u.appointment_id FROM user_appointment u
            WHERE ${BOUND('u')} AND u.user_id = ANY ($8::int[])) u ${JOINED} WHERE ${OF_OFFICE}`,
    'u.starts_at, u.appointment_id',
    9,
  ),
};

export type Way = (typeof WAYS)[keyof typeof WAYS];
