import type { Patient } from '../../../generated/prisma/client.ts';
import { wantsNoTexts } from '../consent.sql.ts';

/** Fields of a chart that a dialect or an import may set, with the column and the SQL type of each. */
export const SETTABLE = {
  firstName: ['first_name', 'text'],
  lastName: ['last_name', 'text'],
  address1: ['address1', 'text'],
  address2: ['address2', 'text'],
  city: ['city', 'text'],
  state: ['state', 'text'],
  zip: ['zip', 'text'],
  email: ['email', 'text'],
  emailDeclined: ['email_declined', 'boolean'],
  homePhone: ['home_phone', 'text'],
  mobilePhone: ['mobile_phone', 'text'],
  mobilePhoneDeclined: ['mobile_phone_declined', 'boolean'],
  birthDate: ['birth_date', 'date'],
  admitDate: ['admit_date', 'date'],
  sex: ['sex', 'text'],
  races: ['races', 'text[]'],
  medicalRecordNo: ['medical_record_no', 'text'],
  externalId: ['external_id', 'text'],
  census: ['census', 'boolean'],
  primaryOfficeId: ['primary_office_id', 'int'],
  primaryProviderId: ['primary_provider_id', 'int'],
  locationId: ['location_id', 'int'],
  flags: ['flags', 'text[]'],
  doNotSms: ['do_not_sms', 'boolean'],
} as const satisfies Partial<Record<keyof Patient, readonly [string, string]>>;

/** Telephone numbers are E.164, days are Dates at midnight UTC. */
export type PatientFields = Pick<Patient, keyof typeof SETTABLE>;

/** The fields of an empty chart. */
export const NO_FIELDS: PatientFields = {
  firstName: null,
  lastName: null,
  address1: null,
  address2: null,
  city: null,
  state: null,
  zip: null,
  email: null,
  emailDeclined: false,
  homePhone: null,
  mobilePhone: null,
  mobilePhoneDeclined: false,
  birthDate: null,
  admitDate: null,
  sex: null,
  races: [],
  medicalRecordNo: null,
  externalId: null,
  census: null,
  primaryOfficeId: null,
  primaryProviderId: null,
  locationId: null,
  flags: [],
  doNotSms: false,
};

/** A field that may be set, by its name in the domain. */
export type Field = keyof PatientFields;

/** All of them, in the order of the values of a statement that writes a whole chart. */
export const FIELDS = Object.keys(SETTABLE).filter((name): name is Field => name in SETTABLE);

/** The fields as JSON, where days are `YYYY-MM-DD`. */
export type FieldsRow = Omit<PatientFields, 'birthDate' | 'admitDate'> & { birthDate: string | null; admitDate: string | null };

/** The settable fields of a row as JSON; `doNotSms` is whether the patient wants no texts. */
export const fieldsAsJson = (row: string) =>
  `json_build_object(${Object.entries(SETTABLE)
    .map(([field, [column]]) => `'${field}', ${column === 'do_not_sms' ? wantsNoTexts(row) : `${row}.${column}`}`)
    .join(', ')}) AS fields`;

/** Values of all fields, in the order of FIELDS. */
export const fieldValues = (fields: PatientFields): unknown[] => FIELDS.map((field) => fields[field]);
