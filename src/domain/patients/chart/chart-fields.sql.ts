import { z } from 'zod';
import { type Statement, statement } from '../../../database/statements/statement.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { wantsNoTexts } from '../consent.sql.ts';

/** Fields of a chart that a dialect or an import may set, with the column and the SQL type of each. */
export const SETTABLE = {
  status: ['status', 'patient_status'],
  firstName: ['first_name', 'text'],
  middleName: ['middle_name', 'text'],
  lastName: ['last_name', 'text'],
  suffix: ['suffix', 'text'],
  preferredName: ['preferred_name', 'text'],
  altFirstName: ['alt_first_name', 'text'],
  preferredPronouns: ['preferred_pronouns', 'text'],
  sex: ['sex', 'text'],
  assignedSexAtBirth: ['assigned_sex_at_birth', 'text'],
  genderIdentity: ['gender_identity', 'text'],
  genderIdentityOther: ['gender_identity_other', 'text'],
  sexualOrientation: ['sexual_orientation', 'text'],
  sexualOrientationOther: ['sexual_orientation_other', 'text'],
  birthDate: ['birth_date', 'date'],
  deceasedDate: ['deceased_date', 'date'],
  admitDate: ['admit_date', 'date'],
  registrationDate: ['registration_date', 'date'],
  maritalStatus: ['marital_status', 'text'],
  races: ['races', 'text[]'],
  ethnicityCode: ['ethnicity_code', 'text'],
  languageCode: ['language_code', 'text'],
  address1: ['address1', 'text'],
  address2: ['address2', 'text'],
  city: ['city', 'text'],
  state: ['state', 'text'],
  zip: ['zip', 'text'],
  countryCode: ['country_code', 'text'],
  countryCode3166: ['country_code_3166', 'text'],
  homePhone: ['home_phone', 'text'],
  mobilePhone: ['mobile_phone', 'text'],
  mobilePhoneDeclined: ['mobile_phone_declined', 'boolean'],
  workPhone: ['work_phone', 'text'],
  email: ['email', 'text'],
  emailDeclined: ['email_declined', 'boolean'],
  contactPreference: ['contact_preference', 'text'],
  timeZone: ['time_zone', 'text'],
  doNotCall: ['do_not_call', 'boolean'],
  doNotSms: ['do_not_sms', 'boolean'],
  homebound: ['homebound', 'boolean'],
  contactName: ['contact_name', 'text'],
  contactRelationship: ['contact_relationship', 'text'],
  contactHomePhone: ['contact_home_phone', 'text'],
  contactMobilePhone: ['contact_mobile_phone', 'text'],
  nextOfKinName: ['next_of_kin_name', 'text'],
  nextOfKinRelationship: ['next_of_kin_relationship', 'text'],
  nextOfKinPhone: ['next_of_kin_phone', 'text'],
  guardianFirstName: ['guardian_first_name', 'text'],
  guardianMiddleName: ['guardian_middle_name', 'text'],
  guardianLastName: ['guardian_last_name', 'text'],
  guardianSuffix: ['guardian_suffix', 'text'],
  guarantorFirstName: ['guarantor_first_name', 'text'],
  guarantorMiddleName: ['guarantor_middle_name', 'text'],
  guarantorLastName: ['guarantor_last_name', 'text'],
  guarantorSuffix: ['guarantor_suffix', 'text'],
  guarantorAddressSameAsPatient: ['guarantor_address_same_as_patient', 'boolean'],
  guarantorAddress1: ['guarantor_address1', 'text'],
  guarantorAddress2: ['guarantor_address2', 'text'],
  guarantorCity: ['guarantor_city', 'text'],
  guarantorState: ['guarantor_state', 'text'],
  guarantorZip: ['guarantor_zip', 'text'],
  guarantorCountryCode: ['guarantor_country_code', 'text'],
  guarantorCountryCode3166: ['guarantor_country_code_3166', 'text'],
  guarantorBirthDate: ['guarantor_birth_date', 'date'],
  guarantorEmail: ['guarantor_email', 'text'],
  guarantorPhone: ['guarantor_phone', 'text'],
  guarantorRelationshipToPatient: ['guarantor_relationship_to_patient', 'text'],
  guarantorEmployerId: ['guarantor_employer_id', 'int'],
  employerId: ['employer_id', 'int'],
  employerPhone: ['employer_phone', 'text'],
  industryCode: ['industry_code', 'text'],
  occupationCode: ['occupation_code', 'text'],
  primaryOfficeId: ['primary_office_id', 'int'],
  primaryProviderId: ['primary_provider_id', 'int'],
  locationId: ['location_id', 'int'],
  medicalRecordNo: ['medical_record_no', 'text'],
  externalId: ['external_id', 'text'],
  census: ['census', 'boolean'],
  flags: ['flags', 'text[]'],
  portalTermsOnFile: ['portal_terms_on_file', 'boolean'],
  portalSignatureOnFile: ['portal_signature_on_file', 'boolean'],
  portalAccessGiven: ['portal_access_given', 'boolean'],
  medicationHistoryConsentVerified: ['medication_history_consent_verified', 'boolean'],
} as const satisfies Partial<Record<keyof Patient, readonly [string, string]>>;

/** Telephone numbers are E.164, days are Dates at midnight UTC. */
export type PatientFields = Pick<Patient, keyof typeof SETTABLE>;

/** Fields that a dialect sets. A field that is absent keeps its value; null clears it. */
export type PatientInput = { [K in keyof PatientFields]?: PatientFields[K] | undefined };

/** A field that may be set, by its name in the domain. */
export type Field = keyof PatientFields;

/** All of them, in the order of the values of a statement that writes a whole chart. */
export const FIELDS = Object.keys(SETTABLE).filter((name): name is Field => name in SETTABLE);

/** A chart of which nothing is known. */
export const NO_FIELDS: PatientFields = {
  ...z.record(z.enum(FIELDS), z.null()).parse(Object.fromEntries(FIELDS.map((field) => [field, null]))),
  status: 'active',
  races: [],
  mobilePhoneDeclined: false,
  emailDeclined: false,
  doNotCall: false,
  doNotSms: false,
  homebound: false,
  flags: [],
};

const DAYS = ['birthDate', 'deceasedDate', 'admitDate', 'registrationDate', 'guarantorBirthDate'] as const satisfies readonly Field[];
type Day = (typeof DAYS)[number];

/** The fields as JSON, where days are `YYYY-MM-DD`. */
export type FieldsRow = Omit<PatientFields, Day> & Record<Day, string | null>;

/** The settable fields of a row as JSON; `doNotSms` is whether the patient wants no texts. */
export const fieldsAsJson = (row: string) =>
  `(SELECT row_to_json(f) FROM (SELECT ${Object.entries(SETTABLE)
    .map(([field, [column]]) => `${column === 'do_not_sms' ? wantsNoTexts(row) : `${row}.${column}`} AS "${field}"`)
    .join(', ')}) f) AS fields`;

/** The largest number of combinations of fields with their own statement, each planned once per connection. */
const MAX_COMBINATIONS = 64;

/** A statement that writes these fields: its values are the organization, the patient, and then the fields. */
interface FieldsWrite {
  fields: readonly Field[];
  write: Statement<never>;
}

/**
 * Statements that write the fields that they name, and no other: an unnamed one costs nothing. Beyond MAX_COMBINATIONS it is the one for all
 * fields.
 */
export function perCombination(name: string, writeText: (fields: readonly Field[]) => string): (fields: readonly Field[]) => FieldsWrite {
  const known = new Map<string, FieldsWrite>();
  return function findWrite(fields) {
    const before = known.get(fields.join());
    if (before) return before;
    if (known.size >= MAX_COMBINATIONS && fields !== FIELDS) return findWrite(FIELDS);
    const made = { fields, write: statement<never>(`${name}_${known.size}`, writeText(fields)) };
    known.set(fields.join(), made);
    return made;
  };
}

/** The parameter of each of the fields, behind organization and patient. */
export const writeParameters = (fields: readonly Field[]): string[] => fields.map((field, n) => `$${n + 3}::${SETTABLE[field][1]}`);
