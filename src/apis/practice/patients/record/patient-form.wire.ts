import { z } from 'zod';
import { findRace } from '../../../../domain/code-sets/races.ts';
import { DECLINED, isDeclined } from '../../../../domain/patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../../../domain/patients/field-limits.ts';
import { readSsn } from '../../../../domain/patients/record/ssn.ts';
import { LONGEST_EMAIL } from '../../../../domain/values/email-addresses.ts';
import { readNorthAmericanPhone } from '../../../../domain/values/phone-numbers.ts';
import { dayFault, readUsDay, US_DAY } from '../../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import {
  censusCode,
  chartStatus,
  country,
  ethnicity,
  genderIdentity,
  language,
  line,
  maritalStatus,
  relationship,
  sexualOrientation,
} from '../../../../http/wire/chart-types.ts';
import { birthDay, email, id, optional, reading, state, text, zip } from '../../../../http/wire/wire-types.ts';
import { yesNo } from '../../parameters.ts';

/** A field that follows from others: a form may send it back as it is shown, before the change or after it. */
const follows = (from: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'string', description: `Read-only; accepted only unchanged: ${from}` });

/** The fields of the record that no form writes, and the source of each. */
export const FOLLOWING = {
  patientid: follows('the id in the path'),
  localpatientid: follows('chart ids'),
  lastupdated: follows('day of the last change'),
  lastemail: follows('previous email'),
  hasmobileyn: alsoNamed(follows('from mobilephone, which may be declined'), 'hasmobile'),
  emailexistsyn: alsoNamed(follows('from email, which may be declined'), 'emailexists'),
  maritalstatusname: follows('from maritalstatus'),
  racename: follows('from race'),
  racecode: follows('from race'),
  employername: follows('from employerid'),
  employeraddress: follows('from employerid'),
  employercity: follows('from employerid'),
  firstappointment: follows('from the appointments'),
  lastappointment: follows('from the appointments'),
  portalstatus: follows('from the accounts of the portal'),
  allpatientstatuses: follows('from status and departmentid'),
  balances: follows('from the accounts of the practice'),
  claims: follows('from the accounts of the practice'),
  customfields: follows('set with /patients/{patientid}/customfields'),
  insurances: follows('set with /patients/{patientid}/insurances'),
};

/** A telephone number. A value that is not a North American number is read as null, and ignored. */
const phone = () =>
  optional(text(100).transform((sent) => ({ declined: isDeclined(sent), number: readNorthAmericanPhone(sent) }))).describe(
    'North American number; an invalid one is ignored',
  );

const emailAddress = email();

const emailOrDeclined = () =>
  text(LONGEST_EMAIL)
    .transform((sent) => (isDeclined(sent) ? DECLINED : sent))
    .refine((sent) => sent === DECLINED || emailAddress.safeParse(sent).success, 'must be an email address, or declined')
    .meta({ pattern: '^(declined|[^@\\s]+@[^@\\s]+)$' });

const faultOfDay = dayFault(US_DAY, 'must be a day such as 02/29/1980 (mm/dd/yyyy)');

/** A day `mm/dd/yyyy`. */
export const givenUsDay = () =>
  z.string().transform((sent, context) => {
    const day = readUsDay(sent);
    if (day !== null) return day;
    context.addIssue(faultOfDay(sent));
    return z.NEVER;
  });
export const US_DAY_PATTERN = '^\\d{1,2}/\\d{1,2}/\\d{4}$';
const pastDay = () => optional(birthDay(givenUsDay()).meta({ pattern: US_DAY_PATTERN })).describe('mm/dd/yyyy; not in the future');
/** A day, also one to come. */
export const usDayField = () => optional(givenUsDay().meta({ pattern: US_DAY_PATTERN })).describe('mm/dd/yyyy');

/** Race codes: the field may be repeated, and each may have several codes, separated by tabs. */
const races = z.preprocess(
  (sent) => {
    const given = [sent].flat().flatMap((one) => (typeof one === 'string' ? one.split('\t') : [one]));
    const codes = given.map((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '');
    return codes.length > 0 ? codes : null;
  },
  z
    .array(z.string().meta({ pattern: '^(declined|[0-9]{4}-[0-9](\\t[0-9]{4}-[0-9])*)$' }))
    .max(PATIENT_LIMITS.races)
    .transform((codes) => [...new Set(codes.map((code) => (isDeclined(code) ? DECLINED : code)))])
    .refine((codes) => codes.length === 1 || !codes.includes(DECLINED), 'is declined, or has codes, but not both')
    .refine(
      (codes) => codes.every((code) => code === DECLINED || findRace(code) !== null),
      'has a code that is not in 2.16.840.1.113883.5.104',
    )
    .nullable(),
);

const MASKED = /^\*{5}\d{4}$/;
const ssn = () =>
  optional(
    text(11)
      .transform(
        reading(
          (sent) => (MASKED.test(sent) ? sent : readSsn(sent)),
          'must be a social security number: nine digits, with both hyphens or none',
        ),
      )
      .meta({ pattern: '^(\\d{3}(-?)\\d{2}\\2\\d{4}|\\*{5}\\d{4})$' }),
  ).describe('Nine digits, with both hyphens or none; the masked number leaves it unchanged');

/** The fields that the document lists for a registration. */
const ofDocument = {
  address1: optional(text(PATIENT_LIMITS.addressLine)).describe('First line of the street address'),
  address2: optional(text(PATIENT_LIMITS.addressLine)).describe('Second line of the street address'),
  city: optional(text(PATIENT_LIMITS.city)).describe('City'),
  departmentid: alsoNamed(optional(id()), 'primarydepartmentid').describe('Department in which the patient is registered'),
  dob: pastDay(),
  email: optional(emailOrDeclined()).describe('Email address, or `declined`'),
  firstname: line().describe('First name'),
  homephone: phone(),
  lastname: line().describe('Last name'),
  mobilephone: phone().describe('North American number, or `declined`; an invalid one is ignored'),
  race: races
    .optional()
    .describe(
      'Codes of 2.16.840.1.113883.5.104, the first is primary, in repeated fields (`race`, `race[]` or `race[0]`) or separated by tabs; or `declined`',
    ),
  sex: optional(z.enum(['M', 'F'])).describe('M or F'),
  state: optional(state()).describe('Two-letter code; the name of the state is understood too'),
  zip: optional(zip()).describe('Five or nine digits'),
};

const ofPerson = {
  status: chartStatus().describe('Status; `deleted` requires the scope practice.admin and is not allowed for a new chart'),
  middlename: line().describe('Middle name'),
  suffix: line().describe('Suffix of the name, such as Jr'),
  preferredname: line().describe('Name by which the patient wants to be called'),
  altfirstname: line().describe('First name used instead of the legal one'),
  preferredpronouns: line().describe('Pronouns of the patient'),
  assignedsexatbirth: optional(z.enum(['M', 'F'])).describe('M or F'),
  genderidentity: genderIdentity().describe('A term of either edition of the standard'),
  genderidentityother: line().describe('Free text if no term fits'),
  sexualorientation: sexualOrientation().describe('A term of either edition of the standard'),
  sexualorientationother: line().describe('Free text if no term fits'),
  deceaseddate: pastDay().describe('Day of death, mm/dd/yyyy'),
  registrationdate: pastDay().describe('Day of the registration, mm/dd/yyyy; today by default for a new chart'),
  maritalstatus: maritalStatus().describe('Code: D, M, P, S, U, W or X'),
  ethnicitycode: ethnicity().describe('Code of 2.16.840.1.113883.5.50, or `declined`'),
  language6392code: language().describe('ISO 639-2 code, or `declined`'),
  ssn: ssn(),
  primaryproviderid: optional(id()).describe('Provider id'),
  countrycode: country().describe('ISO 3166-1 code'),
  countrycode3166: country().describe('ISO 3166-1 code'),
  workphone: phone(),
  contactpreference: line().describe('How the patient wants to be reached, such as MOBILEPHONE or MAIL'),
  donotcallyn: alsoNamed(yesNo(), 'donotcall').describe('Whether the patient wants no communication at all'),
  homeboundyn: alsoNamed(yesNo(), 'homebound').describe('Whether the patient cannot leave home'),
  consenttotext: yesNo().describe('Whether the patient wants texts'),
};

const ofOthers = {
  contactname: line().describe('Name of the emergency contact'),
  contactrelationship: relationship().describe('Relationship of the emergency contact'),
  contacthomephone: phone(),
  contactmobilephone: phone(),
  nextkinname: line().describe('Name of the next of kin'),
  nextkinrelationship: relationship().describe('Relationship of the next of kin'),
  nextkinphone: phone(),
  guardianfirstname: line().describe('First name of the guardian'),
  guardianmiddlename: line().describe('Middle name of the guardian'),
  guardianlastname: line().describe('Last name of the guardian'),
  guardiansuffix: line().describe('Suffix of the name of the guardian'),
};

const ofGuarantor = {
  guarantorfirstname: line().describe('First name of the guarantor'),
  guarantormiddlename: line().describe('Middle name of the guarantor'),
  guarantorlastname: line().describe('Last name of the guarantor'),
  guarantorsuffix: line().describe('Suffix of the name of the guarantor'),
  guarantordob: pastDay(),
  guarantorssn: ssn(),
  guarantoraddresssameaspatient: yesNo().describe('Whether the guarantor lives at the patient’s address'),
  guarantoraddress1: optional(text(PATIENT_LIMITS.addressLine)).describe('First line of the guarantor’s address'),
  guarantoraddress2: optional(text(PATIENT_LIMITS.addressLine)).describe('Second line of the guarantor’s address'),
  guarantorcity: optional(text(PATIENT_LIMITS.city)).describe('City of the guarantor'),
  guarantorstate: optional(state()).describe('State of the guarantor'),
  guarantorzip: optional(zip()).describe('Five or nine digits'),
  guarantorcountrycode: country().describe('ISO 3166-1 code'),
  guarantorcountrycode3166: country().describe('ISO 3166-1 code'),
  guarantoremail: optional(email()).describe('Email address of the guarantor'),
  guarantorphone: phone(),
  guarantorrelationshiptopatient: line().describe('Code of the guarantor’s relationship to the patient; 1 means the patient'),
  guarantoremployerid: optional(id()).describe('Employer id of the guarantor'),
};

const ofWork = {
  employerid: optional(id()).describe('Employer id of the patient'),
  employerphone: phone().describe('Name of the employer, instead of the employer id'),
  industrycode: censusCode().describe('US Census code, or `other`'),
  occupationcode: censusCode().describe('US Census code, or `other`'),
};

const ofConsents = {
  portaltermsonfile: yesNo().describe('Whether the terms of the portal were accepted'),
  portalsignatureonfile: yesNo().describe('Whether there is a signature for the portal'),
  portalaccessgiven: yesNo().describe('Whether the patient was given access to the portal'),
  privacyinformationverified: yesNo().describe(
    'Sets all privacy forms; to set single forms, use /patients/{id}/privacyinformationverified',
  ),
  medicationhistoryconsentverified: yesNo().describe('Only in practices with the feature'),
};

/** The form of a registration and of a change: the whole record. */
export const PatientForm = z.object({
  ...ofDocument,
  ...ofPerson,
  ...ofOthers,
  ...ofGuarantor,
  ...ofWork,
  ...ofConsents,
  ...FOLLOWING,
});
export type PatientForm = z.output<typeof PatientForm>;

/** Fields that an update leaves as they are when they are sent empty, since forms send all fields of the document. */
export const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set(Object.keys(ofDocument));
