import { statement } from '../../../database/statements/statement.ts';
import { numberStoppedTexts } from '../number-stopped-texts.sql.ts';
import { type PatientReferences, references } from '../registration/registration.sql.ts';
import { visibleChart } from '../restrictions/restricted-charts.sql.ts';
import { type FieldsRow, fieldsAsJson, parametersOf, perCombination, SETTABLE } from './chart-fields.sql.ts';

/** The fields of a chart; `doNotSms` is whether the patient wants no texts (wantsNoTexts). */
interface ChartRow {
  fields: FieldsRow;
}
/** The sources of `doNotSms`: the chart's own flag, and a STOP of its mobile number, or of the one that it is to get. */
type Consent = { ownDoNotSms: boolean; textsStopped: boolean; newTextsStopped: boolean };

/**
 * Reads a chart and locks it; no row for a deleted one, or for a restricted one that the caller may not see.
 * Values: organization, patient, office, provider, location, medical record number, whether the caller may see restricted charts, the
 * mobile number that it is to get, employers of the patient and of the guarantor.
 */
export const LOCK_PATIENT = statement<PatientReferences & ChartRow & Consent>(
  'lock_patient',
  `SELECT p.do_not_sms AS "ownDoNotSms", p.texts_stopped AS "textsStopped",
          ${numberStoppedTexts('$1', '$8::text')} AS "newTextsStopped", ${fieldsAsJson('p')},
          g.time_zone AS "timeZone", g.has_medication_history AS "hasMedicationHistory", ${references('$3', '$4', '$5', '$6', '$9', '$10')}
     FROM patient p
     JOIN organization g ON g.id = $1
    WHERE p.organization_id = $1 AND p.id = $2 AND ${visibleChart('p', '$7')}
      FOR NO KEY UPDATE OF p`,
);

/** Writes fields of a chart that was locked: unchanged names are not folded again, and no trigger looks at them. */
export const changeOf = perCombination('change_patient', (fields) => {
  const parameters = parametersOf(fields);
  const columns = fields.flatMap((field, n) => {
    const value = String(parameters[n]);
    return [`${SETTABLE[field][0]} = ${value}`, ...(field === 'email' ? [lastEmail(value)] : [])];
  });
  return `UPDATE patient p SET updated_at = now(), ${columns.join(', ')} WHERE p.organization_id = $1::int AND p.id = $2::int`;
});

const lastEmail = (email: string) =>
  `last_email = CASE WHEN p.email IS DISTINCT FROM ${email} THEN coalesce(p.email, p.last_email) ELSE p.last_email END`;

/** Every office knows the patient by the status of the chart. Values: organization, patient, status. */
export const SET_OFFICE_STATUSES = statement<never>(
  'set_office_statuses',
  'UPDATE patient_registration SET status = $3::patient_status, updated_at = now() WHERE organization_id = $1 AND patient_id = $2',
);
