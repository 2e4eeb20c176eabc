import type { Db } from '../../../database/database.ts';
import { type Prepared, preparedIn } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import { conflict, invalid, notFound, WrongFields } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { dayAt } from '../../values/time.ts';
import { FIELDS, NO_FIELDS, type PatientFields, type PatientInput } from '../chart/chart-fields.sql.ts';
import { makeConsistent } from '../chart/consistent-fields.ts';
import { findPossibleMatches, type PossibleMatch } from './possible-matches.ts';
import {
  insertOf,
  PATIENT_ID,
  type PatientReferences,
  REGISTER_AT_OFFICE,
  REGISTRATION_CONTEXT,
  type RegistrationContext,
} from './registration.sql.ts';

/** The fields of a chart that a dialect can set, with its id; `doNotSms` also where the mobile number sent STOP. */
export type PatientChart = PatientFields & { id: number };

/** Facts that a registration depends on, with an id for the new chart. */
export type RegistrationFacts = RegistrationContext & { id: number };

/** @throws Failure not_found for an unknown organization */
export async function findRegistrationFacts(
  { rows }: Prepared,
  { organizationId }: Caller,
  input: PatientInput,
): Promise<RegistrationFacts> {
  const [[context], [drawn]] = await Promise.all([
    rows(REGISTRATION_CONTEXT, [organizationId, ...referencesOf(input), input.mobilePhone ?? null, ...employersOf(input)]),
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

/** Days that have passed. */
const PAST_DAYS = ['birthDate', 'deceasedDate', 'registrationDate', 'guarantorBirthDate'] as const;

/**
 * @param before the chart that is changed; null for a new one
 * @param wrong fields that are wrong already
 * @throws Failure naming all wrong fields: also days in the future, a death before the birth, and an office, a provider, a location or an
 *   employer that does not exist
 */
export function requireRightFields(
  input: PatientInput,
  { timeZone, hasMedicationHistory, ...exists }: PatientReferences,
  before: PatientFields | null = null,
  wrong = new WrongFields(),
): void {
  const today = dayAt(new Date(), timeZone);
  for (const field of PAST_DAYS)
    if ((input[field] ?? today) > today) wrong.add(invalid(field, 'must not be in the future', 'in_the_future'));
  const { birthDate, deceasedDate } = { ...before, ...changesTo({}, input) };
  if ((input.birthDate || input.deceasedDate) && birthDate && deceasedDate && deceasedDate < birthDate)
    wrong.add(invalid(input.deceasedDate ? 'deceasedDate' : 'birthDate', 'makes the death come before the birth', 'contradiction'));
  if (before === null && input.status === 'deleted')
    wrong.add(invalid('status', 'must be active, inactive or prospective on a new chart', 'invalid'));
  if (input.medicationHistoryConsentVerified && !hasMedicationHistory)
    wrong.add(invalid('medicationHistoryConsentVerified', 'must be false: the practice does not ask for this consent', 'feature_off'));
  if (typeof input.primaryProviderId === 'number' && !exists.providerExists) wrong.add(notFound('provider', 'primaryProviderId'));
  if (typeof input.locationId === 'number' && !exists.locationExists) wrong.add(notFound('location', 'locationId'));
  if (typeof input.primaryOfficeId === 'number' && !exists.officeExists) wrong.add(notFound('office', 'primaryOfficeId'));
  if (typeof input.employerId === 'number' && !exists.employerExists) wrong.add(notFound('employer', 'employerId'));
  if (typeof input.guarantorEmployerId === 'number' && !exists.guarantorEmployerExists)
    wrong.add(notFound('employer', 'guarantorEmployerId'));
  wrong.throwIfAny();
}

/** Adds a chart whose input was checked: its statements leave with the commit. */
export function insertPatient(
  db: Db,
  caller: Caller,
  { id, textsStopped, timeZone }: RegistrationFacts,
  input: PatientInput,
): PatientChart {
  const today = dayAt(new Date(), timeZone);
  const given = changesTo(NO_FIELDS, { ...makeConsistent(NO_FIELDS, input), ...clearedDeclines(input) });
  const chart: PatientFields = { ...NO_FIELDS, registrationDate: today, ...given };
  const { fields, write } = insertOf(FIELDS.filter((field) => field === 'registrationDate' || given[field] !== undefined));
  sendLater(db, write, [caller.organizationId, id, ...fields.map((field) => chart[field])]);
  registerAtOffice(db, caller, { id, officeId: chart.primaryOfficeId, today });
  recordChange(caller, 'create', { name: 'patient.registered', id, changed: Object.keys(given) });
  return { ...chart, id, doNotSms: chart.doNotSms || textsStopped };
}

/** Registers a patient at an office, if there is one, today in the practice. */
export function registerAtOffice(
  db: Db,
  { organizationId }: Caller,
  { id, officeId, today }: { id: number; officeId: number | null; today: Date },
): void {
  if (officeId !== null) sendLater(db, REGISTER_AT_OFFICE, [organizationId, id, officeId, today]);
}

export const referencesOf = ({ primaryOfficeId, primaryProviderId, locationId, medicalRecordNo }: PatientInput) => [
  primaryOfficeId ?? null,
  primaryProviderId ?? null,
  locationId ?? null,
  medicalRecordNo ?? null,
];

export const employersOf = ({ employerId, guarantorEmployerId }: PatientInput) => [employerId ?? null, guarantorEmployerId ?? null];

/** A value for a field that the patient once declined to give clears its "declined". */
export function clearedDeclines(input: PatientInput) {
  return { ...(input.email ? { emailDeclined: false } : {}), ...(input.mobilePhone ? { mobilePhoneDeclined: false } : {}) };
}

/**
 * A record number is unique in its organization, deleted charts included: a number never comes to mean another person.
 * Of two concurrent writes the database refuses the second, which then runs again (see unit-of-work.ts) and finds the first
 * here, so that the message can name it, unless the caller may not see that chart.
 */
export function requireFreeRecordNumber(
  caller: Caller,
  { recordNumberHolder: holder }: Pick<PatientReferences, 'recordNumberHolder'>,
  own?: number,
): void {
  if (!holder || holder.id === own) return;
  const named = holder.status === 'deleted' ? `Patient ${holder.id}, who was deleted,` : `Patient ${holder.id}`;
  const who = holder.restricted && !maySeeChart(caller, holder.id) ? 'Another patient' : named;
  throw conflict('medical_record_number_taken', `${who} has this medical record number already.`, 'medicalRecordNo');
}
