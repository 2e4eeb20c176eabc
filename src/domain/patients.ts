import type { Db } from '../database.ts';
import type { Patient } from '../generated/prisma/client.ts';
import type { Caller } from './caller.ts';
import { changesTo } from './changes.ts';
import type { DirectTransaction } from './direct-transaction.ts';
import { conflict, notFound } from './errors.ts';
import { recordChange, recordRead } from './recording.ts';
import { dayAt } from './time.ts';
import {
  ADD_PATIENT,
  BEFORE_REGISTRATION,
  CHANGE_PATIENT,
  type FieldsRow,
  NO_FIELDS,
  PATIENT_HELD,
  PATIENT_TO_CHANGE,
  type PatientFields,
  type Surroundings,
} from './writes/patients.ts';

export type { Patient };

/** What dialects set on a chart, as it stands. */
export type StandingPatient = PatientFields & Pick<Patient, 'id' | 'status'>;

/** What a dialect sets. A field that is absent stays as it is; null clears it. */
export type PatientInput = { [K in keyof PatientFields]?: PatientFields[K] | undefined };

/** What a registration has to know, and the id that the new chart would have. */
export type RegistrationGround = Surroundings & { id: number };

export async function findRegistrationGround(
  tx: DirectTransaction,
  { organizationId }: Caller,
  input: PatientInput,
): Promise<RegistrationGround> {
  const [ground] = await tx.rows(BEFORE_REGISTRATION, [organizationId, ...referencesOf(input)]);
  if (!ground) throw notFound('organization');
  return ground;
}

/**
 * Adds a patient to the caller's organization, registered today, and at the office if there is one.
 * @param known where it was asked for already
 * @throws Failure conflict when the medical record number is taken, naming who has it; not_found for an unknown office,
 *   provider or location
 */
export async function registerPatient(
  tx: DirectTransaction,
  caller: Caller,
  input: PatientInput,
  known?: RegistrationGround,
): Promise<StandingPatient> {
  const ground = known ?? (await findRegistrationGround(tx, caller, input));
  const { id, office } = ground;
  const given = changesTo({}, { ...input, ...answered(input) });
  requireReferences(input, ground);
  requireFreeRecordNumber(ground, null);
  const fields = { ...NO_FIELDS, ...given };
  tx.write(ADD_PATIENT, [id, JSON.stringify(fields), todayAt(ground), office?.id, office?.providerGroupId]);
  recordChange(caller, 'create', { name: 'patient.registered', subject: 'patient', id, changed: Object.keys(given) });
  return { ...fields, id, status: 'active' };
}

/**
 * Changes only what is given, and is no change when all of that stands already. Of two changes at once the second runs anew
 * and holds it, so that each sees what it changes.
 * @throws Failure as registerPatient, and not_found for another organization's patient
 */
export async function updatePatient(tx: DirectTransaction, caller: Caller, id: number, input: PatientInput): Promise<StandingPatient> {
  const { before, ground } = await readPatient(tx, caller, id, input);
  requireReferences(input, ground);
  requireFreeRecordNumber(ground, id);
  const changes = changesTo(before, { ...input, ...answered(input) });
  const changed = Object.keys(changes);
  if (changed.length === 0) {
    recordRead(caller, 'patient', [id]);
    return before;
  }
  const after = { ...before, ...changes };
  const lastEmail = changes.email === undefined ? null : before.email;
  const { office } = ground;
  tx.write(CHANGE_PATIENT, [
    id,
    JSON.stringify(after),
    office && todayAt(ground),
    office?.id,
    office?.providerGroupId,
    lastEmail,
    ground.version,
  ]);
  recordChange(caller, 'update', { name: 'patient.updated', subject: 'patient', id, changed });
  return after;
}

/** A chart as it stands. @throws Failure not_found */
export const findPatientToChange = async (tx: DirectTransaction, caller: Caller, id: number): Promise<StandingPatient> =>
  (await readPatient(tx, caller, id, {})).before;

async function readPatient(tx: DirectTransaction, { organizationId }: Caller, id: number, input: PatientInput) {
  const [ground] = await tx.rows(tx.anew ? PATIENT_HELD : PATIENT_TO_CHANGE, [organizationId, id, ...referencesOf(input)]);
  if (!ground) throw notFound('patient');
  return { before: { ...fieldsOf(ground.fields), id: ground.id, status: ground.status }, ground };
}

const fieldsOf = ({ birthDate, admitDate, ...fields }: FieldsRow): PatientFields => ({
  ...fields,
  birthDate: dayOf(birthDate),
  admitDate: dayOf(admitDate),
});

/** Whatever day stands there: it is written back with every change, so none is too early or too late. */
const dayOf = (written: string | null): Date | null => (written === null ? null : new Date(`${written}T00:00:00Z`));

const referencesOf = ({ primaryOfficeId, primaryProviderId, locationId, medicalRecordNo }: PatientInput) => [
  primaryOfficeId ?? null,
  primaryProviderId ?? null,
  locationId ?? null,
  medicalRecordNo ?? null,
];

const todayAt = ({ timeZone }: Surroundings): string => dayAt(new Date(), timeZone).toISOString();

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
  if (typeof primaryOfficeId === 'number' && !ground.office) throw notFound('office', 'primaryOfficeId');
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
