import type { Insurance, Prisma } from '../../../generated/prisma/client.ts';
import type { INSURANCE } from '../../../records/insurance.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { conflict, Failure, invalid, missing, notFound } from '../../errors.ts';
import { todayInPractice } from '../../practices/organizations.ts';
import type { Tx } from '../../tx.ts';
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
export async function addInsurance(tx: Tx, patientId: number, input: InsuranceInput): Promise<Insurance> {
  const patient = await holdChart(tx, patientId);
  const { holder = {}, insured = holder, ...columns } = input;
  const given = changesTo({}, await withPackage(tx, columns));
  if (!given.planName) throw missing('planName');
  const last = await tx.prisma.insurance.aggregate({
    where: { ...tx.practice, patientId, cancelledOn: null },
    _max: { sequenceNumber: true },
  });
  const sequenceNumber = given.sequenceNumber ?? (last._max.sequenceNumber ?? 0) + 1;
  await requireFreePlace(tx, patientId, sequenceNumber);
  const own = toInsuredPerson(patient);
  const persons = { policyHolder: withChanges(own, holder), insured: withChanges(own, insured) };
  const insurance = await tx.prisma.insurance.create({ data: { ...given, ...persons, ...tx.practice, patientId, sequenceNumber } });
  recordChartChange(tx, patientId, 'insurances');
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
  tx: Tx,
  insurances: readonly InsuranceOfPatient[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const patientIds = insurances.map(({ patientId }) => patientId);
  const [patients, existing] = await Promise.all([
    tx.prisma.patient.findMany({ where: { ...tx.practice, id: { in: patientIds } } }),
    tx.prisma.insurance.findMany({ where: { ...tx.practice, patientId: { in: patientIds }, cancelledOn: null } }),
  ]);
  const [persons, ofPatient] = [
    new Map(patients.map((one) => [one.id, toInsuredPerson(one)])),
    Map.groupBy(existing, ({ patientId }) => patientId),
  ];
  const added: Prisma.InsuranceCreateManyInput[] = [];
  const outcomes: ('created' | 'updated' | 'skipped' | Failure)[] = [];
  for (const { patientId, replaces, input } of insurances) {
    const { holder = {}, insured = holder, sequenceNumber: wanted, ...columns } = input;
    const given = await withPackage(tx, columns).catch(requireFailure);
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
    if (same && replaces) await tx.prisma.insurance.update({ where: tx.key(same.id), data: fields });
    if (outcomes.at(-1) !== 'created') continue;
    const person = persons.get(patientId);
    if (!person) throw new Error('a chart that is locked is gone');
    const sequenceNumber = wanted ?? Math.max(0, ...own.map((one) => one.sequenceNumber)) + 1;
    added.push({
      ...fields,
      ...tx.practice,
      patientId,
      sequenceNumber,
      policyHolder: withChanges(person, holder),
      insured: withChanges(person, insured),
    });
  }
  await tx.prisma.insurance.createMany({ data: added });
  return outcomes;
}

function requireFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** The insurances of a patient, the primary first. @param cancelled include those that were cancelled @throws Failure not_found */
export async function listInsurances(tx: Tx, patientId: number, cancelled: boolean): Promise<InsuranceRow[]> {
  await findPatient(tx, patientId);
  recordRead(tx, 'patient', [patientId]);
  return tx.rows(PATIENT_INSURANCES, [patientId, cancelled]);
}

/** Changes fields of an insurance. @throws Failure not_found; conflict where it is cancelled, or another insurance has the place */
export async function changeInsurance(tx: Tx, patientId: number, key: InsuranceKey, input: InsuranceInput): Promise<void> {
  const before = await holdInsurance(tx, patientId, key);
  if (before.cancelledOn) throw conflict('insurance_cancelled', 'The insurance is cancelled. Reactivate it first.');
  const { holder, insured, ...columns } = input;
  if (columns.planName === null) throw invalid('planName', 'cannot be cleared', 'required');
  const persons = {
    policyHolder: holder && withChanges(readStoredPerson(before.policyHolder), holder),
    insured: insured && withChanges(readStoredPerson(before.insured), insured),
  };
  const changes = changesTo(before, { ...columns, ...persons });
  if (typeof changes.sequenceNumber === 'number') await requireFreePlace(tx, patientId, changes.sequenceNumber);
  await writeInsurance(tx, before, changes);
}

/** Cancels an insurance, which stays on record, and frees its place; one that is cancelled stays so. @throws Failure not_found */
export async function cancelInsurance(tx: Tx, patientId: number, key: InsuranceKey): Promise<void> {
  const before = await holdInsurance(tx, patientId, key);
  if (before.cancelledOn === null) await writeInsurance(tx, before, { cancelledOn: await todayInPractice(tx) });
}

/** Takes a cancellation back. @throws Failure not_found; conflict where another insurance has the place now */
export async function reactivateInsurance(
  tx: Tx,
  patientId: number,
  key: InsuranceKey,
  { expiresOn }: Pick<InsuranceInput, 'expiresOn'>,
): Promise<void> {
  const before = await holdInsurance(tx, patientId, key);
  if (before.cancelledOn) await requireFreePlace(tx, patientId, before.sequenceNumber);
  await writeInsurance(tx, before, { cancelledOn: null, ...(expiresOn === undefined ? {} : { expiresOn }) });
}

/** @throws Failure not_found */
export async function findInsurance(tx: Tx, patientId: number, id: number): Promise<Insurance> {
  await findPatient(tx, patientId);
  const insurance = await tx.prisma.insurance.findFirst({ where: { ...tx.practice, patientId, id } });
  if (!insurance) throw notFound('insurance');
  return insurance;
}

/** The input with the names of its package, where it has none of its own. @throws Failure not_found */
async function withPackage(tx: Tx, input: Omit<InsuranceInput, 'holder' | 'insured'>): Promise<typeof input> {
  const { insurancePackageId, planName } = input;
  if (typeof insurancePackageId !== 'number' || planName) return input;
  return { ...(await findPackageNames(tx, insurancePackageId)), ...changesTo({}, input) };
}

/** The insurance, with its chart locked until the transaction ends. @throws Failure not_found */
async function holdInsurance(tx: Tx, patientId: number, key: InsuranceKey): Promise<Insurance> {
  await holdChart(tx, patientId);
  const which = 'id' in key ? key : { ...key, cancelledOn: null };
  const insurance = await tx.prisma.insurance.findFirst({ where: { ...tx.practice, patientId, ...which } });
  if (!insurance) throw notFound('insurance');
  return insurance;
}

async function requireFreePlace(tx: Tx, patientId: number, sequenceNumber: number): Promise<void> {
  const holder = await tx.prisma.insurance.findFirst({
    where: { ...tx.practice, patientId, sequenceNumber, cancelledOn: null },
    select: { id: true },
  });
  if (holder) throw conflict('sequence_taken', `Insurance ${holder.id} of the patient has place ${sequenceNumber}.`, 'sequenceNumber');
}

async function writeInsurance(
  tx: Tx,
  { organizationId, id, patientId }: Insurance,
  data: Prisma.InsuranceUncheckedUpdateInput,
): Promise<void> {
  if (Object.keys(data).length === 0) return recordRead(tx, 'patient', [patientId]);
  await tx.prisma.insurance.update({ where: { organizationId_id: { organizationId, id } }, data, select: { id: true } });
  recordChartChange(tx, patientId, 'insurances');
}
