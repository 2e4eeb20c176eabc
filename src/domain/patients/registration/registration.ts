import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound, WrongFields } from '../../errors.ts';
import { type Tx, withoutOpened } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { dayAt } from '../../values/time/time.ts';
import { FIELDS, NO_FIELDS, type PatientFields, type PatientInput } from '../chart/chart-fields.sql.ts';
import { findPossibleMatches, findSamePerson, lockName, type PossibleMatch } from './possible-matches.ts';
import { findInsert, PATIENT_ID, REGISTER_AT_OFFICE, REGISTRATION_CONTEXT, type RegistrationContext } from './registration.sql.ts';
import {
  checkIdentity,
  clearedDeclines,
  makeConsistent,
  requireAnyField,
  requireFreeRecordNumber,
  requireRightFields,
} from './registration-rules.ts';

/** The result of a registration: a new patient, with charts that may be of the same person where the practice looks for them; or a match. */
export type Registered =
  | { outcome: 'created'; patientId: number; possibleMatches: PossibleMatch[] }
  | { outcome: 'matched'; patientId: number };

/**
 * Registers a patient by the practice's policies: which fields it requires, and whether an existing patient is matched (first
 * and last name, birth date, and one of zip, telephone number and email are the same). A matched patient is not changed. The charts that
 * it finds are audited as a search.
 * @throws Failure invalid for an empty form, and naming all fields that are wrong or that the strict policy misses; not_found for an unknown
 *   office, provider or location; conflict when the medical record number is taken
 */
export async function registerOrMatch(tx: Tx, input: PatientInput): Promise<Registered> {
  requireAnyField(input);
  const all = withoutOpened(tx);
  // Sent in this order in one flush: the reads see what the lock waited for.
  const [facts, , match, possibleMatches] = await Promise.all([
    findRegistrationFacts(all, input),
    lockName(all, input),
    findSamePerson(all, input),
    findPossibleMatches(all, input),
  ]);
  const wrong = new WrongFields();
  if (facts.registrationPolicy === 'strict') checkIdentity(input, wrong);
  requireRightFields(input, facts, null, wrong);
  if (match !== null) {
    recordRead(tx, 'patient', [match], 'search');
    return { outcome: 'matched', patientId: match };
  }
  requireFreeRecordNumber(tx, facts);
  recordPossibleMatches(tx, possibleMatches);
  const { id } = insertPatient(tx, facts, input);
  return { outcome: 'created', patientId: id, possibleMatches };
}

/** The fields of a chart that a dialect can set, with its id; `doNotSms` also where the mobile number sent STOP. */
export type PatientChart = PatientFields & { id: number };

/** Facts that a registration depends on, with an id for the new chart. */
export type RegistrationFacts = RegistrationContext & { id: number };

/** @throws Failure not_found for an unknown organization */
async function findRegistrationFacts(tx: Tx, input: PatientInput): Promise<RegistrationFacts> {
  const [[context], [drawn]] = await Promise.all([
    tx.rows(REGISTRATION_CONTEXT, [...listReferences(input), input.mobilePhone ?? null, ...listEmployerIds(input)]),
    tx.prepared.rows(PATIENT_ID, []),
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
export async function registerPatient(tx: Tx, input: PatientInput): Promise<RegisteredPatient> {
  const [facts, possibleMatches] = await Promise.all([findRegistrationFacts(tx, input), findPossibleMatches(withoutOpened(tx), input)]);
  requireRightFields(input, facts);
  requireFreeRecordNumber(tx, facts);
  recordPossibleMatches(tx, possibleMatches);
  return { patient: insertPatient(tx, facts, input), possibleMatches };
}

/** Charts that a registration shows are audited as a search. */
function recordPossibleMatches(caller: Caller, matches: PossibleMatch[]): void {
  if (matches.length === 0) return;
  recordRead(
    caller,
    'patient',
    matches.map(({ id }) => id),
    'search',
  );
}

/** Adds a chart: its statements leave with the commit. @throws Failure invalid as makeConsistent */
function insertPatient(tx: Tx, { id, textsStopped, timeZone }: RegistrationFacts, input: PatientInput): PatientChart {
  const today = dayAt(new Date(), timeZone);
  const given = changesTo(NO_FIELDS, { ...makeConsistent(NO_FIELDS, input), ...clearedDeclines(input) });
  const chart: PatientFields = { ...NO_FIELDS, registrationDate: today, ...given };
  const { fields, write } = findInsert(FIELDS.filter((field) => field === 'registrationDate' || given[field] !== undefined));
  tx.later(write, [id, ...fields.map((field) => chart[field])]);
  registerAtOffice(tx, { id, officeId: chart.primaryOfficeId, today });
  recordChange(tx, 'create', { name: 'patient.registered', id, changed: Object.keys(given) });
  return { ...chart, id, doNotSms: chart.doNotSms || textsStopped };
}

/** Registers a patient at an office, if there is one, today in the practice. */
export function registerAtOffice(tx: Tx, { id, officeId, today }: { id: number; officeId: number | null; today: Date }): void {
  if (officeId !== null) tx.later(REGISTER_AT_OFFICE, [id, officeId, today]);
}

export const listReferences = ({ primaryOfficeId, primaryProviderId, locationId, medicalRecordNo }: PatientInput) => [
  primaryOfficeId ?? null,
  primaryProviderId ?? null,
  locationId ?? null,
  medicalRecordNo ?? null,
];

export const listEmployerIds = ({ employerId, guarantorEmployerId }: PatientInput) => [employerId ?? null, guarantorEmployerId ?? null];
