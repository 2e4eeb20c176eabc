import { type Statement, statement, written } from '../../database/statement.ts';
import { onNameKeys } from './name-keys.sql.ts';

/** A patient as lists and cards show one; dates are written by the database. */
export interface ListedPatient {
  id: number;
  status: 'active' | 'inactive' | 'prospective' | 'deleted';
  first_name: string | null;
  middle_name: string | null;
  last_name: string | null;
  suffix: string | null;
  preferred_name: string | null;
  pronouns: string | null;
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  email: string | null;
  mobile_phone: string | null;
  home_phone: string | null;
  work_phone: string | null;
  contact_preference: string | null;
  birth_date: string | null;
  deceased_date: string | null;
  admit_date: string | null;
  sex: string | null;
  medical_record_no: string | null;
  language_code: string | null;
  time_zone: string;
  census: boolean | null;
  flags: string[];
  do_not_sms: boolean;
  do_not_call: boolean;
  provider_id: number | null;
  provider_name: string | null;
  location_id: number | null;
  location_name: string | null;
  office_id: number | null;
  offices: { uuid: number; name: string }[];
  created_at: string;
  updated_at: string;
}

/** Where each listed chart stands once: deleted, restricted and blocked ones have no keys. */
const LISTED = `JOIN patient_name_key k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1`;

/** Values: organization, ids. In no order. */
export const LISTED_PATIENTS: Statement<ListedPatient> = statement(
  'listed_patients',
  `SELECT p.id, p.status, p.first_name, p.middle_name, p.last_name, p.suffix, p.preferred_name, p.preferred_pronouns AS pronouns,
          p.address1, p.address2, p.city, p.state, p.zip, p.email, p.mobile_phone, p.home_phone, p.work_phone, p.contact_preference,
          to_char(p.birth_date, 'YYYY-MM-DD') AS birth_date, to_char(p.deceased_date, 'YYYY-MM-DD') AS deceased_date,
          to_char(p.admit_date, 'YYYY-MM-DD') AS admit_date, p.sex, p.medical_record_no, p.language_code,
          coalesce(p.time_zone, g.time_zone) AS time_zone, p.census, p.flags, p.do_not_sms, p.do_not_call,
          p.primary_provider_id AS provider_id, coalesce(d.display_name, d.first_name || ' ' || d.last_name) AS provider_name,
          p.location_id, l.name AS location_name, p.primary_office_id AS office_id,
          (SELECT coalesce(json_agg(json_build_object('uuid', o.id, 'name', o.name) ORDER BY o.id), '[]')
             FROM (SELECT r.office_id FROM patient_registration r
                    WHERE r.organization_id = p.organization_id AND r.patient_id = p.id AND r.status <> 'deleted'
                   UNION SELECT p.primary_office_id) AS known
             JOIN office o ON o.organization_id = p.organization_id AND o.id = known.office_id) AS offices,
          ${written('p.created_at')} AS created_at, ${written('p.updated_at')} AS updated_at
     FROM patient p
     ${LISTED}
     JOIN organization g ON g.id = p.organization_id
     LEFT JOIN provider d ON d.organization_id = p.organization_id AND d.id = p.primary_provider_id
     LEFT JOIN location l ON l.organization_id = p.organization_id AND l.id = p.location_id
    WHERE p.organization_id = $1 AND p.id = ANY ($2::int[])`,
);

export interface NamedPatient {
  id: number;
  first_name: string | null;
  last_name: string | null;
}

/** Values: organization, ids. In no order. */
export const NAMED_PATIENTS: Statement<NamedPatient> = statement(
  'named_patients',
  `SELECT p.id, p.first_name, p.last_name FROM patient p ${LISTED} WHERE p.organization_id = $1 AND p.id = ANY ($2::int[])`,
);

/** Which patients: by the starts of their names and by their primary office; or those of one user. */
export interface PatientFilter {
  lastName: boolean;
  firstName: boolean;
  office: boolean;
  /** As a clinician: charts and registrations that name them, and appointments with them. */
  ofUser: boolean;
}

/** What a list of patients can be sorted by: a column of the chart, or the order of the search by name. */
const COLUMNS = {
  status: 'p.status',
  email: 'p.email',
  mobilePhone: 'p.mobile_phone',
  birthDate: 'p.birth_date',
  admitDate: 'p.admit_date',
  sex: 'p.sex',
  medicalRecordNo: 'p.medical_record_no',
  city: 'p.city',
  state: 'p.state',
  zip: 'p.zip',
  languageCode: 'p.language_code',
  primaryProviderId: 'p.primary_provider_id',
  locationId: 'p.location_id',
  primaryOfficeId: 'p.primary_office_id',
  createdAt: 'p.created_at',
  updatedAt: 'p.updated_at',
} as const;
export type PatientOrder = 'search' | 'id' | 'lastName' | 'firstName' | keyof typeof COLUMNS;

export interface PatientListing {
  filter: PatientFilter;
  order: PatientOrder;
  descending: boolean;
}

/** The ids of a page, in order. Values: organization, limit, offset, then those of the filter. */
export function patientPage({ filter, order, descending }: PatientListing): Statement<{ id: number }> {
  const name = `patient_page_${filterName(filter)}_${order}_${descending ? 'desc' : 'asc'}`;
  return statement(
    name,
    textOf(name, () => {
      const { terms, chart, first } = orderOf(order, filter);
      const direction = descending ? 'DESC' : 'ASC';
      const sorted = terms.map((term) => `${term} ${direction}${NULLABLE.has(term) ? ' NULLS LAST' : ''}`);
      return `SELECT k.patient_id AS id FROM patient_name_key k${chart ? CHART : ''}
               WHERE k.organization_id = $1 AND ${conditions(filter, 4, first)} ORDER BY ${sorted.join(', ')} LIMIT $2 OFFSET $3`;
    }),
  );
}

/** How many there are, by a look at the keys alone. Values: organization, then those of the filter. */
export function patientCount(filter: PatientFilter): Statement<{ total: number }> {
  const name = `patient_count_${filterName(filter)}`;
  return statement(
    name,
    textOf(
      name,
      () =>
        `SELECT count(*)::int AS total FROM patient_name_key k WHERE k.organization_id = $1 AND ${conditions(filter, 2, filter.office ? 'k.shared_length < 0' : 'k.ordinal = 1')}`,
    ),
  );
}

const CHART = ' JOIN patient p ON p.organization_id = k.organization_id AND p.id = k.patient_id';
const NULLABLE: ReadonlySet<string> = new Set(
  Object.values(COLUMNS).filter((column) => column !== 'p.status' && column !== 'p.created_at' && column !== 'p.updated_at'),
);

/**
 * The terms of an order, whether they need the chart, and which condition picks the first key of each patient from the
 * index that stands in this order.
 */
function orderOf(order: PatientOrder, { lastName, firstName }: PatientFilter): { terms: string[]; chart: boolean; first: string } {
  const ordinal = 'k.ordinal = 1';
  if (order === 'id') return { terms: ['k.patient_id'], chart: false, first: ordinal };
  const byFirst = order === 'firstName' || (order === 'search' && firstName && !lastName);
  // A search by last name also finds later words of it, under a key that is not what the name begins with.
  if (lastName && order !== 'search') {
    const names = ["coalesce(p.last_name_folded, '')", "coalesce(p.first_name_folded, '')"];
    if (order === 'lastName' || order === 'firstName')
      return { terms: [...(byFirst ? names.toReversed() : names), 'k.patient_id'], chart: true, first: ordinal };
  }
  if (byFirst) return { terms: ['k.first_key', 'k.last_key', 'k.patient_id'], chart: false, first: ordinal };
  if (order === 'search' || order === 'lastName')
    return { terms: ['k.last_key', 'k.first_key', 'k.patient_id'], chart: false, first: 'k.shared_length < 0' };
  return { terms: [COLUMNS[order], 'k.patient_id'], chart: true, first: ordinal };
}

/** @param next the number of the first parameter of the filter; they follow in the order of its fields */
function conditions(filter: PatientFilter, next: number, first: string): string {
  const names = onNameKeys(filter, next, first);
  return [...names.found, ...(filter.ofUser ? [`k.patient_id IN (${patientsOf(names.next)})`] : [])].join(' AND ');
}

const patientsOf = (user: number) => `
  WITH clinician AS MATERIALIZED (SELECT d.id FROM provider d WHERE d.organization_id = $1 AND d.user_id = $${user}::int)
  SELECT c.id FROM patient c JOIN clinician ON c.primary_provider_id = clinician.id WHERE c.organization_id = $1
  UNION
  SELECT r.patient_id FROM patient_registration r JOIN clinician ON r.primary_provider_id = clinician.id
   WHERE r.organization_id = $1 AND r.status <> 'deleted'
  UNION
  SELECT a.patient_id FROM appointment a JOIN clinician ON a.provider_id = clinician.id WHERE a.organization_id = $1 AND a.status <> 'cancelled'
  UNION
  SELECT a.patient_id FROM user_appointment u JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id
   WHERE u.organization_id = $1 AND u.user_id = $${user}::int AND a.status <> 'cancelled'`;

function filterName({ lastName, firstName, office, ofUser }: PatientFilter): string {
  return ['k', lastName ? 'l' : '', firstName ? 'f' : '', office ? 'o' : '', ofUser ? 'u' : ''].join('');
}

/** The texts are a closed set, each written when it is first needed. */
const texts = new Map<string, string>();
function textOf(name: string, write: () => string): string {
  const text = texts.get(name) ?? write();
  texts.set(name, text);
  return text;
}
