import { comparedName } from './name-keys.sql.ts';

/** Texts that are equal to a person: without regard to case and accents. */
const same = (column: string) => (n: number) => `fold(${column}) = fold($${n})`;
/** The name that is sought; null, which no name is, where it has separators alone. */
const someName = (n: number) => `nullif(${comparedName(`$${n}`)}, '')`;
/** Names that are the same to a person. */
const sameName = (column: string) => (n: number) => `${comparedName(column)} = ${someName(n)}`;
const equal =
  (column: string, type = 'text') =>
  (n: number) =>
    `${column} = $${n}::${type}`;
/** A field of the guarantor's address, which is the patient's where both live together. */
const guarantors = (field: string) =>
  same(`coalesce(p.guarantor_${field}, CASE WHEN p.guarantor_address_same_as_patient THEN p.${field} END)`);
/** A number of another system, which a chart that was merged keeps, and which leads to the other. */
const ownOrMerged = (column: string) => (n: number) =>
  `p.id IN (SELECT coalesce(l.merged_into_id, l.id) FROM patient l WHERE l.organization_id = $1 AND l.${column} = $${n})`;
/** Any of several names, by its beginning. */
const begins = (columns: string) => (n: number) =>
  `EXISTS (SELECT FROM unnest(ARRAY[${columns}]) AS own (name) WHERE starts_with(${comparedName('own.name')}, ${someName(n)}))`;

const NAMES = ['p.first_name', 'p.middle_name', 'p.last_name', 'p.preferred_name'];

/** Conditions on the appointment `a` to come: one that is not cancelled fits all that are given. */
const APPOINTMENT_CONDITIONS = {
  appointmentOfficeId: equal('a.office_id', 'int'),
  appointmentProviderId: equal('a.provider_id', 'int'),
  /** In the coming hours. Patients who were due in the last two are found too: they may be at the desk. */
  appointmentHours: (n: number) => `a.starts_at BETWEEN now() - interval '2 hours' AND now() + make_interval(hours => $${n}::int)`,
};

/** The fields of a chart that a search may name beside those, and the condition of each on the chart `p`. */
const CONDITIONS = {
  ...APPOINTMENT_CONDITIONS,
  ssn: (n: number) => `p.ssn_hash = ANY ($${n}::bytea[])`,
  birthDate: equal('p.birth_date', 'date'),
  deceasedDate: equal('p.deceased_date', 'date'),
  registrationDate: equal('p.registration_date', 'date'),
  updatedSince: (n: number) => `p.updated_at >= $${n}::timestamptz`,
  status: equal('p.status', 'patient_status'),
  email: same('p.email'),
  mobilePhone: equal('p.mobile_phone'),
  homePhone: equal('p.home_phone'),
  workPhone: equal('p.work_phone'),
  anyPhone: (n: number) => `(p.mobile_phone = $${n} OR p.home_phone = $${n} OR p.work_phone = $${n})`,
  /** Each word begins a name, or a later word of one. */
  name: (n: number) =>
    `NOT EXISTS (SELECT FROM regexp_split_to_table(trim(fold($${n})), '\\s+') AS word
                  WHERE strpos(' ' || translate(fold(concat_ws(' ', ${NAMES.join(', ')})), '-''’', '   '), ' ' || word) = 0
                    AND coalesce(strpos(concat_ws(' ', '', ${NAMES.map(comparedName).join(', ')}), ' ' || nullif(without_separators(word), '')), 0) = 0)`,
  anyFirstName: begins('p.first_name, p.preferred_name, p.alt_first_name'),
  middleName: sameName('p.middle_name'),
  suffix: same('p.suffix'),
  preferredName: sameName('p.preferred_name'),
  altFirstName: sameName('p.alt_first_name'),
  sex: same('p.sex'),
  maritalStatus: same('p.marital_status'),
  languageCode: same('p.language_code'),
  address1: same('p.address1'),
  address2: same('p.address2'),
  city: same('p.city'),
  state: same('p.state'),
  zip: (n: number) => `starts_with(p.zip, $${n})`,
  medicalRecordNo: ownOrMerged('medical_record_no'),
  externalId: ownOrMerged('external_id'),
  primaryProviderId: equal('p.primary_provider_id', 'int'),
  locationId: equal('p.location_id', 'int'),
  employerId: equal('p.employer_id', 'int'),
  contactName: sameName('p.contact_name'),
  contactHomePhone: equal('p.contact_home_phone'),
  contactMobilePhone: equal('p.contact_mobile_phone'),
  nextOfKinName: sameName('p.next_of_kin_name'),
  nextOfKinPhone: equal('p.next_of_kin_phone'),
  guardianFirstName: sameName('p.guardian_first_name'),
  guardianMiddleName: sameName('p.guardian_middle_name'),
  guardianLastName: sameName('p.guardian_last_name'),
  guardianSuffix: same('p.guardian_suffix'),
  guarantorFirstName: sameName('p.guarantor_first_name'),
  guarantorMiddleName: sameName('p.guarantor_middle_name'),
  guarantorLastName: sameName('p.guarantor_last_name'),
  guarantorSuffix: same('p.guarantor_suffix'),
  guarantorBirthDate: equal('p.guarantor_birth_date', 'date'),
  guarantorEmail: same('p.guarantor_email'),
  guarantorPhone: equal('p.guarantor_phone'),
  guarantorRelationshipToPatient: same('p.guarantor_relationship_to_patient'),
  guarantorEmployerId: equal('p.guarantor_employer_id', 'int'),
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
