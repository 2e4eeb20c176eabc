import type { FieldsOf, Kind } from '../../../records/field.ts';
import { GUARANTOR_ADDRESS, PATIENT } from '../../../records/patient.ts';
import { FIELDS, toColumn } from '../chart/chart-fields.sql.ts';
import { foldNameSql } from './name-keys.sql.ts';

/** Texts that are equal to a person: without regard to case and accents. */
const whereSame = (column: string) => (n: number) => `fold(${column}) = fold($${n})`;
/** The name that is sought; null, which no name is, where it has separators alone. */
const someName = (n: number) => `nullif(${foldNameSql(`$${n}`)}, '')`;
/** Names that are the same to a person. */
const sameName = (column: string) => (n: number) => `${foldNameSql(column)} = ${someName(n)}`;
const whereEqual =
  (column: string, type = 'text') =>
  (n: number) =>
    `${column} = $${n}::${type}`;
/** A number of another system, which a chart that was merged keeps, and which leads to the other. */
const whereOwnOrMerged = (column: string) => (n: number) =>
  `p.id IN (SELECT coalesce(l.merged_into_id, l.id) FROM patient l WHERE l.organization_id = $1 AND l.${column} = $${n})`;
const whereDay = (column: string) => whereEqual(column, 'date');
const whereId = (column: string) => whereEqual(column, 'int');
const whereText = (column: string) => whereEqual(column);

/** The condition on a field of each kind. */
const OF_KINDS = {
  name: sameName,
  line: whereSame,
  words: whereSame,
  city: whereSame,
  state: whereSame,
  zip: (column: string) => (n: number) => `starts_with(${column}, $${n})`,
  phone: whereText,
  phoneOrDeclined: whereText,
  email: whereSame,
  emailOrDeclined: whereSame,
  sex: whereSame,
  maritalStatus: whereSame,
  language: whereSame,
  pastDay: whereDay,
  reference: whereId,
  employer: whereId,
} satisfies Partial<Record<Kind, (column: string) => (n: number) => string>>;

type SoughtField = FieldsOf<typeof PATIENT, keyof typeof OF_KINDS>;

/** Conditions on the chart `p`; a part of the guarantor's address is the patient's where both live together. */
function conditionsOfChart(): Record<SoughtField, (n: number) => string>;
function conditionsOfChart(): Record<string, (n: number) => string> {
  const ofGuarantor = new Map<string, (n: number) => string>(
    GUARANTOR_ADDRESS.map(([part, own]) => {
      const [column, patients] = [toColumn(part), toColumn(own)];
      return [part, whereSame(`coalesce(p.${column}, CASE WHEN p.guarantor_address_same_as_patient THEN p.${patients} END)`)];
    }),
  );
  const kinds: Readonly<Partial<Record<Kind, (column: string) => (n: number) => string>>> = OF_KINDS;
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const where = kinds[PATIENT[field].kind];
      return where ? [[field, ofGuarantor.get(field) ?? where(`p.${toColumn(field)}`)]] : [];
    }),
  );
}

/** Any of several names, by its beginning. */
const whereBegins = (columns: string) => (n: number) =>
  `EXISTS (SELECT FROM unnest(ARRAY[${columns}]) AS own (name) WHERE starts_with(${foldNameSql('own.name')}, ${someName(n)}))`;

const NAMES = ['p.first_name', 'p.middle_name', 'p.last_name', 'p.preferred_name'];

/** Conditions on the appointment `a` to come: one that is not cancelled fits all that are given. */
const APPOINTMENT_CONDITIONS = {
  appointmentOfficeId: whereEqual('a.office_id', 'int'),
  appointmentProviderId: whereEqual('a.provider_id', 'int'),
  /** In the coming hours. Patients who were due in the last two are found too: they may be at the desk. */
  appointmentHours: (n: number) => `a.starts_at BETWEEN now() - interval '2 hours' AND now() + make_interval(hours => $${n}::int)`,
};

/** The fields of a chart that a search may name beside those, and the condition of each on the chart `p`. */
const CONDITIONS = {
  ...APPOINTMENT_CONDITIONS,
  ...conditionsOfChart(),
  ssn: (n: number) => `p.ssn_hash = ANY ($${n}::bytea[])`,
  updatedSince: (n: number) => `p.updated_at >= $${n}::timestamptz`,
  status: whereEqual('p.status', 'patient_status'),
  anyPhone: (n: number) => `(p.mobile_phone = $${n} OR p.home_phone = $${n} OR p.work_phone = $${n})`,
  /** Each word begins a name, or a later word of one. */
  name: (n: number) =>
    `NOT EXISTS (SELECT FROM regexp_split_to_table(trim(fold($${n})), '\\s+') AS word
                  WHERE strpos(' ' || translate(fold(concat_ws(' ', ${NAMES.join(', ')})), '-''’', '   '), ' ' || word) = 0
                    AND coalesce(strpos(concat_ws(' ', '', ${NAMES.map(foldNameSql).join(', ')}), ' ' || nullif(without_separators(word), '')), 0) = 0)`,
  anyFirstName: whereBegins('p.first_name, p.preferred_name, p.alt_first_name'),
  medicalRecordNo: whereOwnOrMerged('medical_record_no'),
  externalId: whereOwnOrMerged('external_id'),
};

export type ChartFilterField = keyof typeof CONDITIONS;

/** Values that the charts found have, by field; a day as `YYYY-MM-DD`, a telephone number as E.164, a social security number as its hashes. */
export type ChartFilter = { readonly [F in ChartFilterField]?: string | number | Date | readonly Uint8Array[] | undefined };

/** The charts that are sought. A statement with them is sent without a name and planned for its values: there are too many combinations to keep. */
export interface SoughtCharts {
  values: unknown[];
  /** Condition on the name keys `k` that their charts have the values. @param next the number of the first parameter */
  condition(next: number): string;
}

export const isFilterField = (name: string): name is ChartFilterField => Object.hasOwn(CONDITIONS, name);
const isOfAppointment = ({ name }: { name: string }): boolean => Object.hasOwn(APPOINTMENT_CONDITIONS, name);

/** @param conditions on the appointment `a` */
const hasAppointment = (conditions: string[]) =>
  `p.id IN (SELECT a.patient_id FROM appointment a WHERE a.organization_id = $1 AND a.status <> 'cancelled' AND ${conditions.join(' AND ')})`;

/** @returns undefined where the filter seeks nothing */
export function soughtCharts(filter: ChartFilter): SoughtCharts | undefined {
  const given = Object.entries(filter).flatMap(([name, value]) => (value !== undefined && isFilterField(name) ? [{ name, value }] : []));
  if (given.length === 0) return undefined;
  return {
    values: given.map(({ value }) => value),
    condition(next) {
      const numbered = given.map(({ name }, index) => ({ name, sql: CONDITIONS[name](next + index) }));
      const ofAppointment = numbered.filter(isOfAppointment).map(({ sql }) => sql);
      if (ofAppointment.length > 0 && filter.appointmentHours === undefined) ofAppointment.push('a.starts_at >= now()');
      const ofChart = numbered.filter((one) => !isOfAppointment(one)).map(({ sql }) => sql);
      const conditions = [...ofChart, ...(ofAppointment.length > 0 ? [hasAppointment(ofAppointment)] : [])];
      // `OFFSET 0` reads the charts first: the order of the list would otherwise be walked from its start.
      return `k.patient_id IN (SELECT p.id FROM patient p WHERE p.organization_id = $1 AND ${conditions.join(' AND ')} OFFSET 0)`;
    },
  };
}
