import type { Prepared } from '../../database/statement.ts';
import { recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { Failure, type Issue } from '../errors.ts';
import { mapPlan, type OptimisticWrite, unchanged } from '../unit-of-work/optimistic-write.ts';
import { requireBegun } from './birth-dates.ts';
import { findPossibleMatches, findSamePerson, holdName, isComparable, type PossibleMatch } from './possible-matches.ts';
import { PATIENT_IDS, type RegistrationContext } from './registration.sql.ts';
import {
  findRegistrationContext,
  type PatientInput,
  planChecked,
  planRegistration,
  requireReferences,
  requireRegistrable,
} from './registration.ts';

/** The result of a registration. */
export type Registered =
  /** A new patient, with charts that may be of the same person where the practice looks for them. */
  | { outcome: 'created'; patientId: number; possibleMatches: PossibleMatch[] }
  /** An existing patient who is the same person. */
  | { outcome: 'matched'; patientId: number };

/**
 * Registers a patient by the practice's policies: which fields it requires, and whether an existing patient is matched (first
 * and last name, birth date, and one of zip, telephone number and email are the same). A matched patient is not changed.
 * @throws Failure invalid for an empty form, for a birth date in the future, and where the strict policy misses a field;
 *   as registerPatient
 */
export const registerOrMatch = (input: PatientInput): OptimisticWrite<Registered> => ({
  async plan({ nextId }, caller) {
    requireAnyField(input);
    const facts = {
      isIdentified: missing(input).length === 0,
      isComparable: isComparable(input),
      birthDate: input.birthDate ?? null,
      mobilePhone: input.mobilePhone ?? null,
    };
    return mapPlan(planRegistration(caller, await nextId(PATIENT_IDS), input, facts), created([]));
  },
  async check(tx, caller) {
    const context = await findPolicies(tx, caller, input, false);
    if (context.matchOnRegistration) await holdName(tx, caller, input);
    const found = await compare(tx, caller, input, context);
    if (found.match !== null) return unchanged<Registered>({ outcome: 'matched', patientId: found.match });
    return mapPlan(planChecked(context, caller, input), created(found.possibleMatches));
  },
});

const created =
  (possibleMatches: PossibleMatch[]) =>
  ({ id }: { id: number }): Registered => ({ outcome: 'created', patientId: id, possibleMatches });

/** The outcome that a registration would have. */
export type TriedRegistration = { outcome: 'created'; possibleMatches: PossibleMatch[] } | { outcome: 'matched'; patientId: number };

/** Tries a registration without registering anybody. @throws Failure as registerOrMatch would */
export const tryRegistration = (input: PatientInput): OptimisticWrite<TriedRegistration> => ({
  plan: async () => null,
  async check(tx, caller) {
    const context = await findPolicies(tx, caller, input, true);
    const found = await compare(tx, caller, input, context);
    if (found.match !== null) return unchanged<TriedRegistration>({ outcome: 'matched', patientId: found.match });
    requireRegistrable(context, caller, input);
    return unchanged<TriedRegistration>({ outcome: 'created', possibleMatches: found.possibleMatches });
  },
});

/** @throws Failure invalid for a form that the practice's policies refuse */
async function findPolicies(
  tx: Prepared,
  caller: Caller,
  input: PatientInput,
  isTrial: boolean,
): Promise<RegistrationContext & { id: number }> {
  requireAnyField(input);
  const context = await findRegistrationContext(tx, caller, input, { isTrial });
  if (context.registrationPolicy === 'strict') requireIdentity(input);
  requireBegun(input.birthDate, context.timeZone);
  return context;
}

/** The patient who is the same person, or else those who may be, where the practice looks for them. Audited as a search. */
async function compare(tx: Prepared, caller: Caller, input: PatientInput, context: RegistrationContext) {
  if (!context.matchOnRegistration) return { match: null, possibleMatches: [] };
  const match = await findSamePerson(tx, caller, input);
  if (match === null) return { match, possibleMatches: await findPossibleMatches(tx, caller, input) };
  requireReferences(input, context);
  recordRead(caller, 'patient', [match], 'search');
  return { match, possibleMatches: [] };
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
