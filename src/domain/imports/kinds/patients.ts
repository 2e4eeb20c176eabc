import type { Keyring } from '../../../database/encryption/keyring.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, WrongFields } from '../../errors.ts';
import { findPatientToChange, updatePatient } from '../../patients/chart/change-patient.ts';
import { NO_FIELDS, type PatientInput } from '../../patients/chart/chart-fields.sql.ts';
import { setGuarantorSsn, setSsn } from '../../patients/record/ssn.ts';
import { findSamePersons } from '../../patients/registration/possible-matches.ts';
import type { NumberedChart } from '../../patients/registration/register-many.sql.ts';
import {
  findNumberedCharts,
  insertPatients,
  isVisible,
  type NumberedCharts,
  readRegistrationPolicy,
} from '../../patients/registration/register-many.ts';
import {
  checkIdentity,
  checkPerson,
  makeConsistent,
  requireAnyField,
  requireFreeRecordNumber,
  requireRightFields,
} from '../../patients/registration/registration-rules.ts';
import { type Tx, withoutOpened } from '../../tx.ts';
import { foldComparedName } from '../../values/same-text.ts';
import { readEmployers, readPlaces } from '../directory.ts';
import type { Decision } from '../import-kinds.ts';
import { type Outcome, type ReadRow, type Refusal, toRefusal } from '../outcomes.ts';
import { inRounds } from '../rounds.ts';
import { defineKind } from './kind.ts';
import { PATIENT_WORDS, PatientCells, type PatientRow, toImportedPatient } from './patient-cells.ts';

type Row = ReadRow<PatientRow>;

export const patients = defineKind({
  cells: PatientCells,
  words: PATIENT_WORDS,
  async store(tx, rows, keyring) {
    const [places, employers, policy] = await Promise.all([
      readPlaces(tx),
      readEmployers(
        tx,
        rows.some(({ values: { employerId, guarantorEmployerId } }) => employerId || guarantorEmployerId),
      ),
      readRegistrationPolicy(tx),
    ]);
    const practice = { ...places, ...policy, employers, keyring };
    return inRounds(rows, listKeys, (round) => storeRound(tx, practice, round), canOnlyMatch);
  },
});

/**
 * Rows that share a key may be of one person: the second one is stored after the first, and finds it. One person has the name, the birth date, and
 * one more in common.
 */
function listKeys({ values }: Row): string[] {
  const { externalId, medicalRecordNo, firstName, lastName, birthDate, zip, email, homePhone, mobilePhone } = values;
  const person = `${PERSON} ${foldComparedName(firstName || lastName || '')} ${foldComparedName(lastName || firstName || '')} ${birthDate?.getTime()}`;
  const common = birthDate ? [zip?.slice(0, 5), email?.toLowerCase(), homePhone, mobilePhone].filter((one) => one) : [];
  return [
    ...(externalId ? [`external ${externalId}`] : []),
    ...(medicalRecordNo ? [`record ${medicalRecordNo}`] : []),
    ...new Set(common.map((one) => `${person} ${one}`)),
  ];
}

const PERSON = 'person';
/** Once the person has a chart, a row that is skipped then makes none, whatever others do. */
const canOnlyMatch = ({ decision }: Row, key: string): boolean => decision === 'skip' && key.startsWith(PERSON);

type Practice = Awaited<ReturnType<typeof readPlaces>> &
  Awaited<ReturnType<typeof readRegistrationPolicy>> & { employers: Awaited<ReturnType<typeof readEmployers>>; keyring: Keyring };

/** The records that a row names, or its refusal. */
type Referred = { patient: PatientInput } | Refusal;

async function storeRound(tx: Tx, practice: Practice, rows: readonly Row[]): Promise<Outcome[]> {
  const read = rows.map(({ values }) => findReferred(values, practice));
  const inputs = read.map((one) => ('patient' in one ? one.patient : {}));
  const [matches, numbered] = await Promise.all([findSamePersons(withoutOpened(tx), inputs), findNumberedCharts(tx, inputs)]);
  const outcomes: Outcome[] = [];
  const created: Parameters<typeof insertPatients>[1][number][] = [];
  for (const [index, { decision, values }] of rows.entries()) {
    const one = read[index];
    if (one === undefined) throw new Error('a row was not read');
    const outcome =
      'patient' in one
        ? await decide(tx, practice, { ...one, values, decision, match: matches[index] ?? null, numbered }).catch(toRefusal)
        : one;
    outcomes.push(outcome);
    if ('patient' in one && outcome.outcome === 'created') created.push({ patient: one.patient, ssns: values });
  }
  recordSeen(tx, outcomes);
  const findGroupId = (officeId: number) => practice.offices.byId.get(officeId)?.providerGroupId ?? null;
  await insertPatients(tx, created, { ...practice, findGroupId });
  return outcomes;
}

async function setNumbers(tx: Tx, { keyring }: Practice, id: number, { ssn, guarantorSsn }: PatientRow): Promise<void> {
  if (ssn !== undefined) await setSsn(tx, keyring, id, ssn);
  if (guarantorSsn !== undefined) await setGuarantorSsn(tx, keyring, id, guarantorSsn);
}

/** The charts that matches showed are audited as a search, those that a row changed besides. */
function recordSeen(caller: Caller, outcomes: readonly Outcome[]): void {
  const seen = outcomes.flatMap((one) => ('match' in one && one.match !== undefined ? one.match : []));
  if (seen.length > 0) recordRead(caller, 'patient', [...new Set(seen)], 'search');
}

function findReferred(values: PatientRow, { offices, providers, locations, employers }: Practice): Referred {
  const wrong = new WrongFields();
  const registers = {
    primaryOfficeId: offices,
    primaryProviderId: providers,
    locationId: locations,
    employerId: employers,
    guarantorEmployerId: employers,
  };
  const findId = (field: keyof typeof registers) => {
    const named = values[field];
    return named === null || named === undefined ? named : wrong.checkNow(() => registers[field].find(named, field).id);
  };
  try {
    const patient = toImportedPatient(values, {
      primaryOfficeId: findId('primaryOfficeId'),
      primaryProviderId: findId('primaryProviderId'),
      locationId: findId('locationId'),
      employerId: findId('employerId'),
      guarantorEmployerId: findId('guarantorEmployerId'),
    });
    wrong.throwIfAny();
    requireAnyField(patient);
    return { patient };
  } catch (error) {
    return toRefusal(error);
  }
}

interface Step {
  patient: PatientInput;
  values: PatientRow;
  decision: Decision;
  /** The chart of the same person. */
  match: number | null;
  numbered: NumberedCharts;
}

/** The outcome of a row; a chart that is to be created is not stored yet. @throws Failure */
async function decide(tx: Tx, practice: Practice, step: Step): Promise<Outcome> {
  const { patient, values, decision, numbered } = step;
  const { known, numberHolder } = findKnownChart(tx, patient, numbered);
  if (known !== null && decision !== 'update') return { outcome: 'skipped' };
  if (known === null) requireRegistrable(patient, practice, numberHolder === null);
  const match = numberHolder?.id ?? step.match;
  const found = known ?? (decision === 'create' ? null : match);
  const matched = known === null && match !== null ? { match } : {};
  if (found === null) requireFreeRecordNumber(tx, { recordNumberHolder: numberHolder });
  if (found === null) return { outcome: 'created', ...matched };
  if (decision === 'skip') return { outcome: 'skipped', ...matched };
  await update(tx, found, patient);
  await setNumbers(tx, practice, found, values);
  return { outcome: 'updated', ...matched };
}

function requireRegistrable(patient: PatientInput, { timeZone, hasMedicationHistory, registrationPolicy }: Practice, isNew: boolean): void {
  const wrong = new WrongFields();
  if (registrationPolicy === 'strict') checkIdentity(patient, wrong);
  else if (isNew) checkPerson(patient, wrong);
  const found = { officeExists: true, providerExists: true, locationExists: true, employerExists: true, guarantorEmployerExists: true };
  requireRightFields(patient, { timeZone, hasMedicationHistory, recordNumberHolder: null, ...found }, null, wrong);
  makeConsistent(NO_FIELDS, patient);
}

/**
 * The chart that a row is about by its own number, which a row of an earlier run has made, or the system that the file is from: `numberHolder` has the
 * record number, and another external id, so that somebody must decide whether it is the person.
 * @throws Failure conflict where the number is that of another chart, or of one that the caller may not see
 */
function findKnownChart(
  caller: Caller,
  { externalId, medicalRecordNo }: PatientInput,
  numbered: NumberedCharts,
): { known: number | null; numberHolder: NumberedChart | null } {
  const byExternalId = (externalId && numbered.byExternalId.get(externalId)) || null;
  const byRecordNumber = (medicalRecordNo && numbered.byRecordNumber.get(medicalRecordNo)) || null;
  if (byExternalId && !isVisible(caller, byExternalId))
    throw conflict('external_id_taken', 'Another patient, perhaps a deleted one, already has this external id.', 'externalId');
  if (byExternalId || (byRecordNumber && !isVisible(caller, byRecordNumber)))
    requireFreeRecordNumber(caller, { recordNumberHolder: byRecordNumber }, byExternalId?.id);
  const isOther = !byExternalId && externalId && byRecordNumber && byRecordNumber.externalId !== null;
  if (isOther) return { known: null, numberHolder: byRecordNumber };
  return { known: byExternalId?.id ?? byRecordNumber?.id ?? null, numberHolder: null };
}

/** Changes a chart by the fields of a row. A chart keeps the external id that it has: the file has the person twice. */
async function update(tx: Tx, id: number, patient: PatientInput): Promise<void> {
  const { externalId } = await findPatientToChange(tx, id);
  await updatePatient(tx, id, { ...patient, externalId: externalId ?? patient.externalId });
}
