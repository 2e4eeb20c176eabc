import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Insurance, Prisma } from '../../../generated/prisma/client.ts';
import type { INSURANCE } from '../../../records/insurance.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, Failure, invalid, missing, notFound } from '../../errors.ts';
import { todayInPractice } from '../../practices/organizations.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';
import { findPackageNames } from './insurance-packages.ts';
import { type InsuredInput, readStoredPerson, toInsuredPerson, withChanges } from './insured-person.ts';
import { type InsuranceRow, PATIENT_INSURANCES } from './record-sections.sql.ts';

export type { Insurance };

/** A field that is absent stays as it is, or is empty on a new insurance; null clears it. Days are Dates at midnight UTC. */
export type InsuranceInput = { [K in keyof typeof INSURANCE]?: Insurance[K] | null | undefined } & {
  sequenceNumber?: number | undefined;
  holder?: InsuredInput;
  insured?: InsuredInput;
};

/** One insurance of a patient: by its id, or by its place among those that are not cancelled. */
export type InsuranceKey = { id: number } | { sequenceNumber: number };

/**
 * Adds an insurance: at the place that is asked for, or behind the last one. The plan of a package that the practice knows
 * needs no name. The policy holder and the insured are the patient, in what the input does not say of them.
 * @throws Failure not_found; missing for the name of an unknown package; conflict where another insurance of the patient has the place
 */
export async function addInsurance(db: Db, caller: Caller, patientId: number, input: InsuranceInput): Promise<Insurance> {
  const { organizationId } = caller;
  const patient = await holdChart(db, caller, patientId);
  const { holder = {}, insured = holder, ...columns } = input;
  const given = changesTo({}, await withPackage(db, caller, columns));
  if (!given.planName) throw missing('planName');
  const last = await db.insurance.aggregate({ where: { organizationId, patientId, cancelledOn: null }, _max: { sequenceNumber: true } });
  const sequenceNumber = given.sequenceNumber ?? (last._max.sequenceNumber ?? 0) + 1;
  await requireFreePlace(db, caller, patientId, sequenceNumber);
  const own = toInsuredPerson(patient);
  const persons = { policyHolder: withChanges(own, holder), insured: withChanges(own, insured) };
  const insurance = await db.insurance.create({ data: { ...given, ...persons, organizationId, patientId, sequenceNumber } });
  recordChartChange(caller, patientId, 'insurances');
  return insurance;
}

/** An insurance of a patient, one among many. */
interface InsuranceOfPatient {
  patientId: number;
  input: InsuranceInput;
  /** Whether an insurance that is there takes these values. */
  replaces: boolean;
}

/**
 * Adds insurances of charts that are locked, one of each. The same one, by its place or else by its plan and policy number, is not added again; one
 * without a plan is refused, as addInsurance does.
 */
export async function addInsurances(
  db: Db,
  caller: Caller,
  insurances: readonly InsuranceOfPatient[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const { organizationId } = caller;
  const patientIds = insurances.map(({ patientId }) => patientId);
  const [patients, existing] = await Promise.all([
    db.patient.findMany({ where: { organizationId, id: { in: patientIds } } }),
    db.insurance.findMany({ where: { organizationId, patientId: { in: patientIds }, cancelledOn: null } }),
  ]);
  const [persons, ofPatient] = [
    new Map(patients.map((one) => [one.id, toInsuredPerson(one)])),
    Map.groupBy(existing, ({ patientId }) => patientId),
  ];
  const added: Prisma.InsuranceCreateManyInput[] = [];
  const outcomes: ('created' | 'updated' | 'skipped' | Failure)[] = [];
  for (const { patientId, replaces, input } of insurances) {
    const { holder = {}, insured = holder, sequenceNumber: wanted, ...columns } = input;
    const given = await withPackage(db, caller, columns).catch(requireFailure);
    if (given instanceof Failure) {
      outcomes.push(given);
      continue;
    }
    const fields = changesTo({}, given);
    const own = ofPatient.get(patientId) ?? [];
    const isSame = (one: Insurance) =>
      wanted ? one.sequenceNumber === wanted : one.planName === (fields.planName ?? null) && one.idNumber === (fields.idNumber ?? null);
    const same = own.find(isSame);
    if (!same && !fields.planName) outcomes.push(missing('planName'));
    else outcomes.push(same ? (replaces ? 'updated' : 'skipped') : 'created');
    if (same && replaces) await db.insurance.update({ where: { organizationId_id: { organizationId, id: same.id } }, data: fields });
    if (outcomes.at(-1) !== 'created') continue;
    const person = persons.get(patientId);
    if (!person) throw new Error('a chart that is locked is gone');
    const sequenceNumber = wanted ?? Math.max(0, ...own.map((one) => one.sequenceNumber)) + 1;
    added.push({
      ...fields,
      organizationId,
      patientId,
      sequenceNumber,
      policyHolder: withChanges(person, holder),
      insured: withChanges(person, insured),
    });
  }
  await db.insurance.createMany({ data: added });
  return outcomes;
}

function requireFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** The insurances of a patient, the primary first. @param cancelled include those that were cancelled @throws Failure not_found */
export async function listInsurances(db: Db, caller: Caller, patientId: number, cancelled: boolean): Promise<InsuranceRow[]> {
  await findPatient(db, caller, patientId);
  recordRead(caller, 'patient', [patientId]);
  return preparedIn(db).rows(PATIENT_INSURANCES, [caller.organizationId, patientId, cancelled]);
}

/** Changes fields of an insurance. @throws Failure not_found; conflict where it is cancelled, or another insurance has the place */
export async function changeInsurance(db: Db, caller: Caller, patientId: number, key: InsuranceKey, input: InsuranceInput): Promise<void> {
  const before = await holdInsurance(db, caller, patientId, key);
  if (before.cancelledOn) throw conflict('insurance_cancelled', 'The insurance is cancelled. Reactivate it first.');
  const { holder, insured, ...columns } = input;
  if (columns.planName === null) throw invalid('planName', 'cannot be cleared', 'required');
  const persons = {
    policyHolder: holder && withChanges(readStoredPerson(before.policyHolder), holder),
    insured: insured && withChanges(readStoredPerson(before.insured), insured),
  };
  const changes = changesTo(before, { ...columns, ...persons });
  if (typeof changes.sequenceNumber === 'number') await requireFreePlace(db, caller, patientId, changes.sequenceNumber);
  await writeInsurance(db, caller, before, changes);
}

/** Cancels an insurance, which stays on record, and frees its place; one that is cancelled stays so. @throws Failure not_found */
export async function cancelInsurance(db: Db, caller: Caller, patientId: number, key: InsuranceKey): Promise<void> {
  const before = await holdInsurance(db, caller, patientId, key);
  if (before.cancelledOn === null) await writeInsurance(db, caller, before, { cancelledOn: await todayInPractice(db, caller) });
}

/** Takes a cancellation back. @throws Failure not_found; conflict where another insurance has the place now */
export async function reactivateInsurance(
  db: Db,
  caller: Caller,
  patientId: number,
  key: InsuranceKey,
  { expiresOn }: Pick<InsuranceInput, 'expiresOn'>,
): Promise<void> {
  const before = await holdInsurance(db, caller, patientId, key);
  if (before.cancelledOn) await requireFreePlace(db, caller, patientId, before.sequenceNumber);
  await writeInsurance(db, caller, before, { cancelledOn: null, ...(expiresOn === undefined ? {} : { expiresOn }) });
}

/** @throws Failure not_found */
export async function findInsurance(db: Db, caller: Caller, patientId: number, id: number): Promise<Insurance> {
  await findPatient(db, caller, patientId);
  const insurance = await db.insurance.findFirst({ where: { organizationId: caller.organizationId, patientId, id } });
  if (!insurance) throw notFound('insurance');
  return insurance;
}

/** The input with the names of its package, where it has none of its own. @throws Failure not_found */
async function withPackage(db: Db, caller: Caller, input: Omit<InsuranceInput, 'holder' | 'insured'>): Promise<typeof input> {
  const { insurancePackageId, planName } = input;
  if (typeof insurancePackageId !== 'number' || planName) return input;
  return { ...(await findPackageNames(db, caller, insurancePackageId)), ...changesTo({}, input) };
}

/** The insurance, with its chart locked until the transaction ends. @throws Failure not_found */
async function holdInsurance(db: Db, caller: Caller, patientId: number, key: InsuranceKey): Promise<Insurance> {
  await holdChart(db, caller, patientId);
  const which = 'id' in key ? key : { ...key, cancelledOn: null };
  const insurance = await db.insurance.findFirst({ where: { organizationId: caller.organizationId, patientId, ...which } });
  if (!insurance) throw notFound('insurance');
  return insurance;
}

async function requireFreePlace(db: Db, { organizationId }: Caller, patientId: number, sequenceNumber: number): Promise<void> {
  const holder = await db.insurance.findFirst({
    where: { organizationId, patientId, sequenceNumber, cancelledOn: null },
    select: { id: true },
  });
  if (holder) throw conflict('sequence_taken', `Insurance ${holder.id} of the patient has place ${sequenceNumber}.`, 'sequenceNumber');
}

async function writeInsurance(
  db: Db,
  caller: Caller,
  { organizationId, id, patientId }: Insurance,
  data: Prisma.InsuranceUncheckedUpdateInput,
): Promise<void> {
  if (Object.keys(data).length === 0) return recordRead(caller, 'patient', [patientId]);
  await db.insurance.update({ where: { organizationId_id: { organizationId, id } }, data, select: { id: true } });
  recordChartChange(caller, patientId, 'insurances');
}
