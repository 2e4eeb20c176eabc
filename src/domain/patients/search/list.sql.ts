import { type ListOrder, listOrder } from '../../../database/statements/list-order.ts';
import { type Statement, selectInstant, statement, unnamed } from '../../../database/statements/statement.ts';
import { type ShownIn, shownIn } from '../../../records/field.ts';
import { PATIENT } from '../../../records/patient.ts';
import { type FieldsRow, selectField } from '../chart/chart-fields.sql.ts';
import { wantsNoTexts } from '../consent.sql.ts';
import { GUARDIANSHIP, guardianFields } from '../guardians/guardians.sql.ts';
import { type NamedPatient, sharedWith } from '../shared-numbers.sql.ts';
import type { SoughtCharts } from './chart-filters.sql.ts';
import { KEYS_WITH_RESTRICTED, onNameKeys } from './name-keys.sql.ts';

/** Fields of a list that are no fields of the chart, or are shown otherwise than they are stored. */
interface Derived {
  id: number;
  timeZone: string;
  guardianPatientId: number | null;
  guardianContactId: number | null;
  guardianRelationship: string | null;
  providerName: string | null;
  locationName: string | null;
  offices: { id: number; name: string }[];
  sharedWith: NamedPatient[];
  createdAt: string;
  updatedAt: string;
}

/** A patient as lists show one. The database writes days as `YYYY-MM-DD` and instants as `2026-03-08T14:30:00Z`. */
export interface ListedPatient extends Omit<Pick<FieldsRow, ShownIn<typeof PATIENT, 'mobile'>>, keyof Derived>, Derived {}

/** Fields that are not stored as they are shown. */
const SHOWN_OTHERWISE: Readonly<Record<string, string>> = { timeZone: 'coalesce(p.time_zone, g.time_zone)', doNotSms: wantsNoTexts('p') };

const OF_CHART = shownIn(PATIENT, 'mobile')
  .map((field) => `${SHOWN_OTHERWISE[field] ?? selectField(field)} AS "${field}"`)
  .join(', ');

const chooseNameKeys = (restricted: boolean) => (restricted ? KEYS_WITH_RESTRICTED : 'patient_name_key');
/** One key of each listed chart: deleted charts have none, and restricted and blocked ones for those who may see them. */
const joinListed = (restricted: boolean) =>
  `JOIN ${chooseNameKeys(restricted)} k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1`;

/** Values: organization, ids. In no order. */
export const selectListedPatients = (restricted: boolean): Statement<ListedPatient> =>
  statement(
    `listed_patients${restricted ? '_restricted' : ''}`,
    `SELECT p.id, ${OF_CHART},
          ${guardianFields(restricted ? 'true' : 'NOT sg.restricted')},
          coalesce(d.display_name, d.first_name || ' ' || d.last_name) AS "providerName",
          l.name AS "locationName",
          (SELECT coalesce(json_agg(json_build_object('id', o.id, 'name', o.name) ORDER BY o.id), '[]')
             FROM (SELECT r.office_id FROM patient_registration r
                    WHERE r.organization_id = $1 AND r.patient_id = p.id
                   UNION SELECT p.primary_office_id) AS known
             JOIN office o ON o.organization_id = $1 AND o.id = known.office_id) AS offices,
          ${sharedWith(['p.mobile_phone', 'p.home_phone'], 'p.id')} AS "sharedWith",
          ${selectInstant('p.created_at')} AS "createdAt", ${selectInstant('p.updated_at')} AS "updatedAt"
     FROM patient p
     ${joinListed(restricted)}
     JOIN organization g ON g.id = p.organization_id
     LEFT JOIN provider d ON d.organization_id = p.organization_id AND d.id = p.primary_provider_id
     LEFT JOIN location l ON l.organization_id = p.organization_id AND l.id = p.location_id
     ${GUARDIANSHIP}
    WHERE p.organization_id = $1 AND p.id = ANY ($2::int[])`,
  );

/** Values: organization, ids. In no order. */
export const selectNamedPatients = (restricted: boolean): Statement<NamedPatient> =>
  statement(
    `named_patients${restricted ? '_restricted' : ''}`,
    `SELECT p.id, p.first_name AS "firstName", p.last_name AS "lastName"
     FROM patient p ${joinListed(restricted)} WHERE p.organization_id = $1 AND p.id = ANY ($2::int[])`,
  );

/** Filters of a list of patients: starts of names and the primary office, or the patients of one user. */
export interface PatientFilter {
  lastName: boolean;
  firstName: boolean;
  office: boolean;
  /** A clinician's own patients: charts and registrations that name the clinician, and appointments with them. */
  ofUser: boolean;
  /** With restricted and blocked charts. */
  restricted: boolean;
  /** Absent where no field of the charts filters. */
  charts?: SoughtCharts | undefined;
}

/** Columns of the chart that a list can be sorted by. */
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
/** A column, or the order of the search by name. */
export type PatientOrder = 'search' | 'id' | 'lastName' | 'firstName' | keyof typeof COLUMNS;

export interface PatientListing {
  filter: PatientFilter;
  order: PatientOrder;
  descending: boolean;
}

export function patientOrder({ filter, order, descending }: PatientListing): ListOrder {
  const terms = writeOrder(order, filter).terms.map((sql) => ({ sql, isNullable: NULLABLE.has(sql) }));
  return listOrder(`patient_page_${filterName(filter)}_${order}_${descending ? 'desc' : 'asc'}`, terms, descending);
}

/**
 * The ids of a page, in order. Values: organization, limit, offset, then those of the filter, then the position before it.
 * @param values of the filter
 */
export function patientPage(listing: PatientListing, values = 0, isAfter = false): Statement<{ id: number; position: string }> {
  const { filter, order } = listing;
  const { name, by, position, after } = patientOrder(listing);
  return keepUnder(`${name}${isAfter ? '_after' : ''}`, filter, () => {
    const { chart, first } = writeOrder(order, filter);
    return `SELECT k.patient_id AS id, ${position} AS position FROM ${chooseNameKeys(filter.restricted)} k${chart ? CHART : ''}
             WHERE k.organization_id = $1 AND ${conditions(filter, 4, first)} ${isAfter ? `AND ${after((term) => `$${4 + values + term}`)}` : ''}
             ORDER BY ${by} LIMIT $2 OFFSET $3`;
  });
}

/** Number of patients, counted along the keys alone. Values: organization, then those of the filter. */
export function patientCount(filter: PatientFilter): Statement<{ total: number }> {
  const name = `patient_count_${filterName(filter)}`;
  const first = filter.office ? 'k.shared_length < 0' : 'k.ordinal = 1';
  return keepUnder(
    name,
    filter,
    () =>
      `SELECT count(*)::int AS total FROM ${chooseNameKeys(filter.restricted)} k WHERE k.organization_id = $1 AND ${conditions(filter, 2, first)}`,
  );
}

const CHART = ' JOIN patient p ON p.organization_id = k.organization_id AND p.id = k.patient_id';
const NULLABLE: ReadonlySet<string> = new Set(
  Object.values(COLUMNS).filter((column) => column !== 'p.status' && column !== 'p.created_at' && column !== 'p.updated_at'),
);

/**
 * The terms of an order, whether they need the chart, and the condition that picks the first key of each patient in the
 * index of this order.
 */
function writeOrder(order: PatientOrder, { lastName, firstName }: PatientFilter): { terms: string[]; chart: boolean; first: string } {
  const ordinal = 'k.ordinal = 1';
  if (order === 'id') return { terms: ['k.patient_id'], chart: false, first: ordinal };
  const byFirst = order === 'firstName' || (order === 'search' && firstName && !lastName);
  // A search by last name also finds later words of it, whose keys are not the start of the name.
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
  const ofUser = filter.ofUser ? [`k.patient_id IN (${selectCaseload(names.next)})`] : [];
  const charts = filter.charts ? [filter.charts.condition(names.next + ofUser.length)] : [];
  return [...names.found, ...ofUser, ...charts].join(' AND ');
}

const selectCaseload = (user: number) => `
  WITH clinician AS MATERIALIZED (SELECT d.id FROM provider d WHERE d.organization_id = $1 AND d.user_id = $${user}::int)
  SELECT c.id FROM patient c JOIN clinician ON c.primary_provider_id = clinician.id WHERE c.organization_id = $1
  UNION
  SELECT r.patient_id FROM patient_registration r JOIN clinician ON r.primary_provider_id = clinician.id
   WHERE r.organization_id = $1
  UNION
  SELECT a.patient_id FROM appointment a JOIN clinician ON a.provider_id = clinician.id WHERE a.organization_id = $1 AND a.status <> 'cancelled'
  UNION
  SELECT a.patient_id FROM user_appointment u JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id
   WHERE u.organization_id = $1 AND u.user_id = $${user}::int AND a.status <> 'cancelled'`;

function filterName({ lastName, firstName, office, ofUser, restricted }: PatientFilter): string {
  return ['k', lastName ? 'l' : '', firstName ? 'f' : '', office ? 'o' : '', ofUser ? 'u' : '', restricted ? 'r' : ''].join('');
}

/** The statements without a filter of charts, a closed set; each is composed when it is first needed. */
const kept = new Map<string, Statement<never>>();
function keepUnder<R extends object>(name: string, { charts }: PatientFilter, write: () => string): Statement<R> {
  if (charts) return unnamed(write());
  const found = kept.get(name) ?? statement<never>(name, write());
  kept.set(name, found);
  return found;
}
