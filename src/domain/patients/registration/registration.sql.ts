import { type Statement, statement } from '../../../database/statements/statement.ts';
import type { Patient, RegistrationPolicy } from '../../../generated/prisma/client.ts';
import { FIELDS, type Field, type FieldsRow, fieldsAsJson, SETTABLE } from '../chart/chart-fields.sql.ts';
import { numberStoppedTexts } from '../number-stopped-texts.sql.ts';
import { unrestrictedUnless } from '../restrictions/restricted-charts.sql.ts';

/** Which of the rows that an input refers to exist, and the practice's zone. */
export interface PatientReferences {
  timeZone: string;
  /** The office exists and is open: a closed one takes no registration. */
  officeExists: boolean | null;
  providerExists: boolean | null;
  locationExists: boolean | null;
  /** The patient who has the medical record number; deleted charts keep theirs. */
  recordNumberHolder: Pick<Patient, 'id' | 'status' | 'restricted'> | null;
}

const references = (office: string, provider: string, location: string, recordNumber: string) => `
          (SELECT true FROM office WHERE organization_id = $1 AND id = ${office}::int AND active) AS "officeExists",
          (SELECT true FROM provider WHERE organization_id = $1 AND id = ${provider}::int) AS "providerExists",
          (SELECT true FROM location WHERE organization_id = $1 AND id = ${location}::int) AS "locationExists",
          (SELECT json_build_object('id', id, 'status', status, 'restricted', restricted) FROM patient
            WHERE organization_id = $1 AND medical_record_no = ${recordNumber}::text) AS "recordNumberHolder"`;

/** Draws the id of a new patient. */
export const PATIENT_ID = statement<{ id: number }>('patient_id', `SELECT nextval('patient_id_seq')::int AS id`);

/** Facts that a registration depends on: its references and the practice's policies. */
export type RegistrationContext = PatientReferences & {
  /** The mobile number sent STOP. */
  textsStopped: boolean;
  registrationPolicy: RegistrationPolicy;
  matchOnRegistration: boolean;
};

/** Values: organization, office, provider, location, medical record number, mobile number. */
export const REGISTRATION_CONTEXT = statement<RegistrationContext>(
  'registration_context',
  `SELECT g.time_zone AS "timeZone", g.registration_policy AS "registrationPolicy",
          g.match_on_registration AS "matchOnRegistration", ${numberStoppedTexts('$1', '$6::text')} AS "textsStopped", ${references('$2', '$3', '$4', '$5')}
     FROM organization g
    WHERE g.id = $1`,
);

/**
 * Condition that leaves out a chart `p` that is deleted, and one that is restricted or blocked for callers who may not see those.
 * @param mayRestricted parameter: whether the caller may see restricted charts (maySeeRestricted)
 */
export const visibleChart = (p: string, mayRestricted: string) => `${p}.status <> 'deleted' AND ${unrestrictedUnless(p, mayRestricted)}`;

/** Status and settable fields of a chart; `doNotSms` is whether the patient wants no texts (wantsNoTexts). */
export type ChartRow = Pick<Patient, 'status'> & { fields: FieldsRow };
/** The sources of `doNotSms`: the chart's own flag, and a STOP of its mobile number, or of the one that it is to get. */
type Consent = { ownDoNotSms: boolean; textsStopped: boolean; newTextsStopped: boolean };

/**
 * Reads a chart and locks it; no row for a deleted one, or for a restricted one that the caller may not see.
 * Values: organization, patient, office, provider, location, medical record number, whether the caller may see restricted charts, the
 * mobile number that it is to get.
 */
export const LOCK_PATIENT = statement<PatientReferences & ChartRow & Consent>(
  'lock_patient',
  `SELECT p.status, p.do_not_sms AS "ownDoNotSms", p.texts_stopped AS "textsStopped",
          ${numberStoppedTexts('$1', '$8::text')} AS "newTextsStopped", ${fieldsAsJson('p')},
          (SELECT time_zone FROM organization WHERE id = $1) AS "timeZone", ${references('$3', '$4', '$5', '$6')}
     FROM patient p
    WHERE p.organization_id = $1 AND p.id = $2 AND ${visibleChart('p', '$7')}
      FOR NO KEY UPDATE OF p`,
);

const today = '(now() AT TIME ZONE g.time_zone)::date';

/**
 * Triggers write the name keys, by which searches find the chart, and note whether its number has sent STOP and whether it copies a restricted
 * chart. Values: organization, id, and then all fields.
 */
export const INSERT_PATIENT = statement<never>(
  'insert_patient',
  `INSERT INTO patient (organization_id, id, registration_date, updated_at, ${FIELDS.map((field) => SETTABLE[field][0]).join(', ')})
   SELECT $1::int, $2::int, ${today}, now(), ${FIELDS.map((field, n) => `$${n + 3}::${SETTABLE[field][1]}`).join(', ')}
     FROM organization g
    WHERE g.id = $1::int`,
);

/**
 * Registers a patient at an office, under its financial group; an existing registration is kept. Values: organization, patient, office.
 */
export const REGISTER_AT_OFFICE = statement<never>(
  'register_at_office',
  `INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, local_patient_id, registered_on, updated_at)
   SELECT $1::int, $2::int, o.id, o.provider_group_id, $2::int, ${today}, now()
     FROM organization g
     JOIN office o ON o.organization_id = $1::int AND o.id = $3::int
    WHERE g.id = $1::int
       ON CONFLICT DO NOTHING`,
);

/** The largest number of combinations of fields with their own statement, each planned once per connection. */
const MAX_COMBINATIONS = 64;
const combinations = new Map<string, Statement<never>>();

/**
 * The statement that writes these fields of a chart that was locked. Only named columns cost anything: unchanged names are not folded again,
 * and no trigger looks at them. Beyond MAX_COMBINATIONS it is that for all fields. Values: organization, patient, and the fields that it names.
 */
export function changeOf(changed: readonly Field[]): { fields: readonly Field[]; change: Statement<never> } {
  const key = changed.join();
  const known = combinations.get(key);
  if (known) return { fields: changed, change: known };
  if (combinations.size >= MAX_COMBINATIONS && changed !== FIELDS) return changeOf(FIELDS);
  const columns = changed.flatMap((field, n) => {
    const value = `$${n + 3}::${SETTABLE[field][1]}`;
    return [`${SETTABLE[field][0]} = ${value}`, ...(field === 'email' ? [lastEmail(value)] : [])];
  });
  const change = statement<never>(
    `change_patient_${combinations.size}`,
    `UPDATE patient p SET updated_at = now(), ${columns.join(', ')} WHERE p.organization_id = $1::int AND p.id = $2::int`,
  );
  combinations.set(key, change);
  return { fields: changed, change };
}

const lastEmail = (email: string) =>
  `last_email = CASE WHEN p.email IS DISTINCT FROM ${email} THEN coalesce(p.email, p.last_email) ELSE p.last_email END`;
