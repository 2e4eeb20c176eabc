import type { Db } from '../database.ts';
import type { Patient } from '../generated/prisma/client.ts';
import type { Caller } from './caller.ts';
import { conflict, notFound } from './errors.ts';
import { recordChange, recordRead } from './journal.ts';

export type { Patient };

/**
 * What a dialect may set on a chart. A field that is absent stays as it is; null clears it.
 * Telephone numbers are E.164, days are Dates at midnight UTC.
 */
export type PatientInput = Partial<
  Pick<
    Patient,
    | 'firstName'
    | 'lastName'
    | 'address1'
    | 'address2'
    | 'city'
    | 'state'
    | 'zip'
    | 'email'
    | 'mobilePhone'
    | 'birthDate'
    | 'admitDate'
    | 'sex'
    | 'medicalRecordNo'
    | 'census'
    | 'primaryProviderId'
    | 'locationId'
    | 'flags'
    | 'doNotSms'
  >
>;

/**
 * Adds a patient to the caller's organization.
 * @throws Failure conflict when the medical record number is taken, naming who has it; not_found for an unknown
 *   provider or location
 */
export async function registerPatient(db: Db, caller: Caller, input: PatientInput): Promise<Patient> {
  const { organizationId } = caller;
  await checkReferences(db, caller, input);
  await checkRecordNumber(db, caller, input, null);
  const patient = await db.patient.create({ data: { ...input, ...answered(input), organizationId } });
  recordChange(caller, 'create', { name: 'patient.registered', subject: 'patient', id: patient.id, changed: Object.keys(input) });
  return patient;
}

/**
 * Changes only what is given.
 * @throws Failure as registerPatient, and not_found for another organization's patient
 */
export async function updatePatient(db: Db, caller: Caller, id: number, input: PatientInput): Promise<Patient> {
  const { organizationId } = caller;
  await findPatient(db, caller, id);
  await checkReferences(db, caller, input);
  await checkRecordNumber(db, caller, input, id);
  const patient = await db.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { ...input, ...answered(input) } });
  recordChange(caller, 'update', { name: 'patient.updated', subject: 'patient', id, changed: Object.keys(input) });
  return patient;
}

/** @throws Failure not_found; a deleted patient is as if he had never been */
export async function findPatient(db: Db, caller: Caller, id: number, field?: string): Promise<Patient> {
  const patient = await db.patient.findFirst({ where: { organizationId: caller.organizationId, id, status: { not: 'deleted' } } });
  if (!patient) throw notFound('patient', field);
  return patient;
}

/** The patient with this number in an external system. @throws Failure not_found */
export async function findPatientByRecordNumber(db: Db, caller: Caller, medicalRecordNo: string): Promise<Patient> {
  const { organizationId } = caller;
  const patient = await db.patient.findFirst({ where: { organizationId, medicalRecordNo, status: { not: 'deleted' } } });
  if (!patient) throw notFound('patient');
  recordRead(caller, 'patient', [patient.id]);
  return patient;
}

/** A value given for what was once declined takes the "declined" back. */
function answered(input: PatientInput) {
  return { ...(input.email ? { emailDeclined: false } : {}), ...(input.mobilePhone ? { mobilePhoneDeclined: false } : {}) };
}

/**
 * A record number is unique in its organization. Of two that come at once, the database refuses the second; the work
 * then runs anew (see work.ts) and finds the first here, so that the answer can name it.
 */
async function checkRecordNumber(db: Db, { organizationId }: Caller, { medicalRecordNo }: PatientInput, own: number | null): Promise<void> {
  if (typeof medicalRecordNo !== 'string') return;
  const holder = await db.patient.findUnique({ where: { organizationId_medicalRecordNo: { organizationId, medicalRecordNo } }, select: { id: true } });
  if (holder && holder.id !== own) {
    throw conflict('medical_record_number_taken', `Patient ${holder.id} has this medical record number already.`, 'med_rec_no');
  }
}

async function checkReferences(db: Db, { organizationId }: Caller, input: PatientInput): Promise<void> {
  if (typeof input.primaryProviderId === 'number') {
    const found = await db.provider.findUnique({ where: { organizationId_id: { organizationId, id: input.primaryProviderId } }, select: { id: true } });
    if (!found) throw notFound('provider', 'provider');
  }
  if (typeof input.locationId === 'number') {
    const found = await db.location.findUnique({ where: { organizationId_id: { organizationId, id: input.locationId } }, select: { id: true } });
    if (!found) throw notFound('location', 'location');
  }
}
