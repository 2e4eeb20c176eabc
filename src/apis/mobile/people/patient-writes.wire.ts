import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { invalid, WrongFields } from '../../../domain/errors.ts';
import type { PatientInput } from '../../../domain/patients/chart/chart-fields.sql.ts';
import { readSex } from '../../../domain/patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../../domain/patients/field-limits.ts';
import { recordNumber } from '../../../domain/values/text-form.ts';
import { readTimeZone } from '../../../domain/values/time/time-zones.ts';
import { language, line, openStatus } from '../../../http/wire/chart-types.ts';
import { guardian, toGuardian } from '../../../http/wire/guardian.ts';
import {
  birthDay,
  day,
  email,
  flag,
  id,
  optional,
  PATTERNS,
  phone,
  reading,
  renameFields,
  state,
  text,
  zip,
} from '../../../http/wire/wire-types.ts';
import type { PatientRecordShape } from './patients.wire.ts';

/** A field that the server sets: it may be sent back as it is shown. */
const follows = (description: string, format?: 'date-time') =>
  z
    .unknown()
    .optional()
    .meta({ type: 'string', description: `Accepted only unchanged: ${description}`, ...(format ? { format } : {}) });

/** The fields of the record that follow from others. */
export const FOLLOWING = {
  uuid: follows('the id in the path'),
  user_uuid: follows('null'),
  external_id: follows('from an import'),
  can_text: follows('from consents and the number'),
  shared_with: follows('from the numbers of other patients'),
  provider_name: follows('from provider'),
  location_name: follows('from location'),
  offices: follows('from office'),
  created_at: follows('when the chart was created', 'date-time'),
  updated_at: follows('when it was last changed', 'date-time'),
};

export const PatientRequest = z.object({
  status: openStatus(),
  firstname: line(),
  middlename: line(),
  lastname: line(),
  suffix: line(),
  preferred_name: line(),
  pronouns: line(),
  address: optional(
    z.object({
      address: optional(text(PATIENT_LIMITS.addressLine)),
      address2: optional(text(PATIENT_LIMITS.addressLine)),
      city: optional(text(PATIENT_LIMITS.city)),
      state: optional(state()),
      zip: optional(zip()),
    }),
  ).describe('Null clears all five fields'),
  email: optional(email()),
  phone_no: optional(phone()).describe('Mobile number; North American'),
  home_phone: optional(phone()),
  work_phone: optional(phone()),
  contact_preference: line().describe('How the patient wants to be reached, such as MOBILEPHONE or MAIL'),
  dob: optional(birthDay(day())).describe('YYYY-MM-DD; not in the future'),
  deceased_date: optional(birthDay(day())).describe('Day of death, YYYY-MM-DD; not in the future'),
  admit_date: optional(day()).describe('YYYY-MM-DD'),
  gender: optional(text(PATIENT_LIMITS.sex)).describe('M, F, male or female in any case; another word is stored as sent'),
  med_rec_no: optional(text(PATIENT_LIMITS.medicalRecordNo, recordNumber)).describe(
    'Medical record number in an external system; unique in the organization',
  ),
  language: language().describe('ISO 639-2 code, or declined'),
  timezone: optional(
    text(100)
      .transform(reading(readTimeZone, 'must be a zone of the IANA database, such as America/New_York'))
      .meta({ pattern: PATTERNS.timeZone }),
  ).describe('IANA time zone; null to use that of the office or the organization'),
  census: optional(flag()),
  flags: optional(z.array(text(PATIENT_LIMITS.flag)).max(PATIENT_LIMITS.flags)),
  do_not_sms: optional(flag()),
  do_not_call: optional(flag()),
  guardian: guardian(),
  provider: optional(id()).describe('Provider id'),
  location: optional(id()).describe('Location id'),
  office: optional(id()).describe('Primary office id'),
  ...FOLLOWING,
});
type PatientRequest = z.output<typeof PatientRequest>;
export const PatientCreate = PatientRequest.meta({ id: 'PatientCreate' });
export const PatientUpdate = PatientRequest.meta({ id: 'PatientUpdate' });

/** Name on the wire of each field of a chart; the parts of the address and of the guardian are in objects. */
export const PATIENT_NAMES = {
  firstName: 'firstname',
  middleName: 'middlename',
  lastName: 'lastname',
  suffix: 'suffix',
  preferredName: 'preferred_name',
  preferredPronouns: 'pronouns',
  email: 'email',
  mobilePhone: 'phone_no',
  homePhone: 'home_phone',
  workPhone: 'work_phone',
  contactPreference: 'contact_preference',
  birthDate: 'dob',
  deceasedDate: 'deceased_date',
  admitDate: 'admit_date',
  sex: 'gender',
  medicalRecordNo: 'med_rec_no',
  languageCode: 'language',
  census: 'census',
  primaryProviderId: 'provider',
  locationId: 'location',
  primaryOfficeId: 'office',
} as const;

const ADDRESS_NAMES = { address1: 'address', address2: 'address2', city: 'city', state: 'state', zip: 'zip' } as const;
const NO_ADDRESS = { address1: null, address2: null, city: null, state: null, zip: null };

/** @param shown the record before a change: a zone that it shows of the organization stays that of the organization */
export function toPatient(request: PatientRequest, shown?: PatientRecord): PatientInput {
  const { address, flags, timezone } = request;
  return {
    ...renameFields(request, PATIENT_NAMES),
    ...(address === null ? NO_ADDRESS : address ? renameFields(address, ADDRESS_NAMES) : {}),
    ...toGuardian(request.guardian),
    sex: request.gender && readSex(request.gender),
    status: request.status ?? undefined,
    flags: flags === null ? [] : flags && [...new Set(flags.filter((one) => one !== ''))],
    doNotSms: request.do_not_sms === null ? false : request.do_not_sms,
    doNotCall: request.do_not_call === null ? false : request.do_not_call,
    timeZone: timezone === shown?.timezone ? undefined : timezone,
  };
}

type PatientRecord = z.input<typeof PatientRecordShape>;

/** The fields of a request that follow from others. */
const listSentFollowing = (request: PatientRequest): [string, unknown][] =>
  Object.entries(request).filter(([name, value]) => name in FOLLOWING && value !== undefined && value !== null && value !== '');

/** @param shown the record before and after the change @throws Failure invalid, naming all fields that follow from others and are neither */
export function requireAsShown(request: PatientRequest, ...shown: PatientRecord[]): void {
  const wrong = new WrongFields();
  for (const [name, value] of listSentFollowing(request)) {
    const values = shown.map((record) => new Map<string, unknown>(Object.entries(record)).get(name));
    if (!values.some((one) => isDeepStrictEqual(one, value))) wrong.add(invalid(name, 'is set by the server', 'read_only'));
  }
  wrong.throwIfAny();
}
