import { z } from 'zod';
import { findRace } from '../../code-sets/races.ts';
import type { PatientInput } from '../../patients/chart/chart-fields.sql.ts';
import {
  DECLINED,
  isDeclined as isDeclinedText,
  MARITAL_STATUSES,
  RELATIONSHIPS,
  readCensusCode,
  readChartLanguage,
  readCountry,
  readEthnicity,
  readGenderIdentity,
  readSex,
  readSexualOrientation,
} from '../../patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../patients/field-limits.ts';
import { readSsn } from '../../patients/record/ssn.ts';
import { oneLine, recordNumber } from '../../values/text-form.ts';
import { readTimeZone } from '../../values/time/time-zones.ts';
import { choice, day, email, flag, list, named, optional, pastDay, phone, read, state, text, zip } from '../rows/cells.ts';

const isDeclined = (sent: unknown) => typeof sent === 'string' && isDeclinedText(sent);

const line = () => optional(text(PATIENT_LIMITS.name));
const address = () => optional(text(PATIENT_LIMITS.addressLine));
/** A cell of a column that is never null: null stands for its value without any. */
const plain = <T extends z.ZodType, E>(cell: T, empty: E) => optional(cell).transform((value) => (value === null ? empty : value));
const coded = (reader: (sent: string) => string | null, otherwise: string) => optional(read((sent) => reader(oneLine(sent)), otherwise));
const country = () => coded(readCountry, 'must be an ISO 3166-1 code such as USA or US');
const censusCode = () => coded(readCensusCode, 'must be a US Census code of up to four digits, or other');
const relationship = () => optional(choice(...RELATIONSHIPS));
const ssn = () => coded(readSsn, 'must be the nine digits of a social security number, with or without hyphens');

const races = list(
  text(20).refine((code) => isDeclined(code) || findRace(code) !== null, 'has a code that is not in 2.16.840.1.113883.5.104'),
  PATIENT_LIMITS.races,
).refine((codes) => codes.length <= 1 || !codes.some(isDeclined), 'is declined, or has codes, but not both');

const ofGuarantor = {
  guarantorFirstName: line(),
  guarantorMiddleName: line(),
  guarantorLastName: line(),
  guarantorSuffix: line(),
  guarantorBirthDate: optional(pastDay()),
  guarantorSsn: ssn(),
  guarantorAddressSameAsPatient: optional(flag()),
  guarantorAddress1: address(),
  guarantorAddress2: address(),
  guarantorCity: optional(text(PATIENT_LIMITS.city)),
  guarantorState: optional(state()),
  guarantorZip: optional(zip()),
  guarantorCountryCode: country(),
  guarantorCountryCode3166: country(),
  guarantorEmail: optional(email()),
  guarantorPhone: optional(phone()),
  guarantorRelationshipToPatient: line(),
  guarantorEmployerId: optional(named()),
};

const ofContacts = {
  contactName: line(),
  contactRelationship: relationship(),
  contactHomePhone: optional(phone()),
  contactMobilePhone: optional(phone()),
  nextOfKinName: line(),
  nextOfKinRelationship: relationship(),
  nextOfKinPhone: optional(phone()),
  guardianFirstName: line(),
  guardianMiddleName: line(),
  guardianLastName: line(),
  guardianSuffix: line(),
};

const ofConsents = {
  portalTermsOnFile: optional(flag()),
  portalSignatureOnFile: optional(flag()),
  portalAccessGiven: optional(flag()),
  medicationHistoryConsentVerified: optional(flag()),
};

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
  birthDate: optional(pastDay()),
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
  deceasedDate: optional(pastDay()),
  assignedSexAtBirth: optional(choice('M', 'F')),
  genderIdentity: coded(readGenderIdentity, 'must be a term of gender identity'),
  genderIdentityOther: line(),
  sexualOrientation: coded(readSexualOrientation, 'must be a term of sexual orientation'),
  sexualOrientationOther: line(),
  registrationDate: optional(pastDay()),
  maritalStatus: optional(choice(...MARITAL_STATUSES)),
  ethnicityCode: coded(readEthnicity, 'must be a code of 2.16.840.1.113883.5.50, or declined'),
  languageCode: coded(readChartLanguage, 'must be an ISO 639-2 code, or declined'),
  countryCode: country(),
  countryCode3166: country(),
  timeZone: coded(readTimeZone, 'must be a zone of the IANA database, such as America/New_York'),
  workPhone: optional(phone()),
  emailDeclined: plain(flag(), false),
  mobilePhoneDeclined: plain(flag(), false),
  contactPreference: line(),
  consentToText: optional(flag()),
  doNotCall: plain(flag(), false),
  homebound: plain(flag(), false),
  ssn: ssn(),
  employerId: optional(named()),
  employerPhone: optional(phone()),
  industryCode: censusCode(),
  occupationCode: censusCode(),
  ...ofContacts,
  ...ofGuarantor,
  ...ofConsents,
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
  homebound: ['homeboundyn'],
  countryCode: ['country'],
  countryCode3166: ['countryiso3166'],
  employerId: ['employer'],
  guarantorBirthDate: ['guarantordob'],
  guarantorCountryCode: ['guarantorcountry'],
  guarantorCountryCode3166: ['guarantorcountryiso3166'],
  guarantorEmployerId: ['guarantoremployer'],
  languageCode: ['language6392code', 'language'],
  nextOfKinName: ['nextkinname'],
  nextOfKinRelationship: ['nextkinrelationship'],
  nextOfKinPhone: ['nextkinphone'],
} as const satisfies { readonly [F in keyof PatientRow]?: readonly string[] };

/** Fields of a row that name records of the practice. */
type Reference = 'primaryOfficeId' | 'primaryProviderId' | 'locationId' | 'employerId' | 'guarantorEmployerId';

/** The fields of a chart that a row gives, once its references are found; without its numbers of social security. */
export function toImportedPatient(
  { email: address, mobilePhone, flags, races: codes, consentToText, ssn: _, guarantorSsn: __, ...row }: PatientRow,
  references: { [F in Reference]: number | null | undefined },
): PatientInput {
  const consent = typeof consentToText === 'boolean' ? !consentToText : undefined;
  return {
    ...row,
    ...references,
    email: address === DECLINED ? undefined : address,
    emailDeclined: address === DECLINED ? true : row.emailDeclined,
    mobilePhone: mobilePhone === DECLINED ? undefined : mobilePhone,
    mobilePhoneDeclined: mobilePhone === DECLINED ? true : row.mobilePhoneDeclined,
    doNotSms: row.doNotSms ?? consent,
    flags: flags && [...new Set(flags)],
    races: codes && [...new Set(codes.map((code) => (isDeclined(code) ? DECLINED : code)))],
  };
}
