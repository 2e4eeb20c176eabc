import { bool, type Columns, int, json, packedStatement, selected } from '../../database/packed-rows.ts';
import { statement, written } from '../../database/statement.ts';
import { REFERENCES_VERSION } from './appointment-references.sql.ts';

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
  /** Null where there are none. */
  flags: string[] | null;
  do_not_sms: boolean | null;
  /** On the first row of a page, the version of what the rows refer to. */
  references_version: string | null;
}

export interface PagedRow extends AppointmentRow {
  /** On the last row of a full page, how many there are on all pages; else null. */
  total: number | null;
}

/** Of the appointment `a` and its patient `p`. */
const APPOINTMENT: Columns<Omit<AppointmentRow, 'references_version'>> = {
  id: int('a.id'),
  starts_at: written('a.starts_at'),
  ends_at: written('a.ends_at'),
  local_start: `to_char(a.local_start, 'YYYY-MM-DD"T"HH24:MI:SS')`,
  time_zone: 'a.time_zone',
  duration_minutes: int('a.duration_minutes'),
  status: 'a.status',
  confirmation: 'a.confirmation',
  confirmed_at: written('a.confirmed_at'),
  confirmed_by: 'a.confirmed_by',
  initial_sms_sent: bool('a.initial_sms_sent'),
  show_on_tasks: bool('a.show_on_tasks'),
  created_at: written('a.created_at'),
  updated_at: written('a.updated_at'),
  patient_id: int('a.patient_id'),
  type_organization_id: int('a.type_organization_id'),
  type_id: int('a.type_id'),
  office_id: int('a.office_id'),
  location_id: int('a.location_id'),
  waiting_room_id: int('a.waiting_room_id'),
  provider_id: int('a.provider_id'),
  created_by_user_id: int('a.created_by_user_id'),
  user_ids: `ARRAY(SELECT u.user_id FROM user_appointment u
                    WHERE u.organization_id = a.organization_id AND u.appointment_id = a.id ORDER BY u.user_id)::text`,
  p_id: int('p.id'),
  p_status: 'p.status',
  first_name: 'p.first_name',
  last_name: 'p.last_name',
  address1: 'p.address1',
  address2: 'p.address2',
  city: 'p.city',
  state: 'p.state',
  zip: 'p.zip',
  email: 'p.email',
  mobile_phone: 'p.mobile_phone',
  birth_date: 'p.birth_date::text',
  admit_date: 'p.admit_date::text',
  sex: 'p.sex',
  medical_record_no: 'p.medical_record_no',
  census: bool('p.census'),
  primary_provider_id: int('p.primary_provider_id'),
  p_location_id: int('p.location_id'),
  flags: json(`CASE WHEN p.flags <> '{}' THEN array_to_json(p.flags) END`),
  do_not_sms: bool('p.do_not_sms'),
};

const PATIENT = `LEFT JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id AND p.status <> 'deleted'`;

/** Values: organization, ids. In no order; cancelled ones are left out. */
export const APPOINTMENTS_BY_ID = statement<AppointmentRow>(
  'appointments_by_id',
  `SELECT ${selected(APPOINTMENT)}, ${REFERENCES_VERSION} AS references_version FROM appointment a ${PATIENT}
    WHERE a.organization_id = $1 AND a.id = ANY ($2::int[]) AND a.status <> 'cancelled'`,
);

/** Where a page begins and ends, in SQL: places in the whole list, the first is 1. */
interface Ends {
  first: string;
  last: string;
}

/**
 * A page of appointments in order.
 * @param ids their `id`, `at` and `place` in the list
 * @param from of the whole list, which is counted where the page is full
 */
export const pageOfAppointments = (name: string, ids: string, from: string, { first, last }: Ends) =>
  packedStatement<PagedRow>(
    name,
    {
      ...APPOINTMENT,
      total: int(`CASE WHEN page.place = ${last} THEN (SELECT count(*) ${from})::int END`),
      references_version: `CASE WHEN page.place = ${first} THEN ${REFERENCES_VERSION} END`,
    },
    (selection) =>
      `SELECT ${selection} FROM (${ids}) page JOIN appointment a ON a.organization_id = $1 AND a.id = page.id ${PATIENT} ORDER BY page.at, page.id`,
  );
