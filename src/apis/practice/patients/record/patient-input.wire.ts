import { z } from 'zod';
import { Failure } from '../../../../domain/errors.ts';
import type { PatientInput } from '../../../../domain/patients/chart/chart-fields.sql.ts';
import { DECLINED } from '../../../../domain/patients/chart/field-values.ts';
import type { Registered } from '../../../../domain/patients/registration/registration.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { renameFields } from '../../../../http/wire/wire-types.ts';
import { fieldsOf, namesIn } from '../../../../records/field.ts';
import { PATIENT } from '../../../../records/patient.ts';
import { option } from '../../parameters.ts';
import { FOLLOWING, KEPT_WHEN_EMPTY, PatientForm } from './patient-form.wire.ts';

export const PatientRegistrationForm = PatientForm.meta({ id: 'PatientRegistration' });

export const registrationQuery = z.object({
  dryrun: alsoNamed(option(), 'dry_run', 'dryRun').describe('Return what would have happened, without registering a patient'),
});

/** One shape, because generators make nothing of a choice of two objects. */
export const RegistrationAnswer = z
  .array(
    z
      .strictObject({
        patientid: z.int().meta({ format: 'int32' }).optional().describe('Patient id; absent if a dry run would create a patient'),
        dryrun: z.literal(true).optional().describe('Dry run: no patient was registered'),
        registration: z.enum(['would-create', 'would-match']).optional().describe('For a dry run: what a registration would do'),
      })
      .meta({ id: 'PatientCreated' }),
  )
  .describe('One entry');

export const fromRegistered = ({ patientId }: Registered): z.input<typeof RegistrationAnswer> => [{ patientid: patientId }];

/** The answer to a registration that was rolled back. */
export const fromTriedRegistration = ({ outcome, patientId }: Registered): z.input<typeof RegistrationAnswer> => [
  outcome === 'created'
    ? { dryrun: true, registration: 'would-create' }
    : { dryrun: true, registration: 'would-match', patientid: patientId },
];

/** An absent field stays as it is, and so does an empty one that the document lists for a registration; any other empty one is cleared. */
export const PatientUpdateForm = PatientForm.meta({ id: 'PatientUpdate' });

export const PatientUpdateAnswer = z
  .array(z.strictObject({ patientid: z.string().describe('Patient id') }).meta({ id: 'PatientUpdated' }))
  .describe('One entry');

export const fromUpdated = (id: number): z.input<typeof PatientUpdateAnswer> => [{ patientid: String(id) }];

const CHART_NAMES = namesIn(PATIENT, 'practice');

/** Name on the wire of each field of a chart that a form may set. */
export const PATIENT_NAMES = { ...CHART_NAMES, ssn: 'ssn', guarantorSsn: 'guarantorssn' } as const;

const PHONES = fieldsOf(PATIENT, 'phone', 'phoneOrDeclined');

/** A number of the form: undefined where it stays as it is, or cannot be used; null where it is taken away. */
const toPhone = (sent: PatientForm['workphone']) => (sent ? (sent.number ?? undefined) : sent);

function toPhones(form: PatientForm): { [F in (typeof PHONES)[number]]: string | null | undefined };
function toPhones(form: PatientForm): Record<string, unknown> {
  return Object.fromEntries(PHONES.map((field) => [field, toPhone(form[CHART_NAMES[field]])]));
}

/** The parsed form: an absent field is undefined, an empty one null, or undefined where a chart needs a value. */
export function toRegistration(form: PatientForm): PatientInput {
  const { email, mobilephone, consenttotext } = form;
  return {
    ...renameFields(form, CHART_NAMES),
    ...toPhones(form),
    mobilePhoneDeclined: mobilephone?.declined ? true : undefined,
    doNotCall: form.donotcallyn ?? undefined,
    homebound: form.homeboundyn ?? undefined,
    status: form.status ?? undefined,
    email: email === DECLINED ? undefined : email,
    emailDeclined: email === DECLINED ? true : undefined,
    races: form.race ?? undefined,
    doNotSms: typeof consenttotext === 'boolean' ? !consenttotext : undefined,
  };
}

/**
 * The fields to change. Who declines to give an email address or a mobile number has none any more; an address that is written with its
 * first line has no second one where that is sent empty.
 */
export function toPatientUpdate(form: PatientForm): PatientInput {
  const sent: Readonly<Record<string, unknown>> = form;
  const input: PatientInput = toRegistration(form);
  const kept = Object.entries(PATIENT_NAMES).filter(([, name]) => sent[name] === null && KEPT_WHEN_EMPTY.has(name));
  return {
    ...input,
    ...Object.fromEntries(kept.map(([field]) => [field, undefined])),
    ...(form.address1 && form.address2 === null ? { address2: null } : {}),
    ...(input.emailDeclined ? { email: null } : {}),
    ...(input.mobilePhoneDeclined ? { mobilePhone: null } : {}),
  };
}

/** @throws Failure invalid for a form without anything to change */
export function requireChanges(form: PatientForm): void {
  const besides = Object.entries(form).filter(([name]) => BESIDES.has(name));
  const values = [...Object.values(toPatientUpdate(form)), ...besides.map(([, value]) => value)];
  if (values.every((value) => value === undefined)) throw new Failure('invalid', 'empty_form', 'The form has nothing in it to change.');
}

/** Fields that are no part of the input: they are stored by themselves, or follow from others. */
const BESIDES: ReadonlySet<string> = new Set(['ssn', 'guarantorssn', 'privacyinformationverified', ...Object.keys(FOLLOWING)]);

/** Values that a registration does without: numbers that nobody has, and masks. */
export const unusableOnCreate = (form: PatientForm): string[] => [
  ...unusablePhones(form),
  ...(['ssn', 'guarantorssn'] as const).filter((name) => form[name]?.startsWith('*')),
];

/** Telephone numbers that are ignored. */
export const unusablePhones = (form: PatientForm): string[] =>
  PHONES.map((field) => CHART_NAMES[field]).filter(
    (name) => form[name]?.number === null && !(name === 'mobilephone' && form[name]?.declined),
  );
