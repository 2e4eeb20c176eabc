import type { Patient, RegistrationPolicy } from '../../generated/prisma/client.ts';
import { statement } from '../reads/statement.ts';
import { withJournal } from '../recording.ts';

/** What a dialect may set on a chart: column and type of each field. */
const SETTABLE = {
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
  census: ['census', 'boolean'],
  primaryOfficeId: ['primary_office_id', 'int'],
  primaryProviderId: ['primary_provider_id', 'int'],
  locationId: ['location_id', 'int'],
  flags: ['flags', 'text[]'],
  doNotSms: ['do_not_sms', 'boolean'],
} as const satisfies Partial<Record<keyof Patient, readonly [string, string]>>;

/** Telephone numbers are E.164, days are Dates at midnight UTC. */
export type PatientFields = Pick<Patient, keyof typeof SETTABLE>;

/** The fields of a chart that has nothing yet. */
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
  census: null,
  primaryOfficeId: null,
  primaryProviderId: null,
  locationId: null,
  flags: [],
  doNotSms: false,
};

const columns = Object.values(SETTABLE).map(([column]) => column);
const given = Object.keys(SETTABLE).map((field) => `given."${field}"`);
/** All fields in one parameter, as JSON: to bind each by itself costs more. */
const fieldsIn = (place: string) =>
  `jsonb_to_record(${place}::jsonb) AS given (${Object.entries(SETTABLE)
    .map(([field, [, type]]) => `"${field}" ${type}`)
    .join(', ')})`;

/** What stands around a chart: what it may name, and what its practice says of registrations. */
export interface Surroundings {
  timeZone: string;
  registrationPolicy: RegistrationPolicy;
  matchOnRegistration: boolean;
  office: { id: number; providerGroupId: number | null } | null;
  providerStands: boolean | null;
  locationStands: boolean | null;
  /** Whose the medical record number is; of deleted charts too. */
  recordNumberHolder: Pick<Patient, 'id' | 'status'> | null;
}

/** With `g` for the practice. */
const surroundings = (office: string, provider: string, location: string, recordNumber: string) => `
          g.time_zone AS "timeZone", g.registration_policy AS "registrationPolicy", g.match_on_registration AS "matchOnRegistration",
          (SELECT json_build_object('id', id, 'providerGroupId', provider_group_id) FROM office
            WHERE organization_id = $1 AND id = ${office}::int) AS office,
          (SELECT true FROM provider WHERE organization_id = $1 AND id = ${provider}::int) AS "providerStands",
          (SELECT true FROM location WHERE organization_id = $1 AND id = ${location}::int) AS "locationStands",
          (SELECT json_build_object('id', id, 'status', status) FROM patient
            WHERE organization_id = $1 AND medical_record_no = ${recordNumber}::text) AS "recordNumberHolder"`;

/** With an id for a new chart. Values: organization, office, provider, location, medical record number. */
export const BEFORE_REGISTRATION = statement<Surroundings & { id: number }>(
  'before_registration',
  `SELECT nextval('patient_id_seq')::int AS id, ${surroundings('$2', '$3', '$4', '$5')}
     FROM organization g
    WHERE g.id = $1`,
);

/** As JSON: days are `YYYY-MM-DD`. */
export type FieldsRow = Omit<PatientFields, 'birthDate' | 'admitDate'> & { birthDate: string | null; admitDate: string | null };

type PatientToChange = Surroundings & Pick<Patient, 'id' | 'status'> & { version: string; fields: FieldsRow };

/**
 * A chart before it changes, and none for a deleted one; `version` is of the row, and another once it has changed.
 * Values: organization, patient, office, provider, location, medical record number.
 */
export const PATIENT_TO_CHANGE = statement<PatientToChange>(
  'patient_to_change',
  `SELECT p.id, p.status, p.xmin::text AS version, json_build_object(${Object.entries(SETTABLE)
    .map(([field, [column]]) => `'${field}', p.${column}`)
    .join(', ')}) AS fields, ${surroundings('$3', '$4', '$5', '$6')}
     FROM organization g
     JOIN patient p ON p.organization_id = g.id AND p.id = $2 AND p.status <> 'deleted'
    WHERE g.id = $1`,
);

/** The same, and from then on no one else changes it. */
export const PATIENT_HELD = statement<PatientToChange>('patient_held', `${PATIENT_TO_CHANGE.text} FOR NO KEY UPDATE OF p`);

/** Enters a patient in the books of an office, under its financial group; nothing happens where that was done before. */
const registered = (proof: string) => `
   registered AS (
     INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, local_patient_id, registered_on, updated_at)
     SELECT $1::int, ${proof}.id, $12::int, $13::int, ${proof}.id, $11::date, now()
       FROM ${proof}
      WHERE $12::int IS NOT NULL
         ON CONFLICT DO NOTHING
   )`;

/** Values after those of the journal: patient, fields, today, office, its financial group. */
export const ADD_PATIENT = withJournal(
  'add_patient',
  `added AS (
     INSERT INTO patient (organization_id, id, registration_date, updated_at, ${columns.join(', ')})
     SELECT $1::int, $9::int, $11::date, now(), ${given.join(', ')} FROM ${fieldsIn('$10')}
     RETURNING id
   ), ${registered('added')}`,
  'added',
);

/**
 * Done only while the row is of the version that was read. Values after those of the journal: patient, fields, today, office,
 * its financial group, the last email before this one, version.
 */
export const CHANGE_PATIENT = withJournal(
  'change_patient',
  `changed AS (
     UPDATE patient p SET (updated_at, last_email, ${columns.join(', ')}) = ROW(now(), coalesce($14::text, p.last_email), ${given.join(', ')})
       FROM ${fieldsIn('$10')}
      WHERE p.organization_id = $1::int AND p.id = $9::int AND p.xmin = $15::xid
     RETURNING p.id
   ), ${registered('changed')}`,
  'changed',
);

/** Whoever registers someone of that name at the same time waits. Values: organization, first and last name. */
export const HOLD_NAME = statement<never>(
  'hold_name',
  `SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(E'\n', 'registration', fold($2::text), fold($3::text)), $1::int))::text`,
);

/** Values: organization, first and last name, birth date, the first five digits of the zip, email, telephone numbers. */
export const SAME_PERSON = statement<{ id: number }>(
  'same_person',
  `SELECT p.id
     FROM patient_name_key k
     JOIN patient p ON p.organization_id = k.organization_id AND p.id = k.patient_id
    WHERE k.organization_id = $1 AND k.first_key = fold($2::text) AND k.last_key = fold($3::text) AND k.ordinal = 1
      AND p.birth_date = $4::date
      AND (left(p.zip, 5) = $5::text OR lower(p.email) = lower($6::text) OR p.home_phone = ANY ($7::text[]) OR p.mobile_phone = ANY ($7::text[]))
    ORDER BY p.id LIMIT 1`,
);
