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
/** A field of the guarantor's address, which is the patient's where both live together. */
const guarantors = (field: string) =>
  whereSame(`coalesce(p.guarantor_${field}, CASE WHEN p.guarantor_address_same_as_patient THEN p.${field} END)`);
/** A number of another system, which a chart that was merged keeps, and which leads to the other. */
const whereOwnOrMerged = (column: string) => (n: number) =>
  `p.id IN (SELECT coalesce(l.merged_into_id, l.id) FROM patient l WHERE l.organization_id = $1 AND l.${column} = $${n})`;
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
  ssn: (n: number) => `p.ssn_hash = ANY ($${n}::bytea[])`,
  birthDate: whereEqual('p.birth_date', 'date'),
  deceasedDate: whereEqual('p.deceased_date', 'date'),
  registrationDate: whereEqual('p.registration_date', 'date'),
  updatedSince: (n: number) => `p.updated_at >= $${n}::timestamptz`,
  status: whereEqual('p.status', 'patient_status'),
  email: whereSame('p.email'),
  mobilePhone: whereEqual('p.mobile_phone'),
  homePhone: whereEqual('p.home_phone'),
  workPhone: whereEqual('p.work_phone'),
  anyPhone: (n: number) => `(p.mobile_phone = $${n} OR p.home_phone = $${n} OR p.work_phone = $${n})`,
  /** Each word begins a name, or a later word of one. */
  name: (n: number) =>
    `NOT EXISTS (SELECT FROM regexp_split_to_table(trim(fold($${n})), '\\s+') AS word
                  WHERE strpos(' ' || translate(fold(concat_ws(' ', ${NAMES.join(', ')})), '-''’', '   '), ' ' || word) = 0
                    AND coalesce(strpos(concat_ws(' ', '', ${NAMES.map(foldNameSql).join(', ')}), ' ' || nullif(without_separators(word), '')), 0) = 0)`,
  anyFirstName: whereBegins('p.first_name, p.preferred_name, p.alt_first_name'),
  middleName: sameName('p.middle_name'),
  suffix: whereSame('p.suffix'),
  preferredName: sameName('p.preferred_name'),
  altFirstName: sameName('p.alt_first_name'),
  sex: whereSame('p.sex'),
  maritalStatus: whereSame('p.marital_status'),
  languageCode: whereSame('p.language_code'),
  address1: whereSame('p.address1'),
  address2: whereSame('p.address2'),
  city: whereSame('p.city'),
  state: whereSame('p.state'),
  zip: (n: number) => `starts_with(p.zip, $${n})`,
  medicalRecordNo: whereOwnOrMerged('medical_record_no'),
  externalId: whereOwnOrMerged('external_id'),
  primaryProviderId: whereEqual('p.primary_provider_id', 'int'),
  locationId: whereEqual('p.location_id', 'int'),
  employerId: whereEqual('p.employer_id', 'int'),
  contactName: sameName('p.contact_name'),
  contactHomePhone: whereEqual('p.contact_home_phone'),
  contactMobilePhone: whereEqual('p.contact_mobile_phone'),
  nextOfKinName: sameName('p.next_of_kin_name'),
  nextOfKinPhone: whereEqual('p.next_of_kin_phone'),
  guardianFirstName: sameName('p.guardian_first_name'),
  guardianMiddleName: sameName('p.guardian_middle_name'),
  guardianLastName: sameName('p.guardian_last_name'),
  guardianSuffix: whereSame('p.guardian_suffix'),
  guarantorFirstName: sameName('p.guarantor_first_name'),
  guarantorMiddleName: sameName('p.guarantor_middle_name'),
  guarantorLastName: sameName('p.guarantor_last_name'),
  guarantorSuffix: whereSame('p.guarantor_suffix'),
  guarantorBirthDate: whereEqual('p.guarantor_birth_date', 'date'),
  guarantorEmail: whereSame('p.guarantor_email'),
  guarantorPhone: whereEqual('p.guarantor_phone'),
  guarantorRelationshipToPatient: whereSame('p.guarantor_relationship_to_patient'),
  guarantorEmployerId: whereEqual('p.guarantor_employer_id', 'int'),
  guarantorAddress1: guarantors('address1'),
  guarantorAddress2: guarantors('address2'),
  guarantorCity: guarantors('city'),
  guarantorState: guarantors('state'),
  guarantorZip: guarantors('zip'),
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

const isField = (name: string): name is ChartFilterField => Object.hasOwn(CONDITIONS, name);
const isOfAppointment = ({ name }: { name: string }): boolean => Object.hasOwn(APPOINTMENT_CONDITIONS, name);

/** @param conditions on the appointment `a` */
const hasAppointment = (conditions: string[]) =>
  `p.id IN (SELECT a.patient_id FROM appointment a WHERE a.organization_id = $1 AND a.status <> 'cancelled' AND ${conditions.join(' AND ')})`;

/** @returns undefined where the filter seeks nothing */
export function soughtCharts(filter: ChartFilter): SoughtCharts | undefined {
  const given = Object.entries(filter).flatMap(([name, value]) => (value !== undefined && isField(name) ? [{ name, value }] : []));
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
