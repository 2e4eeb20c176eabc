import type { Db } from '../../database/database.ts';
import type { Patient } from '../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict, notFound } from '../errors.ts';
import { type DirectTransaction, NotAtOnce, type WithCare } from '../unit-of-work/optimistic-write.ts';
import { changesTo } from '../values/changed-fields.ts';
import {
  ADD_PATIENT,
  BEFORE_REGISTRATION,
  changePatient,
  type FieldsRow,
  fieldValues,
  NO_FIELDS,
  PATIENT_HELD,
  type PatientFields,
  type RegistrationGround,
  type Surroundings,
} from './registration.sql.ts';

export type { Patient };

/** What dialects set on a chart, as it stands. */
export type StandingPatient = PatientFields & Pick<Patient, 'id' | 'status'>;

/** What a dialect sets. A field that is absent stays as it is; null clears it. */
export type PatientInput = { [K in keyof PatientFields]?: PatientFields[K] | undefined };

export async function findRegistrationGround(tx: WithCare, { organizationId }: Caller, input: PatientInput): Promise<RegistrationGround> {
  const [ground] = await tx.rows(BEFORE_REGISTRATION, [organizationId, ...referencesOf(input)]);
  if (!ground) throw notFound('organization');
  return ground;
}

/** What a practice's policies may ask of a registration. */
export interface Demands {
  /** The strict policy is content. */
  identified: boolean;
  /** Someone who stands already could be the same person. */
  matchable: boolean;
  /** Where that must not be in the future. */
  bornOn: Date | null;
}

const NO_DEMANDS: Demands = { identified: true, matchable: false, bornOn: null };

/**
 * Adds a patient to the caller's organization, registered today, and at the office if there is one.
 * @throws Failure conflict when the medical record number is taken, naming who has it; not_found for an unknown office,
 *   provider or location
 */
export async function registerPatient(tx: DirectTransaction, caller: Caller, input: PatientInput): Promise<StandingPatient> {
  if (!tx.careful) return addPatient(tx, caller, await tx.patientId(), input, NO_DEMANDS);
  return registerOn(await findRegistrationGround(tx, caller, input), tx, caller, input);
}

/** The same where it was asked what has to be known. */
export function registerOn(ground: RegistrationGround, tx: WithCare, caller: Caller, input: PatientInput): StandingPatient {
  requireReferences(input, ground);
  requireFreeRecordNumber(ground, null);
  return addPatient(tx, caller, ground.id, input, NO_DEMANDS);
}

/** Nothing comes of it, and it is done again with care, where the practice demands more or a key stands in the way. */
export function addPatient(
  tx: DirectTransaction,
  caller: Caller,
  id: number,
  input: PatientInput,
  { identified, matchable, bornOn }: Demands,
): StandingPatient {
  const given = changesTo({}, { ...input, ...answered(input) });
  const fields = { ...NO_FIELDS, ...given };
  const changed = Object.keys(given);
  tx.write(ADD_PATIENT, [`{${changed.join()}}`, identified, matchable, bornOn?.toISOString(), ...fieldValues(fields)]);
  recordChange(caller, 'create', { name: 'patient.registered', subject: 'patient', id, changed });
  return { ...fields, id, status: 'active' };
}

/**
 * Changes only what is given, and is no change when all of that stands already.
 * @throws Failure as registerPatient, and not_found for another organization's patient
 */
export async function updatePatient(tx: DirectTransaction, caller: Caller, id: number, input: PatientInput): Promise<StandingPatient> {
  const given = changesTo({}, { ...input, ...answered(input) });
  if (!tx.careful) return changeGiven(tx, caller, id, given);
  const { standing, ground } = await readPatient(tx, caller, id, input);
  requireReferences(input, ground);
  requireFreeRecordNumber(ground, id);
  if (Object.keys(changesTo(standing, given)).length === 0) {
    recordRead(caller, 'patient', [id]);
    return standing;
  }
  return changeGiven(tx, caller, id, given, standing);
}

/** @param standing all of it, where that is known: it is written again where these fields alone have no statement */
async function changeGiven(
  tx: DirectTransaction,
  caller: Caller,
  id: number,
  given: PatientInput,
  standing?: PatientFields,
): Promise<StandingPatient> {
  const change = changePatient(given) ?? (standing && changePatient({ ...standing, ...given }));
  if (!change) throw new NotAtOnce('there is nothing to change, or no statement for it');
  recordChange(caller, 'update', { name: 'patient.updated', subject: 'patient', id });
  const { status, fields } = await tx.writeNow(change.write, change.values);
  return { ...fieldsOf(fields), id, status };
}

/** A chart as it stands. @throws Failure not_found */
export async function findPatientToChange(tx: DirectTransaction, caller: Caller, id: number): Promise<StandingPatient> {
  if (!tx.careful) throw new NotAtOnce('what stands is asked with care');
  return (await readPatient(tx, caller, id, {})).standing;
}

async function readPatient(tx: WithCare, { organizationId }: Caller, id: number, input: PatientInput) {
  const [ground] = await tx.rows(PATIENT_HELD, [organizationId, id, ...referencesOf(input)]);
  if (!ground) throw notFound('patient');
  return { standing: { ...fieldsOf(ground.fields), id, status: ground.status }, ground };
}

const fieldsOf = ({ birthDate, admitDate, ...fields }: FieldsRow): PatientFields => ({
  ...fields,
  birthDate: dayOf(birthDate),
  admitDate: dayOf(admitDate),
});

/** Whatever day stands there: where all fields are written again, it is too, so none is too early or too late. */
const dayOf = (written: string | null): Date | null => (written === null ? null : new Date(`${written}T00:00:00Z`));

const referencesOf = ({ primaryOfficeId, primaryProviderId, locationId, medicalRecordNo }: PatientInput) => [
  primaryOfficeId ?? null,
  primaryProviderId ?? null,
  locationId ?? null,
  medicalRecordNo ?? null,
];

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

/** @throws Failure not_found where the office, the provider or the location that the input names is not there */
export function requireReferences({ primaryOfficeId, primaryProviderId, locationId }: PatientInput, ground: Surroundings): void {
  if (typeof primaryProviderId === 'number' && !ground.providerStands) throw notFound('provider', 'primaryProviderId');
  if (typeof locationId === 'number' && !ground.locationStands) throw notFound('location', 'locationId');
  if (typeof primaryOfficeId === 'number' && !ground.officeStands) throw notFound('office', 'primaryOfficeId');
}

/**
 * A record number is unique in its organization, deleted charts included: a number never comes to mean another person.
 * Of two that come at once, the database refuses the second; the work then runs anew (see work.ts) and finds the first
 * here, so that the answer can name it.
 */
function requireFreeRecordNumber({ recordNumberHolder: holder }: Surroundings, own: number | null): void {
  if (!holder || holder.id === own) return;
  const who = holder.status === 'deleted' ? `Patient ${holder.id}, who was deleted,` : `Patient ${holder.id}`;
  throw conflict('medical_record_number_taken', `${who} has this medical record number already.`, 'medicalRecordNo');
}
