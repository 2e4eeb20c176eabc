import { z } from 'zod';
import { raceOf } from '../../../domain/code-sets/races.ts';
import { PATIENT_LIMITS } from '../../../domain/patients/field-limits.ts';
import type { CheckedRegistration, Registered } from '../../../domain/patients/registration/register-or-match.ts';
import type { PatientInput } from '../../../domain/patients/registration/registration.ts';
import { LONGEST_EMAIL } from '../../../domain/values/email-addresses.ts';
import { readNorthAmericanPhone } from '../../../domain/values/phone-numbers.ts';
import { dayFault, readUsDay, US_DAY } from '../../../domain/values/time.ts';
import { alsoNamed } from '../../../http/input/query.ts';
import { birthDay, email, id, optional, renamed, state, text, zip } from '../../../http/wire/wire-types.ts';
import { option } from '../parameters.ts';

const DECLINED = 'declined';
const isDeclined = (sent: string) => sent.trim().toLowerCase() === DECLINED;

/** A telephone number. A value that is not a North American number is read as null, and ignored. */
const phone = () => text(100).transform((sent) => ({ declined: isDeclined(sent), number: readNorthAmericanPhone(sent) }));

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
const US_DAY_PATTERN = '^\\d{1,2}/\\d{1,2}/\\d{4}$';

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
      (codes) => codes.every((code) => code === DECLINED || raceOf(code) !== null),
      'has a code that is not in 2.16.840.1.113883.5.104',
    )
    .nullable(),
);

export const RegistrationForm = z
  .object({
    address1: optional(text(PATIENT_LIMITS.addressLine)).describe('First line of the street address'),
    address2: optional(text(PATIENT_LIMITS.addressLine)).describe('Second line of the street address'),
    city: optional(text(PATIENT_LIMITS.city)).describe('City'),
    departmentid: optional(id()).describe('Department in which the patient is registered'),
    dob: optional(birthDay(givenUsDay()).meta({ pattern: US_DAY_PATTERN })).describe('mm/dd/yyyy; not in the future'),
    email: optional(emailOrDeclined()).describe('Email address, or `declined`'),
    firstname: optional(text(PATIENT_LIMITS.name)).describe('First name'),
    homephone: optional(phone()).describe('North American number; an invalid one is ignored'),
    lastname: optional(text(PATIENT_LIMITS.name)).describe('Last name'),
    mobilephone: optional(phone()).describe('North American number, or `declined`; an invalid one is ignored'),
    race: races
      .optional()
      .describe(
        'Codes of 2.16.840.1.113883.5.104, the first of which is primary, in repeated fields (`race`, `race[]` or `race[0]`) or separated by tabs; or `declined`',
      ),
    sex: optional(z.enum(['M', 'F'])).describe('M or F'),
    state: optional(state()).describe('Two-letter code; the name of the state is understood too'),
    zip: optional(zip()).describe('Five or nine digits'),
  })
  .meta({ id: 'PatientRegistration' });

/** Name on the wire of each field of a chart that a form may set. */
export const REGISTRATION_NAMES = {
  firstName: 'firstname',
  lastName: 'lastname',
  birthDate: 'dob',
  sex: 'sex',
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  state: 'state',
  zip: 'zip',
  email: 'email',
  homePhone: 'homephone',
  mobilePhone: 'mobilephone',
  races: 'race',
  primaryOfficeId: 'departmentid',
} as const;

export type RegistrationForm = z.output<typeof RegistrationForm>;

export const registrationQuery = z.object({
  dryrun: alsoNamed(option(), 'dry_run', 'dryRun').describe('Registers nobody, and returns what would have happened'),
});

/** One shape, because generators make nothing of a choice of two objects. */
export const RegistrationAnswer = z
  .array(
    z
      .strictObject({
        patientid: z.int().meta({ format: 'int32' }).optional().describe('Patient id. Absent where a dry run would create one'),
        dryrun: z.literal(true).optional().describe('Of a dry run: nobody was registered'),
        registration: z.enum(['would-create', 'would-match']).optional().describe('Of a dry run: what a registration would do'),
      })
      .meta({ id: 'PatientCreated' }),
  )
  .describe('One entry');

export const fromRegistered = ({ patientId }: Registered): z.input<typeof RegistrationAnswer> => [{ patientid: patientId }];

export const fromCheckedRegistration = (checked: CheckedRegistration): z.input<typeof RegistrationAnswer> => [
  checked.outcome === 'new'
    ? { dryrun: true, registration: 'would-create' }
    : { dryrun: true, registration: 'would-match', patientid: checked.patientId },
];

/** Telephone numbers that registration does without. */
export function unusablePhones({ homephone, mobilephone }: RegistrationForm): string[] {
  return [
    ...(homephone?.number === null ? ['homephone'] : []),
    ...(mobilephone?.number === null && !mobilephone.declined ? ['mobilephone'] : []),
  ];
}

/** The parsed form; an empty or ignored field is undefined or null. */
export function toRegistration(form: RegistrationForm): PatientInput {
  const { email, homephone, mobilephone, race } = form;
  return {
    ...renamed(form, REGISTRATION_NAMES),
    email: email === DECLINED ? undefined : email,
    emailDeclined: email === DECLINED ? true : undefined,
    homePhone: homephone?.number,
    mobilePhone: mobilephone?.declined ? undefined : mobilephone?.number,
    mobilePhoneDeclined: mobilephone?.declined ? true : undefined,
    races: race ?? undefined,
  };
}
