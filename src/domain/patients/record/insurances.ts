import type { Db } from '../../../database/database.ts';
import type { Insurance, Patient, Prisma } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import { writeDay } from '../../values/time.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';

export type { Insurance };

type Settable = Omit<
  Prisma.InsuranceUncheckedCreateInput,
  'organizationId' | 'id' | 'patientId' | 'sequenceNumber' | 'policyHolder' | 'insured' | 'createdAt' | 'updatedAt'
>;

/** The person who holds a policy. An absent field is the patient's. */
export type PolicyHolder = Partial<
  Pick<Patient, 'firstName' | 'middleName' | 'lastName' | 'sex' | 'birthDate' | 'address1' | 'city' | 'state' | 'zip'>
>;

/** Policy holder or insured as an insurance stores them: texts alone, the birth date as `YYYY-MM-DD`. */
export type InsuredPerson = { readonly [field in InsuredField]?: string };

export type InsuredField =
  | 'firstName'
  | 'middleName'
  | 'lastName'
  | 'suffix'
  | 'birthDate'
  | 'sex'
  | 'address1'
  | 'address2'
  | 'city'
  | 'state'
  | 'zip'
  | 'countryCode'
  | 'countryCode3166';

export interface InsuranceInput extends Settable {
  /** 1 is primary; absent for the next free one. */
  sequenceNumber?: number;
  holder?: PolicyHolder;
}

/** @throws Failure not_found; conflict where another insurance of the patient has this sequence number */
export async function addInsurance(db: Db, caller: Caller, patientId: number, input: InsuranceInput): Promise<Insurance> {
  const { organizationId } = caller;
  const patient = await holdChart(db, caller, patientId);
  const { holder = {}, sequenceNumber: wanted, ...fields } = input;
  const existing = await db.insurance.findMany({ where: { organizationId, patientId }, select: { id: true, sequenceNumber: true } });
  const sequenceNumber = wanted ?? Math.max(0, ...existing.map((one) => one.sequenceNumber)) + 1;
  const conflicting = existing.find((one) => one.sequenceNumber === sequenceNumber);
  if (conflicting) throw conflict('sequence_taken', `Insurance ${conflicting.id} of the patient stands at this place.`);
  const person = insuredPerson({ ...patient, ...holder });
  const insurance = await db.insurance.create({
    data: { ...fields, organizationId, patientId, sequenceNumber, policyHolder: person, insured: person },
  });
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
 * Adds insurances of charts that are locked, one of each. The same one, by its place or else by its plan and policy number, is not added again.
 */
export async function addInsurances(
  db: Db,
  { organizationId }: Caller,
  insurances: readonly InsuranceOfPatient[],
): Promise<('created' | 'updated' | 'skipped')[]> {
  const patientIds = insurances.map(({ patientId }) => patientId);
  const [patients, existing] = await Promise.all([
    db.patient.findMany({ where: { organizationId, id: { in: patientIds } } }),
    db.insurance.findMany({ where: { organizationId, patientId: { in: patientIds } } }),
  ]);
  const [personOf, ofPatient] = [new Map(patients.map((one) => [one.id, one])), Map.groupBy(existing, ({ patientId }) => patientId)];
  const added: Prisma.InsuranceCreateManyInput[] = [];
  const outcomes: ('created' | 'updated' | 'skipped')[] = [];
  for (const { patientId, replaces, input } of insurances) {
    const { holder = {}, sequenceNumber: wanted, ...fields } = input;
    const own = ofPatient.get(patientId) ?? [];
    const isSame = (one: Insurance) =>
      wanted ? one.sequenceNumber === wanted : one.planName === (fields.planName ?? null) && one.idNumber === (fields.idNumber ?? null);
    const same = own.find(isSame);
    outcomes.push(same ? (replaces ? 'updated' : 'skipped') : 'created');
    if (same && replaces) await db.insurance.update({ where: { organizationId_id: { organizationId, id: same.id } }, data: fields });
    if (same) continue;
    const person = insuredPerson({ ...personOf.get(patientId), ...holder });
    const sequenceNumber = wanted ?? Math.max(0, ...own.map((one) => one.sequenceNumber)) + 1;
    added.push({ ...fields, organizationId, patientId, sequenceNumber, policyHolder: person, insured: person });
  }
  await db.insurance.createMany({ data: added });
  return outcomes;
}

/** The insurances of a patient, the primary first. @throws Failure not_found */
export async function listInsurances(db: Db, caller: Caller, patientId: number): Promise<Insurance[]> {
  await findPatient(db, caller, patientId);
  recordRead(caller, 'patient', [patientId]);
  return db.insurance.findMany({ where: { organizationId: caller.organizationId, patientId }, orderBy: { sequenceNumber: 'asc' } });
}

/** @throws Failure not_found */
export async function removeInsurance(db: Db, caller: Caller, patientId: number, id: number): Promise<void> {
  await holdChart(db, caller, patientId);
  const { count } = await db.insurance.deleteMany({ where: { organizationId: caller.organizationId, patientId, id } });
  if (count === 0) throw notFound('insurance');
  recordChartChange(caller, patientId, 'insurances');
}

/** The patient's own data where the holder has none; null values are left out. */
function insuredPerson({ firstName, middleName, lastName, sex, birthDate, address1, city, state, zip }: PolicyHolder): InsuredPerson {
  const fields = { firstName, middleName, lastName, sex, birthDate: writeDay(birthDate ?? null), address1, city, state, zip };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
}
