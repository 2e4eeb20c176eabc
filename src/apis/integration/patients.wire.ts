import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import type { PatientInput } from '../../domain/patients/chart/chart-fields.sql.ts';
import { readSex } from '../../domain/patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../domain/patients/field-limits.ts';
import type { Guardian } from '../../domain/patients/guardians/guardians.ts';
import type { PatientChart } from '../../domain/patients/registration/registration.ts';
import type { AppointmentPatient } from '../../domain/scheduling/appointment/appointment-view.ts';
import { writePhone } from '../../domain/values/phone-numbers.ts';
import { recordNumber } from '../../domain/values/text-form.ts';
import { writeDay } from '../../domain/values/time/time.ts';
import { CHART_KINDS, SHOWN_KINDS } from '../../http/wire/chart-types.ts';
import { prefer } from '../../http/wire/checked-shapes.ts';
import { fromGuardian, GuardianShape, guardian, toGuardian } from '../../http/wire/guardian.ts';
import { flag, id, ignoredId, optional, renameFields, text } from '../../http/wire/wire-types.ts';
import { namesIn, namesWithin } from '../../records/field.ts';
import { PATIENT } from '../../records/patient.ts';
import { shapesOf } from '../../records/shapes.ts';

/** Name on the wire of each field of a chart; the parts of the address and of the guardian are in objects. */
export const PATIENT_NAMES = namesIn(PATIENT, 'integration');
const ADDRESS_NAMES = namesWithin(PATIENT, 'integration', 'address');

const SHOWN = { ...SHOWN_KINDS, yesNo: () => z.enum(['0', '1']).describe('1 if so') };

/** The patient as a record of its own; appointments show the shorter one. */
export const PatientRecordShape = z
  .strictObject({
    uuid: z.int().describe('Patient id'),
    user_uuid: z.string().nullable().describe('Always null: patients have no user account'),
    ...shapesOf(PATIENT, PATIENT_NAMES, SHOWN),
    address: z.strictObject(shapesOf(PATIENT, ADDRESS_NAMES, SHOWN)).describe('Postal address'),
    guardian: GuardianShape,
  })
  .meta({ id: 'PatientRecord' });

export const PatientShape = PatientRecordShape.omit({
  preferred_name: true,
  language: true,
  contact_preference: true,
  deceased_date: true,
  guardian: true,
}).meta({ id: 'Patient' });

export const PatientResponse = z.strictObject({ data: PatientRecordShape }).meta({ id: 'PatientResponse' });

const TAKEN = {
  ...CHART_KINDS,
  yesNo: () => optional(flag().meta({ type: 'string', enum: ['0', '1'] })).describe('1 if so. 0, 1, true and false are accepted'),
};

const { address: street, ...addressRest } = shapesOf(PATIENT, ADDRESS_NAMES, TAKEN);

/** A string is read as an object that has only the street, `address`. */
const address = z.preprocess(
  (sent) => (typeof sent === 'string' ? { address: sent } : sent),
  z.object({ address: street, ...addressRest }).nullable(),
);

export const PatientRequest = z
  .object({
    uuid: ignoredId('Id as in responses; ignored for a new patient, since the server assigns it'),
    user_uuid: ignoredId('Null: patients have no user account'),
    ...shapesOf(PATIENT, PATIENT_NAMES, TAKEN),
    fname: optional(text(PATIENT_LIMITS.name)).describe('Takes precedence over firstname'),
    lname: optional(text(PATIENT_LIMITS.name)).describe('Takes precedence over lastname'),
    address: address
      .optional()
      .describe(
        'An object, or a string with the street, in which case address2, city, state and zip are fields of the patient. Fields in the object take precedence over those of the patient; null clears all five',
      ),
    ...addressRest,
    guardian: guardian(),
  })
  .meta({ id: 'PatientRequest' });

export type PatientRequest = z.output<typeof PatientRequest>;

export const patientParams = z.object({ uuid: id().describe('Patient id') });
export const recordNumberParams = z.object({
  mrn: text(PATIENT_LIMITS.medicalRecordNo, recordNumber).min(1).describe('Medical record number from the external system'),
});

/**
 * The record number at the end of an address with each `+` read as a blank, as clients write that encode a path like a query; none
 * where there is no `+`. A plus sign that is encoded (`%2B`) stays one.
 */
export function withBlanks(url: string): string[] {
  const written = /\/([^/?]*)\/?(?:\?|$)/.exec(url)?.[1] ?? '';
  if (!written.includes('+')) return [];
  const { data } = recordNumberParams.safeParse({ mrn: decodeURIComponent(written.replaceAll('+', '%20')) });
  return data ? [data.mrn] : [];
}

/** A patient with its days written as `YYYY-MM-DD`. */
type PatientView = Omit<AppointmentPatient, 'status'>;

export const fromRegisteredPatient = (patient: PatientChart & Guardian): z.input<typeof PatientRecordShape> => ({
  ...fromPatient({ ...patient, birthDate: writeDay(patient.birthDate), admitDate: writeDay(patient.admitDate) }),
  preferred_name: patient.preferredName,
  language: patient.languageCode,
  contact_preference: patient.contactPreference,
  deceased_date: writeDay(patient.deceasedDate),
  guardian: fromGuardian(patient),
});

export function fromPatient(patient: PatientView): z.input<typeof PatientShape> {
  return {
    uuid: patient.id,
    user_uuid: null,
    firstname: patient.firstName,
    lastname: patient.lastName,
    address: { address: patient.address1, address2: patient.address2, city: patient.city, state: patient.state, zip: patient.zip },
    email: patient.email,
    phone_no: writePhone(patient.mobilePhone),
    dob: patient.birthDate,
    admit_date: patient.admitDate,
    gender: patient.sex,
    med_rec_no: patient.medicalRecordNo,
    census: patient.census,
    provider: patient.primaryProviderId,
    location: patient.locationId,
    flags: patient.flags,
    do_not_sms: patient.doNotSms ? '1' : '0',
  };
}

/** The fields that a request sets: absent fields are undefined, cleared ones are null, or empty where a chart needs a value. */
export function toPatient(request: PatientRequest): PatientInput {
  return {
    ...renameFields(request, PATIENT_NAMES),
    ...toGuardian(request.guardian),
    firstName: prefer(request.fname, request.firstname),
    lastName: prefer(request.lname, request.lastname),
    ...toAddress(request),
    sex: request.gender && readSex(request.gender),
    flags: request.flags === null ? [] : request.flags && [...new Set(request.flags.filter((flag) => flag !== ''))],
    doNotSms: request.do_not_sms === null ? false : request.do_not_sms,
  };
}

/** @throws Failure invalid for fields that the server sets, unless they are as it shows them */
export function requireOwnIds({ uuid, user_uuid }: PatientRequest, id: number): void {
  const isShown = (sent: unknown, shown: string) => ['', shown].includes(String(sent ?? '').trim());
  if (!isShown(uuid, String(id))) throw invalid('uuid', 'differs from the id in the path', 'read_only');
  if (!isShown(user_uuid, '')) throw invalid('user_uuid', 'must be null: patients have no user account', 'read_only');
}

/** The same of a new patient, whose id the server draws, whatever id a client has for it. */
export const unusedOnCreate = (request: PatientRequest): string[] => [
  ...(['uuid', 'user_uuid'] as const).filter((name) => request[name] !== undefined),
  ...unusedFields(request),
];

/** Fields without effect: those that lose to another of the same meaning with another value. */
export function unusedFields(request: PatientRequest): string[] {
  const { address, fname, lname, firstname, lastname } = request;
  const isLost = <T>(other: T, value: T) => (other ?? null) !== null && (value ?? null) !== null && other !== value;
  return [
    ...(isLost(fname, firstname) ? ['firstname'] : []),
    ...(isLost(lname, lastname) ? ['lastname'] : []),
    ...ADDRESS_REST.filter((name) => isLost(address?.[name], request[name])),
  ];
}

const ADDRESS_REST = ['address2', 'city', 'state', 'zip'] as const satisfies readonly (keyof typeof addressRest)[];

function toAddress({ address, ...patientFields }: PatientRequest) {
  const rest = address === null ? null : undefined;
  const choosePart = (name: keyof typeof addressRest) => prefer(address?.[name], patientFields[name], rest);
  return {
    address1: address?.address === undefined ? rest : address.address,
    address2: choosePart('address2'),
    city: choosePart('city'),
    state: choosePart('state'),
    zip: choosePart('zip'),
  };
}
