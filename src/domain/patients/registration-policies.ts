import { recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { Failure, type Issue, invalid } from '../errors.ts';
import type { DirectTransaction, WithCare } from '../unit-of-work/optimistic-write.ts';
import { dayAt } from '../values/time.ts';
import { HOLD_NAME, SAME_PERSON } from './registration.sql.ts';
import { addPatient, findRegistrationGround, type PatientInput, registerOn, requireReferences } from './registration.ts';

/** What came of a registration: a new patient, or one who stands already and is the same person. */
export interface Registered {
  patientId: number;
  outcome: 'created' | 'matched';
}

/**
 * Registers whoever filled in a form, by the practice's policies: what it asks for, and whether someone who stands already
 * is found again (first and last name, birth date, and one of zip, telephone number and email are the same). A standing
 * patient who is matched stays as he is.
 * @throws Failure invalid for an empty form, for a birth date to come, and where the strict policy misses something;
 *   as registerPatient
 */
export async function registerOrMatch(tx: DirectTransaction, caller: Caller, input: PatientInput): Promise<Registered> {
  if (Object.values(input).every(isEmpty)) throw new Failure('invalid', 'empty_form', 'The form has nothing in it to register by.');
  if (!tx.careful) {
    const demands = {
      identified: missing(input).length === 0,
      matchable: identityOf(input) !== null,
      bornOn: input.birthDate ?? null,
    };
    const { id } = addPatient(tx, caller, await tx.patientId(), input, demands);
    return { patientId: id, outcome: 'created' };
  }
  const ground = await findRegistrationGround(tx, caller, input);
  const { registrationPolicy, matchOnRegistration, timeZone } = ground;
  if (registrationPolicy === 'strict') requireIdentity(input);
  const today = dayAt(new Date(), timeZone);
  if (input.birthDate && input.birthDate > today) throw invalid('birthDate', 'must not be in the future', 'in_the_future');
  const standing = matchOnRegistration ? await findSamePerson(tx, caller, input) : null;
  if (standing !== null) {
    requireReferences(input, ground);
    recordRead(caller, 'patient', [standing], 'search');
    return { patientId: standing, outcome: 'matched' };
  }
  const { id } = registerOn(ground, tx, caller, input);
  return { patientId: id, outcome: 'created' };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null;

const IDENTITY = ['firstName', 'lastName', 'birthDate', 'primaryOfficeId'] as const;
/** One of these is enough. */
const WAYS_TO_REACH = ['email', 'homePhone', 'mobilePhone', 'zip'] as const;

/** What the strict policy misses. */
function missing(input: PatientInput): Issue[] {
  const issue = (field: string, message: string): Issue => ({ field, code: 'missing', message, missing: true });
  const issues = IDENTITY.filter((name) => isEmpty(input[name])).map((name) => issue(name, 'is missing'));
  if (WAYS_TO_REACH.every((name) => isEmpty(input[name]))) {
    issues.push(...WAYS_TO_REACH.map((name) => issue(name, 'is missing, and so are the others of which one is enough')));
  }
  return issues;
}

/** @throws Failure naming all that the strict policy misses */
function requireIdentity(input: PatientInput): void {
  const issues = missing(input);
  if (issues.length > 0) {
    const said = issues.map(({ field, message }) => `${field}: ${message}`).join('; ');
    throw new Failure('invalid', 'registration_incomplete', said, { issues });
  }
}

/** By what a patient is known again; null where that is too little. */
function identityOf({ firstName, lastName, birthDate, zip, email, homePhone, mobilePhone }: PatientInput) {
  if (!firstName || !lastName || !birthDate) return null;
  const phones = [homePhone, mobilePhone].filter((number) => typeof number === 'string');
  if (!zip && !email && phones.length === 0) return null;
  return { name: [firstName, lastName], rest: [birthDate.toISOString(), zip?.slice(0, 5) ?? null, email ?? null, phones] };
}

/**
 * The patient who is the same person, by the lowest id where there are several. Only those are looked at whom a search would
 * list, so that nobody finds out about a deleted or restricted chart. Whoever registers that person at the same time waits
 * here until this transaction ends, and then finds what it stored.
 */
async function findSamePerson(tx: WithCare, { organizationId }: Caller, input: PatientInput): Promise<number | null> {
  const identity = identityOf(input);
  if (!identity) return null;
  const name = [organizationId, ...identity.name];
  await tx.rows(HOLD_NAME, name);
  const [found] = await tx.rows(SAME_PERSON, [...name, ...identity.rest]);
  return found?.id ?? null;
}
