import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, Failure, WrongFields } from '../../errors.ts';
import { findPatientToChange, updatePatient } from '../../patients/chart/change-patient.ts';
import type { PatientInput } from '../../patients/chart/chart-fields.sql.ts';
import { findSamePersons } from '../../patients/registration/possible-matches.ts';
import {
  findNumberedCharts,
  insertPatients,
  isVisible,
  type NumberedCharts,
  readRegistrationPolicy,
} from '../../patients/registration/register-many.ts';
import {
  checkIdentity,
  requireAnyField,
  requireFreeRecordNumber,
  requireRightFields,
} from '../../patients/registration/registration-rules.ts';
import { comparedName } from '../../values/same-text.ts';
import { type Register, readPlaces } from '../directory.ts';
import type { Decision } from '../import-kinds.ts';
import { type Outcome, type ReadRow, type Refusal, refusalOf } from '../outcomes.ts';
import { inRounds } from '../rounds.ts';
import type { Named } from '../rows/cells.ts';
import { kindOf } from './kind.ts';
import { PATIENT_WORDS, PatientCells, type PatientRow, toImportedPatient } from './patient-cells.ts';

type Row = ReadRow<PatientRow>;

export const patients = kindOf({
  cells: PatientCells,
  words: PATIENT_WORDS,
  async store(db, caller, rows) {
    const [places, policy] = await Promise.all([readPlaces(db, caller), readRegistrationPolicy(preparedIn(db), caller)]);
    return inRounds(rows, keysOf, (round) => storeRound(db, caller, { ...places, ...policy }, round));
  },
});

/** Rows that share a key may be of one person: the second one is stored after the first, and finds it. */
function keysOf({ values: { externalId, medicalRecordNo, firstName, lastName, birthDate } }: Row): string[] {
  const name = `${comparedName(firstName || lastName || '')} ${comparedName(lastName || firstName || '')}`;
  return [
    ...(externalId ? [`external ${externalId}`] : []),
    ...(medicalRecordNo ? [`record ${medicalRecordNo}`] : []),
    ...(birthDate ? [`person ${name} ${birthDate.getTime()}`] : []),
  ];
}

type Practice = Awaited<ReturnType<typeof readPlaces>> & Awaited<ReturnType<typeof readRegistrationPolicy>>;

/** The records that a row names, or its refusal. */
type Referred = { patient: PatientInput } | Refusal;

async function storeRound(db: Db, caller: Caller, practice: Practice, rows: readonly Row[]): Promise<Outcome[]> {
  const prepared = preparedIn(db);
  const read = rows.map(({ values }) => referred(values, practice));
  const inputs = read.map((one) => ('patient' in one ? one.patient : {}));
  const [matches, numbered] = await Promise.all([findSamePersons(prepared, caller, inputs), findNumberedCharts(prepared, caller, inputs)]);
  const outcomes: Outcome[] = [];
  const created: PatientInput[] = [];
  for (const [index, { decision }] of rows.entries()) {
    const one = read[index];
    if (one === undefined) throw new Error('a row was not read');
    const outcome =
      'patient' in one
        ? await decide(db, caller, practice, { ...one, decision, match: matches[index] ?? null, numbered }).catch(refusalOf)
        : one;
    outcomes.push(outcome);
    if ('patient' in one && outcome.outcome === 'created') created.push(one.patient);
  }
  recordSeen(caller, outcomes);
  const groupOf = (officeId: number) => practice.offices.byId.get(officeId)?.providerGroupId ?? null;
  await insertPatients(db, caller, created, { timeZone: practice.timeZone, groupOf });
  return outcomes;
}

/** The charts that matches showed are audited as a search, those that a row changed besides. */
function recordSeen(caller: Caller, outcomes: readonly Outcome[]): void {
  const seen = outcomes.flatMap((one) => ('match' in one && one.match !== undefined ? one.match : []));
  if (seen.length > 0) recordRead(caller, 'patient', [...new Set(seen)], 'search');
}

function referred(values: PatientRow, { offices, providers, locations }: Practice): Referred {
  const wrong = new WrongFields();
  const idOf = (register: Register<{ id: number }>, named: Named | null | undefined, field: string) => {
    if (named === null || named === undefined) return named;
    try {
      return register.find(named, field).id;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      wrong.add(error);
      return undefined;
    }
  };
  try {
    const patient = toImportedPatient(values, {
      primaryOfficeId: idOf(offices, values.primaryOfficeId, 'primaryOfficeId'),
      primaryProviderId: idOf(providers, values.primaryProviderId, 'primaryProviderId'),
      locationId: idOf(locations, values.locationId, 'locationId'),
    });
    wrong.throwIfAny();
    requireAnyField(patient);
    return { patient };
  } catch (error) {
    return refusalOf(error);
  }
}

interface Step {
  patient: PatientInput;
  decision: Decision;
  /** The chart of the same person. */
  match: number | null;
  numbered: NumberedCharts;
}

/** The outcome of a row; a chart that is to be created is not stored yet. @throws Failure */
async function decide(db: Db, caller: Caller, practice: Practice, { patient, decision, match, numbered }: Step): Promise<Outcome> {
  const known = knownChart(caller, patient, numbered);
  if (known !== null && decision !== 'update') return { outcome: 'skipped' };
  if (known === null) requireRegistrable(patient, practice);
  const found = known ?? (decision === 'create' ? null : match);
  const matched = known === null && match !== null ? { match } : {};
  if (found === null) return { outcome: 'created', ...matched };
  if (decision === 'skip') return { outcome: 'skipped', ...matched };
  await update(db, caller, found, patient);
  return { outcome: 'updated', ...matched };
}

function requireRegistrable(patient: PatientInput, { timeZone, registrationPolicy }: Practice): void {
  const wrong = new WrongFields();
  if (registrationPolicy === 'strict') checkIdentity(patient, wrong);
  const found = { officeExists: true, providerExists: true, locationExists: true, employerExists: null, guarantorEmployerExists: null };
  requireRightFields(patient, { timeZone, hasMedicationHistory: false, recordNumberHolder: null, ...found }, null, wrong);
}

/**
 * The chart that a row is about by its own number, which a row of an earlier run has made, or the system that the file is from.
 * @throws Failure conflict where the number is that of another chart, or of one that the caller may not see
 */
function knownChart(caller: Caller, { externalId, medicalRecordNo }: PatientInput, numbered: NumberedCharts): number | null {
  const byExternalId = (externalId && numbered.byExternalId.get(externalId)) || null;
  const byRecordNumber = (medicalRecordNo && numbered.byRecordNumber.get(medicalRecordNo)) || null;
  if (byExternalId && !isVisible(caller, byExternalId))
    throw conflict('external_id_taken', 'Another patient, or one who was deleted, has this external id already.', 'externalId');
  const isOther = byRecordNumber && (!isVisible(caller, byRecordNumber) || (externalId && byRecordNumber.externalId !== null));
  if (byExternalId || isOther) requireFreeRecordNumber(caller, { recordNumberHolder: byRecordNumber }, byExternalId?.id);
  return byExternalId?.id ?? byRecordNumber?.id ?? null;
}

/** Changes a chart by the fields of a row. A chart keeps the external id that it has: the file has the person twice. */
async function update(db: Db, caller: Caller, id: number, patient: PatientInput): Promise<void> {
  const { externalId } = await findPatientToChange(db, caller, id);
  await updatePatient(db, caller, id, { ...patient, externalId: externalId ?? patient.externalId });
}
