import type { Db } from '../../database/database.ts';
import type { Insurance, Prisma } from '../../generated/prisma/client.ts';
import { recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict, notFound } from '../errors.ts';
import { holdChart, recordChartChange } from './chart.ts';
import { findPatient, type Patient } from './registration.ts';

export type { Insurance };

type Settable = Omit<
  Prisma.InsuranceUncheckedCreateInput,
  'organizationId' | 'id' | 'patientId' | 'sequenceNumber' | 'policyHolder' | 'insured' | 'createdAt' | 'updatedAt'
>;

/** Who holds a policy. What is absent is as the patient's. */
export type PolicyHolder = Partial<
  Pick<Patient, 'firstName' | 'middleName' | 'lastName' | 'sex' | 'birthDate' | 'address1' | 'city' | 'state' | 'zip'>
>;

export interface InsuranceInput extends Settable {
  /** 1 is primary; absent, the next that is free. */
  sequenceNumber?: number;
  holder?: PolicyHolder;
}

/** @throws Failure not_found; conflict where the patient has another insurance at this place */
export async function addInsurance(db: Db, caller: Caller, patientId: number, input: InsuranceInput): Promise<Insurance> {
  const { organizationId } = caller;
  const patient = await holdChart(db, caller, patientId);
  const { holder = {}, sequenceNumber: wanted, ...fields } = input;
  const standing = await db.insurance.findMany({ where: { organizationId, patientId }, select: { id: true, sequenceNumber: true } });
  const sequenceNumber = wanted ?? Math.max(0, ...standing.map((one) => one.sequenceNumber)) + 1;
  const taken = standing.find((one) => one.sequenceNumber === sequenceNumber);
  if (taken) throw conflict('sequence_taken', `Insurance ${taken.id} of the patient stands at this place.`);
  const person = flatPerson({ ...patient, ...holder });
  const insurance = await db.insurance.create({
    data: { ...fields, organizationId, patientId, sequenceNumber, policyHolder: person, insured: person },
  });
  recordChartChange(caller, patientId, 'insurances');
  return insurance;
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

/** The names that the practice document gives these fields, without their prefix, and its way of writing a day. */
function flatPerson(person: PolicyHolder): Prisma.InputJsonObject {
  const [year, month, day] = person.birthDate?.toISOString().slice(0, 10).split('-') ?? [];
  const fields = {
    firstname: person.firstName,
    middlename: person.middleName,
    lastname: person.lastName,
    sex: person.sex,
    dob: year === undefined ? null : `${month}/${day}/${year}`,
    address1: person.address1,
    city: person.city,
    state: person.state,
    zip: person.zip,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
}
