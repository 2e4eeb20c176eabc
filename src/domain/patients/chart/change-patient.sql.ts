import { type Statement, statement } from '../../../database/statements/statement.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { numberStoppedTexts } from '../number-stopped-texts.sql.ts';
import { type PatientReferences, references } from '../registration/registration.sql.ts';
import { visibleChart } from '../restrictions/restricted-charts.sql.ts';
import { FIELDS, type Field, type FieldsRow, fieldsAsJson, SETTABLE } from './chart-fields.sql.ts';

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
