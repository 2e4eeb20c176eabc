import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { Failure, type Issue } from '../../errors.ts';
import { requireBegun } from './birth-dates.ts';
import { findPossibleMatches, findSamePerson, holdName, type PossibleMatch } from './possible-matches.ts';
import {
  findRegistrationFacts,
  insertPatient,
  type PatientInput,
  type RegistrationFacts,
  recordPossibleMatches,
  requireReferences,
  requireRegistrable,
} from './registration.ts';

/** The result of a registration. */
export type Registered =
  /** A new patient, with charts that may be of the same person where the practice looks for them. */
  | { outcome: 'created'; patientId: number; possibleMatches: PossibleMatch[] }
  /** An existing patient who is the same person. */
  | Matched;

interface Matched {
  outcome: 'matched';
  patientId: number;
}

/**
 * Registers a patient by the practice's policies: which fields it requires, and whether an existing patient is matched (first
 * and last name, birth date, and one of zip, telephone number and email are the same). A matched patient is not changed.
 * @throws Failure invalid for an empty form, for a birth date in the future, and where the strict policy misses a field;
 *   as registerPatient
 */
export async function registerOrMatch(db: Db, caller: Caller, input: PatientInput): Promise<Registered> {
  const found = await checkRegistration(db, caller, input);
  if ('outcome' in found) return found;
  const { id } = insertPatient(db, caller, found.facts, input);
  return { outcome: 'created', patientId: id, possibleMatches: found.possibleMatches };
}

/** The outcome that a registration would have. */
export type TriedRegistration = { outcome: 'created'; possibleMatches: PossibleMatch[] } | Matched;

/** Tries a registration without registering anybody. @throws Failure as registerOrMatch would */
export async function tryRegistration(db: Db, caller: Caller, input: PatientInput): Promise<TriedRegistration> {
  const found = await checkRegistration(db, caller, input);
  return 'outcome' in found ? found : { outcome: 'created', possibleMatches: found.possibleMatches };
}

/**
 * Holds a registration against the policies and references; the patient who is the same person, or else those who may be, where the
 * practice looks for them. Audited as a search.
 * @throws Failure as registerOrMatch
 */
async function checkRegistration(
  db: Db,
  caller: Caller,
  input: PatientInput,
): Promise<Matched | { facts: RegistrationFacts; possibleMatches: PossibleMatch[] }> {
  requireAnyField(input);
  const prepared = preparedIn(db);
  const [facts, , match, possibleMatches] = await Promise.all([
    findRegistrationFacts(prepared, caller, input),
    holdName(prepared, caller, input),
    findSamePerson(prepared, caller, input),
    findPossibleMatches(prepared, caller, input),
  ]);
  if (facts.registrationPolicy === 'strict') requireIdentity(input);
  requireBegun(input.birthDate, facts.timeZone);
  if (match !== null) {
    requireReferences(input, facts);
    recordRead(caller, 'patient', [match], 'search');
    return { outcome: 'matched', patientId: match };
  }
  recordPossibleMatches(caller, possibleMatches);
  requireRegistrable(facts, caller, input);
  return { facts, possibleMatches };
}

function requireAnyField(input: PatientInput): void {
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

/** @throws Failure invalid, naming all fields that the strict policy misses */
function requireIdentity(input: PatientInput): void {
  const issues = missing(input);
  if (issues.length > 0) {
    const message = issues.map((issue) => `${issue.field}: ${issue.message}`).join('; ');
    throw new Failure('invalid', 'registration_incomplete', message, { issues });
  }
}
