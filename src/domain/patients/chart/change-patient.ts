import { statement } from '../../../database/statements/statement.ts';
import { fieldsOf } from '../../../records/field.ts';
import { PATIENT } from '../../../records/patient.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import { DELETE_CHARTS_SCOPE, mayDeleteCharts, maySeeChart } from '../../caller.ts';
import { forbidden, invalid, notFound, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { dayAt } from '../../values/time/time.ts';
import { numberStoppedTexts } from '../number-stopped-texts.sql.ts';
import { requirePortalAllowed } from '../record/portal-accounts.ts';
import { type PatientReferences, references } from '../registration/registration.sql.ts';
import { listEmployerIds, listReferences, type PatientChart, registerAtOffice } from '../registration/registration.ts';
import { clearedDeclines, makeConsistent, requireFreeRecordNumber, requireRightFields } from '../registration/registration-rules.ts';
import { whereVisibleChart } from '../restrictions/restricted-charts.sql.ts';
import {
  FIELDS,
  type FieldsRow,
  fieldsAsJson,
  type PatientFields,
  type PatientInput,
  perCombination,
  toColumn,
  writeParameters,
} from './chart-fields.sql.ts';

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
    WHERE p.organization_id = $1 AND p.id = $2 AND ${whereVisibleChart('p', '$7')}
      FOR NO KEY UPDATE OF p`,
);

/** Writes fields of a chart that was locked: unchanged names are not folded again, and no trigger looks at them. */
export const findChangeStatement = perCombination('change_patient', (fields) => {
  const parameters = writeParameters(fields);
  const columns = fields.flatMap((field, n) => {
    const value = String(parameters[n]);
    return [`${toColumn(field)} = ${value}`, ...(field === 'email' ? [lastEmail(value)] : [])];
  });
  return `UPDATE patient p SET updated_at = now(), ${columns.join(', ')} WHERE p.organization_id = $1::int AND p.id = $2::int`;
});

const lastEmail = (email: string) =>
  `last_email = CASE WHEN p.email IS DISTINCT FROM ${email} THEN coalesce(p.email, p.last_email) ELSE p.last_email END`;

/**
 * Changes only the given fields; no change is recorded where all of them have these values already.
 * @throws Failure as registerPatient; not_found for a patient whom the caller may not see; forbidden for a caller who deletes the chart and
 *   may not; conflict where a restriction forbids the portal
 */
export async function updatePatient(tx: Tx, id: number, input: PatientInput): Promise<PatientChart> {
  const { chart, references, own } = await lockPatient(tx, id, input);
  const wanted = makeConsistent(chart, input);
  const wrong = new WrongFields();
  // A name changes, but never goes away: clients that send null for all that they do not know would wipe it.
  for (const name of ['firstName', 'lastName'] as const)
    if (wanted[name] === null && chart[name] !== null) wrong.add(invalid(name, 'cannot be cleared', 'name_required'));
  // A chart may stay where an office was closed later.
  requireRightFields(changesTo(chart, wanted), references, chart, wrong);
  requireFreeRecordNumber(tx, references, id);
  const given = changesTo({}, { ...wanted, ...clearedDeclines(wanted) });
  const keepsNumber = given.mobilePhone === undefined || given.mobilePhone === chart.mobilePhone;
  // A chart that is sent back as it was read does not make its own what its mobile number said.
  const isAsRead = given.doNotSms === true && references.textsStopped && keepsNumber;
  const changes = changesTo(own, isAsRead ? { ...given, doNotSms: own.doNotSms } : given);
  const changed = FIELDS.filter((field) => changes[field] !== undefined);
  if (changed.length === 0) {
    recordRead(tx, 'patient', [id]);
    return chart;
  }
  await requireRights(tx, id, changes);
  const fields: PatientChart = { ...own, ...changes };
  const { fields: named, write } = findChangeStatement(changed);
  tx.later(write, [id, ...named.map((field) => fields[field])]);
  const today = dayAt(new Date(), references.timeZone);
  if (given.primaryOfficeId !== undefined) registerAtOffice(tx, { id, officeId: given.primaryOfficeId, today });
  recordChange(tx, 'update', { name: 'patient.updated', id, changed });
  return { ...fields, doNotSms: fields.doNotSms || (keepsNumber ? references.textsStopped : references.newTextsStopped) };
}

async function requireRights(tx: Tx, id: number, { status, portalAccessGiven }: PatientInput): Promise<void> {
  if (status === 'deleted' && !mayDeleteCharts(tx))
    throw forbidden('may_not_delete', `Only administrators, and clients with the scope ${DELETE_CHARTS_SCOPE}, delete charts.`);
  if (portalAccessGiven) await requirePortalAllowed(tx, id);
}

/** The chart, locked until the transaction ends. @throws Failure not_found */
export async function findPatientToChange(tx: Tx, id: number): Promise<PatientChart> {
  return (await lockPatient(tx, id, {})).chart;
}

async function lockPatient(tx: Tx, id: number, input: PatientInput) {
  const [references] = await tx.rows(LOCK_PATIENT, [
    ...[id, ...listReferences(input), maySeeChart(tx, id)],
    ...[input.mobilePhone ?? null, ...listEmployerIds(input)],
  ]);
  if (!references) throw notFound('patient');
  const chart: PatientChart = { ...readFields(references.fields), id };
  return { chart, references, own: { ...chart, doNotSms: references.ownDoNotSms } };
}

const DAYS = fieldsOf(PATIENT, 'day', 'pastDay');

function readFields(row: FieldsRow): PatientFields;
function readFields(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...row, ...Object.fromEntries(DAYS.map((day) => [day, toDate(row[day])])) };
}

/** Any stored day: where all fields are written again, this one is too, so none is refused as too early or too late. */
const toDate = (written: unknown): Date | null => (typeof written === 'string' ? new Date(`${written}T00:00:00Z`) : null);
