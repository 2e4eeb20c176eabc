import type { Db } from '../../../database/database.ts';
import { type Prepared, preparedIn } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import { conflict, invalid, notFound, WrongFields } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { dayAt } from '../../values/time.ts';
import { FIELDS, type FieldsRow, fieldValues, NO_FIELDS, type PatientFields } from '../chart/chart-fields.sql.ts';
import { findPossibleMatches, type PossibleMatch } from './possible-matches.ts';
import {
  changeOf,
  INSERT_PATIENT,
  LOCK_PATIENT,
  PATIENT_ID,
  type PatientReferences,
  REGISTER_AT_OFFICE,
  REGISTRATION_CONTEXT,
  type RegistrationContext,
} from './registration.sql.ts';

/** The fields of a chart that a dialect can set, with its id and status; `doNotSms` also where the mobile number sent STOP. */
export type PatientChart = PatientFields & Pick<Patient, 'id' | 'status'>;

/** Fields that a dialect sets. A field that is absent keeps its value; null clears it. */
export type PatientInput = { [K in keyof PatientFields]?: PatientFields[K] | undefined };

/** Facts that a registration depends on, with an id for the new chart. */
export type RegistrationFacts = RegistrationContext & { id: number };

/** @throws Failure not_found for an unknown organization */
export async function findRegistrationFacts(
  { rows }: Prepared,
  { organizationId }: Caller,
  input: PatientInput,
): Promise<RegistrationFacts> {
  const [[context], [drawn]] = await Promise.all([
    rows(REGISTRATION_CONTEXT, [organizationId, ...referencesOf(input), input.mobilePhone ?? null]),
    rows(PATIENT_ID, []),
  ]);
  if (!context || !drawn) throw notFound('organization');
  return { ...context, id: drawn.id };
}

/** A new chart, and others that may be of the same person where the practice looks for them. */
export interface RegisteredPatient {
  patient: PatientChart;
  possibleMatches: PossibleMatch[];
}

/**
 * Adds a patient to the caller's organization, registered today, and at the office if there is one. It never returns an existing
 * patient instead: its callers know patients by record numbers of their own.
 * @throws Failure conflict when the medical record number is taken, naming who has it; not_found for an unknown office,
 *   provider or location
 */
export async function registerPatient(db: Db, caller: Caller, input: PatientInput): Promise<RegisteredPatient> {
  const prepared = preparedIn(db);
  const [facts, possibleMatches] = await Promise.all([
    findRegistrationFacts(prepared, caller, input),
    findPossibleMatches(prepared, caller, input),
  ]);
  requireRightFields(input, facts);
  requireFreeRecordNumber(caller, facts);
  recordPossibleMatches(caller, possibleMatches);
  return { patient: insertPatient(db, caller, facts, input), possibleMatches };
}

/** Charts that a registration shows are audited as a search. */
export function recordPossibleMatches(caller: Caller, matches: PossibleMatch[]): void {
  if (matches.length === 0) return;
  recordRead(
    caller,
    'patient',
    matches.map(({ id }) => id),
    'search',
  );
}

/**
 * @param wrong fields that are wrong already
 * @throws Failure naming all wrong fields: also a birth date in the future, and an office, a provider or a location that does not exist
 */
export function requireRightFields(
  { birthDate, primaryOfficeId, primaryProviderId, locationId }: PatientInput,
  { timeZone, officeExists, providerExists, locationExists }: PatientReferences,
  wrong = new WrongFields(),
): void {
  if (birthDate && birthDate > dayAt(new Date(), timeZone)) wrong.add(invalid('birthDate', 'must not be in the future', 'in_the_future'));
  if (typeof primaryProviderId === 'number' && !providerExists) wrong.add(notFound('provider', 'primaryProviderId'));
  if (typeof locationId === 'number' && !locationExists) wrong.add(notFound('location', 'locationId'));
  if (typeof primaryOfficeId === 'number' && !officeExists) wrong.add(notFound('office', 'primaryOfficeId'));
  wrong.throwIfAny();
}

/** Adds a chart whose input was checked: its statements leave with the commit. */
export function insertPatient(db: Db, caller: Caller, { id, textsStopped }: RegistrationFacts, input: PatientInput): PatientChart {
  const { organizationId } = caller;
  const given = changesTo({}, { ...input, ...clearedDeclines(input) });
  const fields = { ...NO_FIELDS, ...given };
  sendLater(db, INSERT_PATIENT, [organizationId, id, ...fieldValues(fields)]);
  registerAtOffice(db, caller, id, fields.primaryOfficeId);
  recordChange(caller, 'create', { name: 'patient.registered', id, changed: Object.keys(given) });
  return { ...fields, id, status: 'active', doNotSms: fields.doNotSms || textsStopped };
}

function registerAtOffice(db: Db, { organizationId }: Caller, id: number, officeId: number | null | undefined): void {
  if (officeId) sendLater(db, REGISTER_AT_OFFICE, [organizationId, id, officeId]);
}

/**
 * Changes only the given fields; no change is recorded where all of them have these values already.
 * @throws Failure as registerPatient, and not_found for a patient whom the caller may not see
 */
export async function updatePatient(db: Db, caller: Caller, id: number, input: PatientInput): Promise<PatientChart> {
  const { chart, references, own } = await lockPatient(preparedIn(db), caller, id, input);
  const wrong = new WrongFields();
  // A name changes, but never goes away: clients that send null for all that they do not know would wipe it.
  for (const name of ['firstName', 'lastName'] as const)
    if (input[name] === null && chart[name] !== null) wrong.add(invalid(name, 'cannot be cleared', 'name_required'));
  // A chart may stay where an office was closed later.
  requireRightFields(changesTo(chart, input), references, wrong);
  requireFreeRecordNumber(caller, references, id);
  const given = changesTo({}, { ...input, ...clearedDeclines(input) });
  const keepsNumber = given.mobilePhone === undefined || given.mobilePhone === chart.mobilePhone;
  // A chart that is sent back as it was read does not make its own what its mobile number said.
  const isAsRead = given.doNotSms === true && references.textsStopped && keepsNumber;
  const changes = changesTo(own, isAsRead ? { ...given, doNotSms: own.doNotSms } : given);
  const changed = FIELDS.filter((field) => changes[field] !== undefined);
  if (changed.length === 0) {
    recordRead(caller, 'patient', [id]);
    return chart;
  }
  const fields: PatientChart = { ...own, ...changes };
  const { fields: named, change } = changeOf(changed);
  sendLater(db, change, [caller.organizationId, id, ...named.map((field) => fields[field])]);
  if (given.primaryOfficeId !== undefined) registerAtOffice(db, caller, id, given.primaryOfficeId);
  recordChange(caller, 'update', { name: 'patient.updated', id, changed });
  return { ...fields, doNotSms: fields.doNotSms || (keepsNumber ? references.textsStopped : references.newTextsStopped) };
}

/** The chart, locked until the transaction ends. @throws Failure not_found */
export async function findPatientToChange(db: Db, caller: Caller, id: number): Promise<PatientChart> {
  return (await lockPatient(preparedIn(db), caller, id, {})).chart;
}

async function lockPatient(tx: Prepared, caller: Caller, id: number, input: PatientInput) {
  const [references] = await tx.rows(LOCK_PATIENT, [
    ...[caller.organizationId, id, ...referencesOf(input), maySeeChart(caller, id)],
    input.mobilePhone ?? null,
  ]);
  if (!references) throw notFound('patient');
  const chart: PatientChart = { ...readFields(references.fields), id, status: references.status };
  return { chart, references, own: { ...chart, doNotSms: references.ownDoNotSms } };
}

const readFields = ({ birthDate, admitDate, ...fields }: FieldsRow): PatientFields => ({
  ...fields,
  birthDate: dayOf(birthDate),
  admitDate: dayOf(admitDate),
});

/** Any stored day: where all fields are written again, this one is too, so none is refused as too early or too late. */
const dayOf = (written: string | null): Date | null => (written === null ? null : new Date(`${written}T00:00:00Z`));

const referencesOf = ({ primaryOfficeId, primaryProviderId, locationId, medicalRecordNo }: PatientInput) => [
  primaryOfficeId ?? null,
  primaryProviderId ?? null,
  locationId ?? null,
  medicalRecordNo ?? null,
];

/** A value for a field that the patient once declined to give clears its "declined". */
function clearedDeclines(input: PatientInput) {
  return { ...(input.email ? { emailDeclined: false } : {}), ...(input.mobilePhone ? { mobilePhoneDeclined: false } : {}) };
}

/**
 * A record number is unique in its organization, deleted charts included: a number never comes to mean another person.
 * Of two concurrent writes the database refuses the second, which then runs again (see unit-of-work.ts) and finds the first
 * here, so that the message can name it, unless the caller may not see that chart.
 */
export function requireFreeRecordNumber(caller: Caller, { recordNumberHolder: holder }: PatientReferences, own?: number): void {
  if (!holder || holder.id === own) return;
  const named = holder.status === 'deleted' ? `Patient ${holder.id}, who was deleted,` : `Patient ${holder.id}`;
  const who = holder.restricted && !maySeeChart(caller, holder.id) ? 'Another patient' : named;
  throw conflict('medical_record_number_taken', `${who} has this medical record number already.`, 'medicalRecordNo');
}
