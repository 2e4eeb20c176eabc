import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { invalid, WrongFields } from '../../../domain/errors.ts';
import type { PatientInput } from '../../../domain/patients/chart/chart-fields.sql.ts';
import { readSex } from '../../../domain/patients/chart/field-values.ts';
import { readTimeZone } from '../../../domain/values/time/time-zones.ts';
import { CHART_KINDS, openStatus } from '../../../http/wire/chart-types.ts';
import { guardian, toGuardian } from '../../../http/wire/guardian.ts';
import { optional, PATTERNS, reading, renameFields, text } from '../../../http/wire/wire-types.ts';
import { namesIn, namesWithin } from '../../../records/field.ts';
import { PATIENT } from '../../../records/patient.ts';
import { shapesOf } from '../../../records/shapes.ts';
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

/** Name on the wire of each field of a chart; the parts of the address and of the guardian are in objects. */
export const PATIENT_NAMES = namesIn(PATIENT, 'mobile');
const ADDRESS_NAMES = namesWithin(PATIENT, 'mobile', 'address');

const KINDS = {
  ...CHART_KINDS,
  status: openStatus,
  timeZone: () =>
    optional(
      text(100)
        .transform(reading(readTimeZone, 'must be a zone of the IANA database, such as America/New_York'))
        .meta({ pattern: PATTERNS.timeZone }),
    ).describe('null to use that of the office or the organization'),
};

export const PatientRequest = z.object({
  ...shapesOf(PATIENT, PATIENT_NAMES, KINDS),
  address: optional(z.object(shapesOf(PATIENT, ADDRESS_NAMES, KINDS))).describe('Null clears all five fields'),
  guardian: guardian(),
  ...FOLLOWING,
});
type PatientRequest = z.output<typeof PatientRequest>;
export const PatientCreate = PatientRequest.meta({ id: 'PatientCreate' });
export const PatientUpdate = PatientRequest.meta({ id: 'PatientUpdate' });

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
