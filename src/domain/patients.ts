import type { Db } from '../database.ts';
import type { Office, Patient } from '../generated/prisma/client.ts';
import type { Caller } from './caller.ts';
import { changesTo } from './changes.ts';
import { conflict, notFound } from './errors.ts';
import { todayOf } from './practices.ts';
import { recordChange, recordRead } from './recording.ts';

export type { Patient };

type Settable =
  | 'firstName'
  | 'lastName'
  | 'address1'
  | 'address2'
  | 'city'
  | 'state'
  | 'zip'
  | 'email'
  | 'emailDeclined'
  | 'homePhone'
  | 'mobilePhone'
  | 'mobilePhoneDeclined'
  | 'birthDate'
  | 'admitDate'
  | 'sex'
  | 'races'
  | 'medicalRecordNo'
  | 'census'
  | 'primaryOfficeId'
  | 'primaryProviderId'
  | 'locationId'
  | 'flags'
  | 'doNotSms';

/**
 * What a dialect may set on a chart. A field that is absent stays as it is; null clears it.
 * Telephone numbers are E.164, days are Dates at midnight UTC.
 */
export type PatientInput = { [K in Settable]?: Patient[K] | undefined };

/**
 * Adds a patient to the caller's organization, registered today, and at the office if there is one.
 * @param today where the caller knows it already: the day in the practice's zone
 * @throws Failure conflict when the medical record number is taken, naming who has it; not_found for an unknown office,
 *   provider or location
 */
export async function registerPatient(db: Db, caller: Caller, input: PatientInput, today?: Date): Promise<Patient> {
  const { organizationId } = caller;
  const fields = changesTo({}, { ...input, ...answered(input) });
  const office = await checkReferences(db, caller, input);
  await checkRecordNumber(db, caller, input, null);
  const registrationDate = today ?? (await todayOf(db, caller));
  const patient = await db.patient.create({ data: { ...fields, registrationDate, organizationId } });
  if (office) await registerAt(db, patient, office, registrationDate);
  recordChange(caller, 'create', { name: 'patient.registered', subject: 'patient', id: patient.id, changed: Object.keys(fields) });
  return patient;
}

/**
 * Changes only what is given, and is no change when all of that stands already.
 * @throws Failure as registerPatient, and not_found for another organization's patient
 */
export async function updatePatient(db: Db, caller: Caller, id: number, input: PatientInput): Promise<Patient> {
  const { organizationId } = caller;
  // Two changes at once follow one another, so that each sees what it changes.
  await db.$queryRaw`SELECT id FROM patient WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await findPatient(db, caller, id);
  const office = await checkReferences(db, caller, input);
  await checkRecordNumber(db, caller, input, id);
  const changes = changesTo(before, { ...input, ...answered(input) });
  const changed = Object.keys(changes);
  if (changed.length === 0) {
    recordRead(caller, 'patient', [id]);
    return before;
  }
  const lastEmail = changes.email === undefined || before.email === null ? {} : { lastEmail: before.email };
  const patient = await db.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { ...changes, ...lastEmail } });
  if (office) await registerAt(db, patient, office, await todayOf(db, caller));
  recordChange(caller, 'update', { name: 'patient.updated', subject: 'patient', id, changed });
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
 * A record number is unique in its organization, deleted charts included: a number never comes to mean another person.
 * Of two that come at once, the database refuses the second; the work then runs anew (see work.ts) and finds the first
 * here, so that the answer can name it.
 */
async function checkRecordNumber(db: Db, { organizationId }: Caller, { medicalRecordNo }: PatientInput, own: number | null): Promise<void> {
  if (typeof medicalRecordNo !== 'string') return;
  const key = { organizationId_medicalRecordNo: { organizationId, medicalRecordNo } };
  const holder = await db.patient.findUnique({ where: key, select: { id: true, status: true } });
  if (!holder || holder.id === own) return;
  const who = holder.status === 'deleted' ? `Patient ${holder.id}, who was deleted,` : `Patient ${holder.id}`;
  throw conflict('medical_record_number_taken', `${who} has this medical record number already.`, 'medicalRecordNo');
}

type Registered = Pick<Office, 'id' | 'providerGroupId'>;

/**
 * The office that the input names, which has to know of the patient.
 * @throws Failure not_found where it, the provider or the location is not there
 */
export async function checkReferences(db: Db, { organizationId }: Caller, input: PatientInput): Promise<Registered | null> {
  const { primaryOfficeId, primaryProviderId, locationId } = input;
  const key = (id: number) => ({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  if (typeof primaryProviderId === 'number' && !(await db.provider.findUnique(key(primaryProviderId)))) {
    throw notFound('provider', 'primaryProviderId');
  }
  if (typeof locationId === 'number' && !(await db.location.findUnique(key(locationId)))) throw notFound('location', 'locationId');
  if (typeof primaryOfficeId !== 'number') return null;
  const office = await db.office.findUnique({ ...key(primaryOfficeId), select: { id: true, providerGroupId: true } });
  if (!office) throw notFound('office', 'primaryOfficeId');
  return office;
}

/** Enters a patient in the books of an office, under the financial group of the office; nothing happens where that was done before. */
async function registerAt(db: Db, { organizationId, id }: Patient, office: Registered, registeredOn: Date): Promise<void> {
  const { id: officeId, providerGroupId } = office;
  const row = { organizationId, patientId: id, officeId, providerGroupId, localPatientId: id, registeredOn };
  await db.patientRegistration.createMany({ data: [row], skipDuplicates: true });
}
