import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { Failure, type Issue, WrongFields } from '../../errors.ts';
import type { PatientInput } from '../chart/chart-fields.sql.ts';
import { findPossibleMatches, findSamePerson, holdName, type PossibleMatch } from './possible-matches.ts';
import {
  findRegistrationFacts,
  insertPatient,
  type RegistrationFacts,
  recordPossibleMatches,
  requireFreeRecordNumber,
  requireRightFields,
} from './registration.ts';

/** An existing patient who is the same person. */
interface Matched {
  outcome: 'matched';
  patientId: number;
}

/** The result of a registration: a new patient, with charts that may be of the same person where the practice looks for them; or a match. */
export type Registered = { outcome: 'created'; patientId: number; possibleMatches: PossibleMatch[] } | Matched;

/**
 * Registers a patient by the practice's policies: which fields it requires, and whether an existing patient is matched (first
 * and last name, birth date, and one of zip, telephone number and email are the same). A matched patient is not changed.
 * @throws Failure invalid for an empty form, and naming all fields that are wrong or that the strict policy misses; not_found for an unknown
 *   office, provider or location; conflict when the medical record number is taken
 */
export async function registerOrMatch(db: Db, caller: Caller, input: PatientInput): Promise<Registered> {
  const checked = await checkRegistration(db, caller, input);
  if (checked.outcome === 'matched') return checked;
  const { id } = insertPatient(db, caller, checked.facts, input);
  return { outcome: 'created', patientId: id, possibleMatches: checked.possibleMatches };
}

/** The result that a registration would have. */
export type CheckedRegistration = { outcome: 'new'; facts: RegistrationFacts; possibleMatches: PossibleMatch[] } | Matched;

/**
 * Checks a registration, and registers nobody. The charts that it finds are audited as a search.
 * @throws Failure as registerOrMatch
 */
export async function checkRegistration(db: Db, caller: Caller, input: PatientInput): Promise<CheckedRegistration> {
  requireAnyField(input);
  const prepared = preparedIn(db);
  // Sent in this order in one flush: the reads see what the lock waited for.
  const [facts, , match, possibleMatches] = await Promise.all([
    findRegistrationFacts(prepared, caller, input),
    holdName(prepared, caller, input),
    findSamePerson(prepared, caller, input),
    findPossibleMatches(prepared, caller, input),
  ]);
  const wrong = new WrongFields();
  if (facts.registrationPolicy === 'strict') checkIdentity(input, wrong);
  requireRightFields(input, facts, null, wrong);
  if (match !== null) {
    recordRead(caller, 'patient', [match], 'search');
    return { outcome: 'matched', patientId: match };
  }
  requireFreeRecordNumber(caller, facts);
  recordPossibleMatches(caller, possibleMatches);
  return { outcome: 'new', facts, possibleMatches };
}

/** @throws Failure invalid for an input without any value */
export function requireAnyField(input: PatientInput): void {
  if (Object.values(input).every(isEmpty)) throw new Failure('invalid', 'empty_form', 'The form has nothing in it to register by.');
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null;

/** Beside a name: a patient with one name has it as the first or as the last name. */
const IDENTITY = ['birthDate', 'primaryOfficeId'] as const;
/** One of these is enough. */
const WAYS_TO_REACH = ['email', 'homePhone', 'mobilePhone', 'zip'] as const;

/** The fields that the strict policy requires and the input lacks. */
function missing(input: PatientInput): Issue[] {
  const issue = (field: string, message: string): Issue => ({ field, code: 'missing', message, missing: true });
  const isNameless = isEmpty(input.lastName) && isEmpty(input.firstName);
  const identity = isNameless ? (['lastName', ...IDENTITY] as const) : IDENTITY;
  const issues = identity.filter((name) => isEmpty(input[name])).map((name) => issue(name, 'is missing'));
  if (WAYS_TO_REACH.every((name) => isEmpty(input[name]))) {
    issues.push(...WAYS_TO_REACH.map((name) => issue(name, 'is missing, and so are the others of which one is enough')));
  }
  return issues;
}

/** Adds all fields that the strict policy misses. */
export function checkIdentity(input: PatientInput, wrong: WrongFields): void {
  const issues = missing(input);
  if (issues.length > 0) {
    const message = issues.map((issue) => `${issue.field}: ${issue.message}`).join('; ');
    wrong.add(new Failure('invalid', 'registration_incomplete', message, { issues }));
  }
}
