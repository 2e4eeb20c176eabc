import type { z } from 'zod';
import { invalid, WrongFields } from '../../../domain/errors.ts';
import { writePhone } from '../../../domain/values/phone-numbers.ts';
import { isBlank } from '../../../domain/values/text-form.ts';
import { inTrueOrFalse } from '../parameters.ts';
import { FOLLOWING } from './following-fields.wire.ts';
import type { PatientForm } from './patient-form.wire.ts';
import type { PatientShape } from './patient-record.wire.ts';

/** A record as a client reads it. */
export type ShownRecord = Partial<z.input<typeof PatientShape>>;

/** Of a chart that is not there yet, and where nothing is compared. */
export const NOTHING_SHOWN: ShownRecord = {};

const isSent = (value: unknown): boolean => value !== undefined && !(typeof value === 'string' && isBlank(value));

/** The fields of a form that follow from others. */
export const sentFollowing = (form: PatientForm): [string, unknown][] =>
  Object.entries(form).filter(([name, value]) => name in FOLLOWING && isSent(value));

/** Whether a value is what the record shows: texts are compared, and flags in each of their spellings. */
const isShown = (sent: unknown, shown: unknown): boolean =>
  shown !== undefined && shown !== null && String(inTrueOrFalse(sent)).trim().toLowerCase() === String(shown).toLowerCase();

/** @param shown the record before and after the change @throws Failure invalid, naming all fields that follow from others and are neither */
export function requireAsShown(form: PatientForm, shown: readonly ShownRecord[]): void {
  const wrong = new WrongFields();
  for (const [name, value] of sentFollowing(form)) {
    const places: Readonly<Record<string, unknown>>[] = [...shown];
    if (!places.some((record) => isShown(value, record[name])))
      wrong.add(invalid(name, 'is no field of its own, and is taken only as the record shows it', 'follows_from_others'));
  }
  wrong.throwIfAny();
}

/**
 * The form without values that only say what the record shows: of a patient who has no such value, such as the telephone number of the
 * employer.
 * @throws Failure invalid for the mask of another social security number
 */
export function withoutShown(form: PatientForm, shown: ShownRecord): PatientForm {
  const { employerphone } = form;
  const phone = employerphone?.number ? writePhone(employerphone.number) : undefined;
  const unless = <T>(value: T, before: unknown): T | undefined => (isShown(value, before) ? undefined : value);
  return {
    ...form,
    ssn: unmasked('ssn', form.ssn, shown.ssn),
    guarantorssn: unmasked('guarantorssn', form.guarantorssn, shown.guarantorssn),
    employerphone: isShown(phone, shown.employerphone) ? undefined : employerphone,
    portalaccessgiven: unless(form.portalaccessgiven, shown.portalaccessgiven),
    privacyinformationverified: unless(form.privacyinformationverified, shown.privacyinformationverified),
    medicationhistoryconsentverified: unless(form.medicationhistoryconsentverified, shown.medicationhistoryconsentverified),
  };
}

/** The form of a new patient without masks of numbers, which sample programs of the field send. */
export const withoutMasks = (form: PatientForm): PatientForm => ({
  ...form,
  ssn: form.ssn?.startsWith('*') ? undefined : form.ssn,
  guarantorssn: form.guarantorssn?.startsWith('*') ? undefined : form.guarantorssn,
});

function unmasked(name: string, sent: string | null | undefined, mask: string | undefined): string | null | undefined {
  if (!sent?.startsWith('*')) return sent;
  if (sent === mask) return undefined;
  throw invalid(name, 'is the mask of another number', 'invalid_ssn');
}
