import type { Db } from '../../../database/database.ts';
import { type Prepared, preparedIn } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import { type Caller, DELETE_CHARTS_SCOPE, mayDeleteCharts, maySeeChart } from '../../caller.ts';
import { forbidden, invalid, notFound, WrongFields } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { dayAt } from '../../values/time.ts';
import { requirePortalAllowed } from '../portal/portal-accounts.ts';
import { employersOf, type PatientChart, referencesOf, registerAtOffice } from '../registration/registration.ts';
import { clearedDeclines, makeConsistent, requireFreeRecordNumber, requireRightFields } from '../registration/registration-rules.ts';
import { changeOf, LOCK_PATIENT, SET_OFFICE_STATUSES } from './change-patient.sql.ts';
import { FIELDS, type FieldsRow, type PatientFields, type PatientInput } from './chart-fields.sql.ts';

/**
 * Changes only the given fields; no change is recorded where all of them have these values already.
 * @throws Failure as registerPatient; not_found for a patient whom the caller may not see; forbidden for a caller who deletes the chart and
 *   may not; conflict where a restriction forbids the portal
 */
export async function updatePatient(db: Db, caller: Caller, id: number, input: PatientInput): Promise<PatientChart> {
  const { chart, references, own } = await lockPatient(preparedIn(db), caller, id, input);
  const wanted = makeConsistent(chart, input);
  const wrong = new WrongFields();
  // A name changes, but never goes away: clients that send null for all that they do not know would wipe it.
  for (const name of ['firstName', 'lastName'] as const)
    if (wanted[name] === null && chart[name] !== null) wrong.add(invalid(name, 'cannot be cleared', 'name_required'));
  // A chart may stay where an office was closed later.
  requireRightFields(changesTo(chart, wanted), references, chart, wrong);
  requireFreeRecordNumber(caller, references, id);
  const given = changesTo({}, { ...wanted, ...clearedDeclines(wanted) });
  const keepsNumber = given.mobilePhone === undefined || given.mobilePhone === chart.mobilePhone;
  // A chart that is sent back as it was read does not make its own what its mobile number said.
  const isAsRead = given.doNotSms === true && references.textsStopped && keepsNumber;
  const changes = changesTo(own, isAsRead ? { ...given, doNotSms: own.doNotSms } : given);
  const changed = FIELDS.filter((field) => changes[field] !== undefined);
  if (changed.length === 0) {
    recordRead(caller, 'patient', [id]);
    return chart;
  }
  await requireRights(db, caller, id, changes);
  const fields: PatientChart = { ...own, ...changes };
  const { fields: named, write } = changeOf(changed);
  sendLater(db, write, [caller.organizationId, id, ...named.map((field) => fields[field])]);
  if (changes.status !== undefined) sendLater(db, SET_OFFICE_STATUSES, [caller.organizationId, id, changes.status]);
  const today = dayAt(new Date(), references.timeZone);
  if (given.primaryOfficeId !== undefined) registerAtOffice(db, caller, { id, officeId: given.primaryOfficeId, today });
  recordChange(caller, 'update', { name: 'patient.updated', id, changed });
  return { ...fields, doNotSms: fields.doNotSms || (keepsNumber ? references.textsStopped : references.newTextsStopped) };
}

async function requireRights(db: Db, caller: Caller, id: number, { status, portalAccessGiven }: PatientInput): Promise<void> {
  if (status === 'deleted' && !mayDeleteCharts(caller))
    throw forbidden('may_not_delete', `Only administrators, and clients with the scope ${DELETE_CHARTS_SCOPE}, delete charts.`);
  if (portalAccessGiven) await requirePortalAllowed(db, caller, id);
}

/** The chart, locked until the transaction ends. @throws Failure not_found */
export async function findPatientToChange(db: Db, caller: Caller, id: number): Promise<PatientChart> {
  return (await lockPatient(preparedIn(db), caller, id, {})).chart;
}

async function lockPatient(prepared: Prepared, caller: Caller, id: number, input: PatientInput) {
  const [references] = await prepared.rows(LOCK_PATIENT, [
    ...[caller.organizationId, id, ...referencesOf(input), maySeeChart(caller, id)],
    ...[input.mobilePhone ?? null, ...employersOf(input)],
  ]);
  if (!references) throw notFound('patient');
  const chart: PatientChart = { ...readFields(references.fields), id };
  return { chart, references, own: { ...chart, doNotSms: references.ownDoNotSms } };
}

const readFields = (fields: FieldsRow): PatientFields => ({
  ...fields,
  birthDate: dayOf(fields.birthDate),
  deceasedDate: dayOf(fields.deceasedDate),
  admitDate: dayOf(fields.admitDate),
  registrationDate: dayOf(fields.registrationDate),
  guarantorBirthDate: dayOf(fields.guarantorBirthDate),
});

/** Any stored day: where all fields are written again, this one is too, so none is refused as too early or too late. */
const dayOf = (written: string | null): Date | null => (written === null ? null : new Date(`${written}T00:00:00Z`));
