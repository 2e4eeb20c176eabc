import { fieldsOf } from '../../../records/field.ts';
import { GUARANTOR_ADDRESS, PATIENT } from '../../../records/patient.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import { findCountry } from '../../code-sets/countries.ts';
import { conflict, Failure, type Issue, invalid, notFound, WrongFields } from '../../errors.ts';
import { dayAt } from '../../values/time/time.ts';
import type { PatientFields, PatientInput } from '../chart/chart-fields.sql.ts';
import type { PatientReferences } from './registration.sql.ts';

/** @throws Failure invalid for an input without any value */
export function requireAnyField(input: PatientInput): void {
  if (Object.values(input).every(isEmpty)) throw new Failure('invalid', 'empty_form', 'The form has no fields to register by.');
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null;

/** Beside a name: a patient with one name has it as the first or as the last name. */
const IDENTITY = ['birthDate', 'primaryOfficeId'] as const;
/** One of these is enough. */
const WAYS_TO_REACH = ['email', 'homePhone', 'mobilePhone', 'zip'] as const;

const toIssue = (field: string, message: string): Issue => ({ field, code: 'missing', message, missing: true });

/** The fields that the strict policy requires and the input lacks. */
function listMissing(input: PatientInput): Issue[] {
  const issues = listLacking(input, IDENTITY);
  if (WAYS_TO_REACH.every((name) => isEmpty(input[name]))) {
    issues.push(...WAYS_TO_REACH.map((name) => toIssue(name, 'is missing; an email, a telephone number or a zip is enough')));
  }
  return issues;
}

/** Which of these fields, and the name, the input lacks. */
function listLacking(input: PatientInput, fields: readonly (typeof IDENTITY)[number][]): Issue[] {
  const isNameless = isEmpty(input.lastName) && isEmpty(input.firstName);
  const needed = isNameless ? (['lastName', ...fields] as const) : fields;
  return needed.filter((name) => isEmpty(input[name])).map((name) => toIssue(name, 'is missing'));
}

/** Adds all fields that the strict policy misses. */
export const checkIdentity = (input: PatientInput, wrong: WrongFields): void => addMissing(listMissing(input), wrong);

/** Adds the name and the birth date where they are missing: a row of a file without them is a total or a remark more often than a person. */
export const checkPerson = (input: PatientInput, wrong: WrongFields): void => addMissing(listLacking(input, ['birthDate']), wrong);

function addMissing(issues: Issue[], wrong: WrongFields): void {
  if (issues.length > 0) {
    const message = issues.map((issue) => `${issue.field}: ${issue.message}`).join('; ');
    wrong.add(new Failure('invalid', 'registration_incomplete', message, { issues }));
  }
}

/** Days that have passed. */
const PAST_DAYS = fieldsOf(PATIENT, 'pastDay');

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
  const { birthDate = before?.birthDate, deceasedDate = before?.deceasedDate } = input;
  if ((input.birthDate || input.deceasedDate) && birthDate && deceasedDate && deceasedDate < birthDate)
    wrong.add(invalid(input.deceasedDate ? 'deceasedDate' : 'birthDate', 'is before the birth date', 'contradiction'));
  if (before === null && input.status === 'deleted')
    wrong.add(invalid('status', 'must be active, inactive or prospective for a new chart', 'invalid'));
  if (input.medicationHistoryConsentVerified && !hasMedicationHistory)
    wrong.add(
      invalid('medicationHistoryConsentVerified', 'must be false, since the practice does not ask for this consent', 'feature_off'),
    );
  if (typeof input.primaryProviderId === 'number' && !exists.providerExists) wrong.add(notFound('provider', 'primaryProviderId'));
  if (typeof input.locationId === 'number' && !exists.locationExists) wrong.add(notFound('location', 'locationId'));
  if (typeof input.primaryOfficeId === 'number' && !exists.officeExists) wrong.add(notFound('office', 'primaryOfficeId'));
  if (typeof input.employerId === 'number' && !exists.employerExists) wrong.add(notFound('employer', 'employerId'));
  if (typeof input.guarantorEmployerId === 'number' && !exists.guarantorEmployerExists)
    wrong.add(notFound('employer', 'guarantorEmployerId'));
  wrong.throwIfAny();
}

/**
 * A record number is unique in its organization, deleted charts included: a number never comes to mean another person.
 * Of two concurrent writes the database refuses the second, which then runs again (see unit-of-work.ts) and finds the first
 * here, so that the message can name it. Who may not see restricted charts hears the same of them as of deleted ones.
 */
export function requireFreeRecordNumber(
  caller: Caller,
  { recordNumberHolder: holder }: Pick<PatientReferences, 'recordNumberHolder'>,
  own?: number,
): void {
  if (!holder || holder.id === own) return;
  const isDeleted = holder.status === 'deleted';
  const isUnseen = (holder.restricted || isDeleted) && !maySeeChart(caller, holder.id);
  const who = isUnseen ? 'A chart that is deleted or restricted' : `Patient ${holder.id}${isDeleted ? ', who was deleted,' : ''}`;
  throw conflict('medical_record_number_taken', `${who} already has this medical record number.`, 'medicalRecordNo');
}

/** A value for a field that the patient once declined to give clears its "declined". */
export function clearedDeclines(input: PatientInput) {
  return { ...(input.email ? { emailDeclined: false } : {}), ...(input.mobilePhone ? { mobilePhoneDeclined: false } : {}) };
}

/** A country in both of its codes: three letters, and the two of ISO 3166-1. */
const COUNTRIES = [
  ['countryCode', 'countryCode3166'],
  ['guarantorCountryCode', 'guarantorCountryCode3166'],
] as const;

/**
 * An input whose fields agree with one another and with the chart: one country in both codes, and the guarantor's address in one place.
 * @throws Failure invalid for two countries of one address, and as withGuarantorAddress
 */
export function makeConsistent(chart: PatientFields, input: PatientInput): PatientInput {
  return withGuarantorAddress(chart, COUNTRIES.reduce(withOneCountry, input));
}

function withOneCountry(input: PatientInput, [long, short]: (typeof COUNTRIES)[number]): PatientInput {
  const [one, other] = [input[long], input[short]];
  if (one === undefined && other === undefined) return input;
  const countries = new Set([one, other].flatMap((code) => (code ? [findCountry(code)] : [])));
  if (countries.size > 1) throw invalid(short, 'differs from the other country field', 'contradiction');
  const [country = null] = countries;
  return { ...input, [long]: country?.alpha3 ?? null, [short]: country?.alpha2 ?? null };
}

type Guarantor = (typeof GUARANTOR_ADDRESS)[number][0];
type Own = (typeof GUARANTOR_ADDRESS)[number][1];

/** A guarantor's address; absent parts are as they were. */
type GuarantorAddress = { [K in Guarantor]?: string | null };

const NO_ADDRESS: GuarantorAddress = Object.fromEntries(GUARANTOR_ADDRESS.map(([part]) => [part, null]));

/**
 * The input with the guarantor's address in one place: while it is the patient's, no copy of it is stored, and records show
 * the patient's own. Another address ends that, and keeps the parts of the patient's that it does not name.
 * @throws Failure invalid for another address together with the statement that it is the patient's
 */
function withGuarantorAddress(before: PatientFields, input: PatientInput): PatientInput {
  const { guarantorAddressSameAsPatient: same } = input;
  const given: GuarantorAddress = Object.fromEntries(
    GUARANTOR_ADDRESS.flatMap(([part]) => (input[part] === undefined ? [] : [[part, input[part]]])),
  );
  if (same === undefined && Object.keys(given).length === 0) return input;
  const wasSame = before.guarantorAddressSameAsPatient === true;
  const shown: GuarantorAddress = Object.fromEntries(
    GUARANTOR_ADDRESS.map(([part, own]) => [part, wasSame ? patientsOwn(before, input, own) : before[part]]),
  );
  // Sent back as it was read, it moves with the patient.
  const isRead = (value: string | null, own: Own) => wasSame && value === before[own];
  const isOther = GUARANTOR_ADDRESS.some(([part, own]) => {
    const value = given[part];
    return value !== undefined && value !== patientsOwn(before, input, own) && !isRead(value, own);
  });
  if (same === true) {
    if (isOther)
      throw invalid('guarantorAddressSameAsPatient', 'must not be yes together with another address of the guarantor', 'contradiction');
    return { ...input, ...NO_ADDRESS };
  }
  if (!wasSame || (same === undefined && !isOther)) return wasSame ? { ...input, ...NO_ADDRESS } : input;
  const isGiven = Object.keys(given).length > 0;
  return { ...input, ...(isGiven ? { ...shown, ...given } : {}), guarantorAddressSameAsPatient: same ?? false };
}

/** The part of the patient's address after the change. */
const patientsOwn = (before: PatientFields, input: PatientInput, own: Own): string | null =>
  input[own] === undefined ? before[own] : input[own];
