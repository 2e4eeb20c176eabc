import { z } from 'zod';
import type { Patient, PatientInput } from '../../domain/patients.ts';
import { invalid } from '../../domain/errors.ts';
import { readPhone, writePhone } from '../../domain/phone.ts';
import { readDay, writeDay } from '../../domain/time.ts';
import { id, text } from '../../http/fields.ts';

const addressShape = z.strictObject({
  address: z.string().nullable(),
  address2: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  zip: z.string().nullable(),
});

export const PatientShape = z
  .strictObject({
    uuid: z.int(),
    user_uuid: z.string().nullable().describe('Null: patients have no user account here'),
    firstname: z.string().nullable(),
    lastname: z.string().nullable(),
    address: addressShape,
    email: z.string().nullable(),
    phone_no: z.string().nullable().describe('The mobile number; ten digits when North American, else E.164'),
    dob: z.string().nullable().describe('YYYY-MM-DD'),
    admit_date: z.string().nullable().describe('YYYY-MM-DD'),
    gender: z.string().nullable(),
    med_rec_no: z.string().nullable().describe('Medical record number in an external system; unique in the organization'),
    census: z.boolean().nullable(),
    provider: z.int().nullable().describe('Provider id'),
    location: z.int().nullable().describe('Location id'),
    flags: z.array(z.string()),
    do_not_sms: z.boolean(),
  })
  .meta({ id: 'Patient' });

export const PatientResponse = z.strictObject({ data: PatientShape }).meta({ id: 'PatientResponse' });

const optional = <T extends z.ZodType>(shape: T) => shape.nullable().optional();

const addressRequest = z.object({
  address: optional(text(100)),
  address2: optional(text(100)),
  city: optional(text(60)),
  state: optional(text(50)),
  zip: optional(text(20)),
});

export const PatientRequest = z
  .object({
    uuid: optional(id()).describe('Ignored: the server gives it'),
    user_uuid: optional(z.unknown()).describe('Ignored: patients have no user account here'),
    firstname: optional(text(100)),
    lastname: optional(text(100)),
    fname: optional(text(100)).describe('Wins over firstname'),
    lname: optional(text(100)).describe('Wins over lastname'),
    address: optional(z.union([text(100), addressRequest])).describe('An object; or a text, with address2, city, state and zip beside it'),
    address2: optional(text(100)),
    city: optional(text(60)),
    state: optional(text(50)),
    zip: optional(text(20)),
    email: optional(text(254).pipe(z.union([z.literal(''), z.email()], { error: 'must be an email address' }))),
    phone_no: optional(text(40)),
    dob: optional(text(10)).describe('YYYY-MM-DD'),
    admit_date: optional(text(10)).describe('YYYY-MM-DD'),
    gender: optional(text(30)),
    med_rec_no: optional(text(64)),
    census: optional(z.boolean()),
    provider: optional(id()),
    location: optional(id()),
    flags: optional(z.array(text(64)).max(50)),
    do_not_sms: optional(z.boolean()),
  })
  .meta({ id: 'PatientRequest' });

export type PatientRequest = z.output<typeof PatientRequest>;

export const patientParams = z.object({ uuid: id().describe('Patient id') });
export const recordNumberParams = z.object({ mrn: text(64).min(1).describe('Medical record number from the external system') });

export function fromPatient(patient: Patient): z.input<typeof PatientShape> {
  return {
    uuid: patient.id,
    user_uuid: null,
    firstname: patient.firstName,
    lastname: patient.lastName,
    address: { address: patient.address1, address2: patient.address2, city: patient.city, state: patient.state, zip: patient.zip },
    email: patient.email,
    phone_no: writePhone(patient.mobilePhone),
    dob: writeDay(patient.birthDate),
    admit_date: writeDay(patient.admitDate),
    gender: patient.sex,
    med_rec_no: patient.medicalRecordNo,
    census: patient.census,
    provider: patient.primaryProviderId,
    location: patient.locationId,
    flags: patient.flags,
    do_not_sms: patient.doNotSms,
  };
}

/**
 * What the request sets: only fields that were sent, null where it clears. Empty texts count as null.
 * @throws Failure naming the field
 */
export function toPatient(request: PatientRequest): PatientInput {
  const firstName = request.fname === undefined ? request.firstname : request.fname;
  const lastName = request.lname === undefined ? request.lastname : request.lname;
  return given({
    firstName: filled(firstName),
    lastName: filled(lastName),
    ...toAddress(request),
    email: filled(request.email),
    mobilePhone: parsed(request.phone_no, (text) => toPhone(text)),
    birthDate: parsed(request.dob, (text) => readDay(text, 'dob')),
    admitDate: parsed(request.admit_date, (text) => readDay(text, 'admit_date')),
    sex: parsed(request.gender, toSex),
    medicalRecordNo: filled(request.med_rec_no),
    census: request.census,
    primaryProviderId: request.provider,
    locationId: request.location,
    flags: request.flags === null ? [] : request.flags,
    doNotSms: request.do_not_sms === null ? false : request.do_not_sms,
  });
}

function toAddress(request: PatientRequest) {
  const nested = typeof request.address === 'object' && request.address !== null ? request.address : null;
  const street = typeof request.address === 'object' ? (nested ? nested.address : null) : request.address;
  return {
    address1: filled(street),
    address2: filled(nested?.address2 ?? request.address2),
    city: filled(nested?.city ?? request.city),
    state: filled(nested?.state ?? request.state),
    zip: filled(nested?.zip ?? request.zip),
  };
}

/** M and F in any spelling are written as the practice dialect writes them; another word stays as it was sent. */
function toSex(word: string): string {
  const letter = /^(m|male|f|female)$/i.exec(word.trim())?.[0]?.[0]?.toUpperCase();
  return letter ?? word.trim();
}

function toPhone(text: string): string {
  const number = readPhone(text);
  if (number === null) throw invalid('phone_no', 'must be a telephone number, such as 9105550123', 'invalid_phone');
  return number;
}

type Sent<T> = T | null | undefined;

const filled = (text: Sent<string>): Sent<string> => (typeof text === 'string' && text.trim() === '' ? null : text);

function parsed<T>(text: Sent<string>, parse: (text: string) => T): Sent<T> {
  const some = filled(text);
  return typeof some === 'string' ? parse(some) : some;
}

/** Without the fields that were not sent. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  Object.assign(kept, Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));
  return kept;
}
