import { z } from 'zod';
import { ethnicityName } from '../../code-sets/ethnicities.ts';
import { readLanguage } from '../../code-sets/languages.ts';
import { maritalStatusName } from '../../code-sets/marital-statuses.ts';
import { raceOf } from '../../code-sets/races.ts';
import type { PatientInput } from '../../patients/chart/chart-fields.sql.ts';
import { readSex } from '../../patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../patients/field-limits.ts';
import { oneLine, recordNumber } from '../../values/text-form.ts';
import { birthDay, choice, day, email, flag, list, named, optional, phone, read, state, text, zip } from '../rows/cells.ts';

const DECLINED = 'declined';
const isDeclined = (sent: unknown) => typeof sent === 'string' && sent.trim().toLowerCase() === DECLINED;

const line = () => optional(text(PATIENT_LIMITS.name));
const address = () => optional(text(PATIENT_LIMITS.addressLine));
/** A cell of a column that is never null: null stands for its value without any. */
const plain = <T extends z.ZodType, E>(cell: T, empty: E) => optional(cell).transform((value) => (value === null ? empty : value));
const coded = (isCode: (code: string) => unknown, otherwise: string) =>
  optional(read((sent) => (isCode(oneLine(sent)) ? oneLine(sent) : null), otherwise));

const races = list(
  text(20).refine((code) => isDeclined(code) || raceOf(code) !== null, 'has a code that is not in 2.16.840.1.113883.5.104'),
  PATIENT_LIMITS.races,
).refine((codes) => codes.length <= 1 || !codes.some(isDeclined), 'is declined, or has codes, but not both');

export const PatientCells = z.object({
  externalId: optional(text(PATIENT_LIMITS.externalId, recordNumber)),
  medicalRecordNo: optional(text(PATIENT_LIMITS.medicalRecordNo, recordNumber)),
  firstName: line(),
  lastName: line(),
  address1: address(),
  address2: address(),
  city: optional(text(PATIENT_LIMITS.city)),
  state: optional(state()),
  zip: optional(zip()),
  email: optional(email(DECLINED)),
  homePhone: optional(phone()),
  mobilePhone: optional(phone(DECLINED)),
  birthDate: optional(birthDay()),
  admitDate: optional(day()),
  sex: optional(text(PATIENT_LIMITS.sex)).transform((word) => word && readSex(word)),
  races: plain(races, []),
  census: optional(flag()),
  primaryOfficeId: optional(named()),
  primaryProviderId: optional(named()),
  locationId: optional(named()),
  flags: plain(list(text(PATIENT_LIMITS.flag), PATIENT_LIMITS.flags), []),
  doNotSms: plain(flag(), false),
  status: plain(choice('active', 'inactive', 'prospective'), undefined),
  middleName: line(),
  suffix: line(),
  preferredName: line(),
  altFirstName: line(),
  preferredPronouns: line(),
  deceasedDate: optional(birthDay()),
  maritalStatus: coded(maritalStatusName, 'must be D, M, P, S, U, W or X'),
  ethnicityCode: coded((code) => isDeclined(code) || ethnicityName(code), 'must be a code of 2.16.840.1.113883.5.50, or declined'),
  languageCode: optional(read((sent) => (isDeclined(sent) ? DECLINED : readLanguage(sent)), 'must be an ISO 639-2 code, or declined')),
  workPhone: optional(phone()),
  doNotCall: plain(flag(), false),
  contactName: line(),
  contactRelationship: line(),
  contactHomePhone: optional(phone()),
  contactMobilePhone: optional(phone()),
  nextOfKinName: line(),
  nextOfKinRelationship: line(),
  nextOfKinPhone: optional(phone()),
  guardianFirstName: line(),
  guardianMiddleName: line(),
  guardianLastName: line(),
});
export type PatientRow = z.output<typeof PatientCells>;

/** The names of the cells in the three APIs, where they are not the domain's but for case and underscores. */
export const PATIENT_WORDS = {
  medicalRecordNo: ['med_rec_no', 'mrn'],
  firstName: ['fname'],
  lastName: ['lname'],
  address1: ['address'],
  homePhone: ['home_phone'],
  mobilePhone: ['phone_no', 'phone'],
  birthDate: ['dob'],
  sex: ['gender'],
  races: ['race'],
  primaryOfficeId: ['departmentid', 'primarydepartmentid', 'office', 'office_id', 'department'],
  primaryProviderId: ['provider', 'provider_id', 'primaryproviderid'],
  locationId: ['location'],
  preferredPronouns: ['pronouns'],
  doNotCall: ['donotcallyn'],
  languageCode: ['language6392code', 'language'],
  nextOfKinName: ['nextkinname'],
  nextOfKinRelationship: ['nextkinrelationship'],
  nextOfKinPhone: ['nextkinphone'],
} as const satisfies { readonly [F in keyof PatientRow]?: readonly string[] };

/** The fields of a chart that a row gives, once its references are found. */
export function toImportedPatient(
  { email: address, mobilePhone, flags, races: codes, ...row }: PatientRow,
  { primaryOfficeId, primaryProviderId, locationId }: Pick<PatientInput, 'primaryOfficeId' | 'primaryProviderId' | 'locationId'>,
): PatientInput {
  return {
    ...row,
    primaryOfficeId,
    primaryProviderId,
    locationId,
    email: address === DECLINED ? undefined : address,
    emailDeclined: address === DECLINED ? true : undefined,
    mobilePhone: mobilePhone === DECLINED ? undefined : mobilePhone,
    mobilePhoneDeclined: mobilePhone === DECLINED ? true : undefined,
    flags: flags && [...new Set(flags)],
    races: codes && [...new Set(codes.map((code) => (isDeclined(code) ? DECLINED : code)))],
  };
}
