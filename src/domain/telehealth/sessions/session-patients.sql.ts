import { filter } from '../../../database/statements/list.ts';
import type { NameSearch } from '../../messaging/contacts/contacts.sql.ts';
import { patientSearchSql } from '../../messaging/contacts/contacts.sql.ts';
import { patientIdsOfSession, selectPatientSessions } from '../../patients/restrictions/restricted-charts.sql.ts';
import { startsWith } from '../../patients/search/name-keys.sql.ts';

/** Minutes between two instants, rounded; null where one of them is null. */
export const minutesBetween = (from: string, to: string) => `round(extract(epoch FROM ${to} - ${from}) / 60)::int`;

/** The full name of the patient row of an alias; null without one. */
export const chartName = (patient: string) =>
  `nullif(concat_ws(' ', nullif(${patient}.first_name, ''), nullif(${patient}.last_name, '')), '')`;

/** Whether a patient's chart is listed. Deleted, restricted and blocked charts have no name keys. */
export const isListed = (patient: string) => `EXISTS (
  SELECT FROM patient_name_key l WHERE l.organization_id = $1 AND l.patient_id = ${patient} AND l.ordinal = 1)`;

/** The listed patients of a session, as a JSON array by id: participants, invited patients, and the patient of its appointment. */
export const patientsOfSession = (session: string) => `(
  SELECT coalesce(json_agg(json_build_object('id', p.id, 'firstName', p.first_name, 'lastName', p.last_name) ORDER BY p.id), '[]')
    FROM patient p JOIN patient_name_key k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1
   WHERE p.organization_id = $1 AND p.id IN (${patientIdsOfSession(session)}))`;

type Search = NonNullable<NameSearch>;

/**
 * Filters by a patient or the host, matched as contacts are (parseContactSearch), and by a patient's id. They are read through indexes.
 * @param where condition on rows of a search, or of the patients that a query selects
 */
const searchFilters = (where: (patients: string, hosts: string) => string) => {
  const bySearch = (search: Search, types: string[]) =>
    filter<readonly string[]>(types, (...texts) => where(patientSearchSql(search, texts), sessionsOfHosts(search, texts)));
  return {
    name: bySearch('name', ['text']),
    names: bySearch('names', ['text', 'text', 'text']),
    number: bySearch('number', ['text', 'text']),
    patientId: filter<number>('int', (id) => where(`SELECT ${id}`, '')),
  };
};

const orOf = (hosts: string) => (hosts === '' ? '' : ` UNION ${hosts}`);

/** @param column with a session's id */
export const sessionFilters = (column: string) =>
  searchFilters((patients, hosts) => `${column} IN (${sessionsOfPatients(patients)}${orOf(hosts)})`);

/**
 * The same on pictures or recordings: those that belong to a patient who was searched for, or were taken in a session of such a host.
 * @param table session_image or session_video, whose row is `m`
 */
export const mediaFilters = (table: string) =>
  searchFilters((patients, hosts) => {
    const ofHosts =
      hosts &&
      `SELECT i.id FROM (${hosts}) AS hosted (session_id)
      JOIN ${table} i ON i.organization_id = $1 AND i.video_session_id = hosted.session_id`;
    return `m.id IN (SELECT i.id FROM (${selectListed(patients)}) AS found
      JOIN ${table} i ON i.organization_id = $1 AND i.patient_id = found.patient_id${orOf(ofHosts)})`;
  });

/** The listed ones among these patients. */
const selectListed = (patients: string) => `SELECT f.patient_id FROM (${patients}) AS f (patient_id)
      JOIN patient_name_key l ON l.organization_id = $1 AND l.patient_id = f.patient_id AND l.ordinal = 1`;

const sessionsOfPatients = (patients: string) => selectPatientSessions(selectListed(patients));

/** Compares each user of the practice; a practice has few. */
function sessionsOfHosts(search: Search, [text = '', head = '', tail = '']: readonly string[]): string {
  if (search === 'number') return '';
  const [last, first] = ['fold(u.last_name) COLLATE "C"', 'fold(u.first_name) COLLATE "C"'];
  const whole = [startsWith(last, text), startsWith(first, text)];
  const both = [`${startsWith(first, head)} AND ${startsWith(last, tail)}`, `${startsWith(last, head)} AND ${startsWith(first, tail)}`];
  const named = (search === 'names' ? [...whole, ...both] : whole).map((one) => `(${one})`).join(' OR ');
  return `
   SELECT o.id FROM "user" u JOIN video_session o ON o.organization_id = $1 AND o.host_user_id = u.id
    WHERE u.organization_id = $1 AND (${named})`;
}
