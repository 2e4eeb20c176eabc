import { z } from 'zod';
import { findRace } from '../../../../domain/code-sets/races.ts';
import { DECLINED, isDeclined } from '../../../../domain/patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../../../domain/patients/field-limits.ts';
import { readSsn } from '../../../../domain/patients/record/ssn.ts';
import { LONGEST_EMAIL } from '../../../../domain/values/email-addresses.ts';
import { readNorthAmericanPhone } from '../../../../domain/values/phone-numbers.ts';
import { dayFault, readUsDay, US_DAY } from '../../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { CHART_KINDS, chartStatus } from '../../../../http/wire/chart-types.ts';
import { birthDay, email, id, optional, reading, text } from '../../../../http/wire/wire-types.ts';
import { namesIn } from '../../../../records/field.ts';
import { PATIENT } from '../../../../records/patient.ts';
import { shapesOf } from '../../../../records/shapes.ts';
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
    'North American; an invalid one is ignored',
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
const pastDay = () => optional(birthDay(givenUsDay()).meta({ pattern: US_DAY_PATTERN })).describe('mm/dd/yyyy, not in the future');
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

const letterOfSex = () => optional(z.enum(['M', 'F'])).describe('M or F');

const KINDS = {
  ...CHART_KINDS,
  status: () => chartStatus().describe('`deleted` requires the scope practice.admin and is not allowed for a new chart'),
  phone,
  phoneOrDeclined: () => phone().describe('North American, or `declined`; an invalid one is ignored'),
  emailOrDeclined: () => optional(emailOrDeclined()).describe('`declined` if the patient gives none'),
  sex: letterOfSex,
  sexAtBirth: letterOfSex,
  pastDay,
  races: () => races.optional().describe('in repeated fields (`race`, `race[]` or `race[0]`) or separated by tabs; or `declined`'),
  flag: yesNo,
  yesNo,
};

const { donotcallyn, homeboundyn, ...ofChart } = shapesOf(PATIENT, namesIn(PATIENT, 'practice'), KINDS);

/** The form of a registration and of a change: the whole record. */
export const PatientForm = z.object({
  ...ofChart,
  registrationdate: pastDay().describe('Day of the registration, mm/dd/yyyy, not in the future; today by default for a new chart'),
  departmentid: alsoNamed(optional(id()), 'primarydepartmentid').describe('Department in which the patient is registered'),
  donotcallyn: alsoNamed(donotcallyn, 'donotcall').describe('Whether the patient wants no communication at all'),
  homeboundyn: alsoNamed(homeboundyn, 'homebound'),
  consenttotext: yesNo().describe('Whether the patient wants texts'),
  ssn: ssn(),
  guarantorssn: ssn(),
  privacyinformationverified: yesNo().describe(
    'Sets all privacy forms; to set single forms, use /patients/{id}/privacyinformationverified',
  ),
  ...FOLLOWING,
});
export type PatientForm = z.output<typeof PatientForm>;

/** Fields that an update leaves as they are when they are sent empty, since forms send all fields of the document. */
export const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set([
  ...['firstname', 'lastname', 'dob', 'sex', 'race', 'departmentid', 'address1', 'address2', 'city', 'state', 'zip'],
  ...['email', 'homephone', 'mobilephone'],
]);
