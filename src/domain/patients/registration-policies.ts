import type { Prepared } from '../../database/statement.ts';
import { recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { Failure, type Issue } from '../errors.ts';
import { mapPlan, type OptimisticWrite, unchanged } from '../unit-of-work/optimistic-write.ts';
import { requireBegun } from './birth-dates.ts';
import { LOCK_NAME, PATIENT_IDS, SAME_PERSON } from './registration.sql.ts';
import { findRegistrationContext, type PatientInput, planChecked, planRegistration, requireReferences } from './registration.ts';

/** The result of a registration: a new patient, or an existing one who is the same person. */
export interface Registered {
  patientId: number;
  outcome: 'created' | 'matched';
}

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
      isMatchable: identityOf(input) !== null,
      birthDate: input.birthDate ?? null,
    };
    return mapPlan(planRegistration(caller, await nextId(PATIENT_IDS), input, facts), created);
  },
  async check(tx, caller) {
    requireAnyField(input);
    const context = await findRegistrationContext(tx, caller, input);
    const { registrationPolicy, matchOnRegistration, timeZone } = context;
    if (registrationPolicy === 'strict') requireIdentity(input);
    requireBegun(input.birthDate, timeZone);
    const match = matchOnRegistration ? await findSamePerson(tx, caller, input) : null;
    if (match === null) return mapPlan(planChecked(context, caller, input), created);
    requireReferences(input, context);
    recordRead(caller, 'patient', [match], 'search');
    return unchanged<Registered>({ patientId: match, outcome: 'matched' });
  },
});

const created = ({ id }: { id: number }): Registered => ({ patientId: id, outcome: 'created' });

function requireAnyField(input: PatientInput): void {
  if (Object.values(input).every(isEmpty)) throw new Failure('invalid', 'empty_form', 'The form has nothing in it to register by.');
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null;

const IDENTITY = ['firstName', 'lastName', 'birthDate', 'primaryOfficeId'] as const;
/** One of these is enough. */
const WAYS_TO_REACH = ['email', 'homePhone', 'mobilePhone', 'zip'] as const;

/** The fields that the strict policy requires and the input lacks. */
function missing(input: PatientInput): Issue[] {
  const issue = (field: string, message: string): Issue => ({ field, code: 'missing', message, missing: true });
  const issues = IDENTITY.filter((name) => isEmpty(input[name])).map((name) => issue(name, 'is missing'));
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

/** The fields by which a patient is matched; null where they are too few. */
function identityOf({ firstName, lastName, birthDate, zip, email, homePhone, mobilePhone }: PatientInput) {
  if (!firstName || !lastName || !birthDate) return null;
  const phones = [homePhone, mobilePhone].filter((number) => typeof number === 'string');
  if (!zip && !email && phones.length === 0) return null;
  return { name: [firstName, lastName], rest: [birthDate.toISOString(), zip?.slice(0, 5) ?? null, email ?? null, phones] };
}

/**
 * The patient who is the same person; of several, the one with the lowest id. Only charts that a search would list are
 * considered, so that a match reveals no deleted or restricted one. A concurrent registration of that person waits here until
 * this transaction ends, and then finds the patient that it stored.
 */
async function findSamePerson(tx: Prepared, { organizationId }: Caller, input: PatientInput): Promise<number | null> {
  const identity = identityOf(input);
  if (!identity) return null;
  const name = [organizationId, ...identity.name];
  await tx.rows(LOCK_NAME, name);
  const [found] = await tx.rows(SAME_PERSON, [...name, ...identity.rest]);
  return found?.id ?? null;
}
