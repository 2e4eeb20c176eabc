import type { NameSearch } from '../messaging/contacts/contacts.sql.ts';
import { patientSearchSql } from '../messaging/contacts/contacts.sql.ts';
import { startsWith } from '../patients/name-keys.sql.ts';

/** A listed patient, by name. */
export interface NamedPatient {
  id: number;
  firstName: string | null;
  lastName: string | null;
}

/** Whole minutes between two instants, to the nearest; null where one of them is open. */
export const minutesBetween = (from: string, to: string) => `round(extract(epoch FROM ${to} - ${from}) / 60)::int`;

/** Only of a listed chart; deleted, restricted and blocked ones have no keys. */
export const isListed = (patient: string) => `EXISTS (
  SELECT FROM patient_name_key l WHERE l.organization_id = $1 AND l.patient_id = ${patient} AND l.ordinal = 1)`;

/** The listed patients of a session: who took part, who is invited, and whose appointment it is for. A JSON list by id. */
export const patientsOfSession = (session: string) => `(
  SELECT coalesce(json_agg(json_build_object('id', p.id, 'firstName', p.first_name, 'lastName', p.last_name) ORDER BY p.id), '[]')
    FROM patient p JOIN patient_name_key k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1
   WHERE p.organization_id = $1 AND p.id IN (
     SELECT o.patient_id FROM session_participant o WHERE o.organization_id = $1 AND o.video_session_id = ${session}.id
      UNION SELECT o.patient_id FROM session_invite o WHERE o.organization_id = $1 AND o.video_session_id = ${session}.id
      UNION SELECT o.patient_id FROM telehealth_visit o WHERE o.organization_id = $1 AND o.video_session_id = ${session}.id
      UNION SELECT o.patient_id FROM appointment o WHERE o.organization_id = $1 AND o.id = ${session}.appointment_id))`;

/** Which sessions: by words of a name, by a patient. Both are sets that indexes lead to. */
export interface SessionSet {
  /** Of a patient or of the host, as contacts are found. */
  search: NameSearch;
  patient: boolean;
}

/**
 * Conditions on a session's id. Values, from `next` on: the texts of the search, the patient's id.
 * @returns nothing where neither is asked for
 */
export function inSessionSet(column: string, { search, patient }: SessionSet, next: number): string[] {
  const found = search === null ? [] : [`${sessionsOfPatients(patientSearchSql(search, next))}${sessionsOfHosts(search, next)}`];
  const ofPatient = patient ? [sessionsOfPatients(`SELECT $${next + textCount(search)}::int`)] : [];
  return [...found, ...ofPatient].map((sessions) => `${column} IN (${sessions})`);
}

/** How many texts a search has. */
const textCount = (search: NameSearch) => (search === null ? 0 : { name: 1, names: 3, number: 2 }[search]);

/** Of those of them who are listed. */
const sessionsOfPatients = (patients: string) => `
  WITH found AS MATERIALIZED (
    SELECT f.patient_id FROM (${patients}) AS f (patient_id)
      JOIN patient_name_key l ON l.organization_id = $1 AND l.patient_id = f.patient_id AND l.ordinal = 1)
  SELECT o.video_session_id FROM found JOIN session_participant o ON o.organization_id = $1 AND o.patient_id = found.patient_id
   UNION SELECT o.video_session_id FROM found JOIN session_invite o ON o.organization_id = $1 AND o.patient_id = found.patient_id
          WHERE o.video_session_id IS NOT NULL
   UNION SELECT o.video_session_id FROM found JOIN telehealth_visit o ON o.organization_id = $1 AND o.patient_id = found.patient_id
   UNION SELECT o.id FROM found JOIN appointment a ON a.organization_id = $1 AND a.patient_id = found.patient_id
                 JOIN video_session o ON o.organization_id = $1 AND o.appointment_id = a.id`;

/** A practice has few users: each is looked at. */
function sessionsOfHosts(search: NameSearch, next: number): string {
  if (search === null || search === 'number') return '';
  const [last, first] = ['fold(u.last_name) COLLATE "C"', 'fold(u.first_name) COLLATE "C"'];
  const whole = [startsWith(last, next), startsWith(first, next)];
  const both = [
    `${startsWith(first, next + 1)} AND ${startsWith(last, next + 2)}`,
    `${startsWith(last, next + 1)} AND ${startsWith(first, next + 2)}`,
  ];
  const named = (search === 'names' ? [...whole, ...both] : whole).map((one) => `(${one})`).join(' OR ');
  return `
   UNION SELECT o.id FROM "user" u JOIN video_session o ON o.organization_id = $1 AND o.host_user_id = u.id
          WHERE u.organization_id = $1 AND (${named})`;
}
