import type { Db } from '../database.ts';
import type { Caller } from './caller.ts';
import { Failure, type Issue, invalid } from './errors.ts';
import { checkReferences, type PatientInput, registerPatient } from './patients.ts';
import { findOrganization } from './practices.ts';
import { recordRead } from './recording.ts';
import { dayAt } from './time.ts';

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
export async function registerOrMatch(db: Db, caller: Caller, input: PatientInput): Promise<Registered> {
  const { registrationPolicy, matchOnRegistration, timeZone } = await findOrganization(db, caller.organizationId);
  if (Object.values(input).every(isEmpty)) throw new Failure('invalid', 'empty_form', 'The form has nothing in it to register by.');
  if (registrationPolicy === 'strict') requireIdentity(input);
  const today = dayAt(new Date(), timeZone);
  if (input.birthDate && input.birthDate > today) throw invalid('birthDate', 'must not be in the future', 'in_the_future');
  const standing = matchOnRegistration ? await findSamePerson(db, caller, input) : null;
  if (standing !== null) {
    await checkReferences(db, caller, input);
    recordRead(caller, 'patient', [standing], 'search');
    return { patientId: standing, outcome: 'matched' };
  }
  const { id } = await registerPatient(db, caller, input, today);
  return { patientId: id, outcome: 'created' };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null;

const IDENTITY = ['firstName', 'lastName', 'birthDate', 'primaryOfficeId'] as const;
/** One of these is enough. */
const WAYS_TO_REACH = ['email', 'homePhone', 'mobilePhone', 'zip'] as const;

/** @throws Failure naming all that the strict policy misses */
function requireIdentity(input: PatientInput): void {
  const missing = (field: string, message: string): Issue => ({ field, code: 'missing', message, missing: true });
  const issues = IDENTITY.filter((name) => isEmpty(input[name])).map((name) => missing(name, 'is missing'));
  if (WAYS_TO_REACH.every((name) => isEmpty(input[name]))) {
    issues.push(...WAYS_TO_REACH.map((name) => missing(name, 'is missing, and so are the others of which one is enough')));
  }
  if (issues.length > 0) {
    const said = issues.map(({ field, message }) => `${field}: ${message}`).join('; ');
    throw new Failure('invalid', 'registration_incomplete', said, { issues });
  }
}

/**
 * The patient who is the same person, by the lowest id where there are several. Only those are looked at whom a search would
 * list, so that nobody finds out about a deleted or restricted chart. Whoever registers that person at the same time waits
 * here until this transaction ends, and then finds what it stored.
 */
async function findSamePerson(db: Db, { organizationId }: Caller, input: PatientInput): Promise<number | null> {
  const { firstName, lastName, birthDate, zip, email, homePhone, mobilePhone } = input;
  if (!firstName || !lastName || !birthDate) return null;
  const phones = [homePhone, mobilePhone].filter((number) => typeof number === 'string');
  if (!zip && !email && phones.length === 0) return null;
  await db.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(E'\n', 'registration', fold(${firstName}), fold(${lastName})), ${organizationId}))`;
  const [found] = await db.$queryRaw<{ id: number }[]>`
    SELECT p.id
      FROM patient_name_key k
      JOIN patient p ON p.organization_id = k.organization_id AND p.id = k.patient_id
     WHERE k.organization_id = ${organizationId} AND k.last_key = fold(${lastName}) AND k.first_key = fold(${firstName}) AND k.ordinal = 1
       AND p.birth_date = ${birthDate}::date
       AND (left(p.zip, 5) = ${zip?.slice(0, 5) ?? null}::text OR lower(p.email) = lower(${email ?? null}::text)
            OR p.home_phone = ANY (${phones}::text[]) OR p.mobile_phone = ANY (${phones}::text[]))
     ORDER BY p.id LIMIT 1`;
  return found?.id ?? null;
}
