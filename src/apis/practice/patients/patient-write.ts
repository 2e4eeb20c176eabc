import type { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { invalid, WrongFields } from '../../../domain/errors.ts';
import { updatePatient } from '../../../domain/patients/chart/change-patient.ts';
import { readPatientRecord } from '../../../domain/patients/record/record.ts';
import { setGuarantorSsn, setSsn } from '../../../domain/patients/record/ssn.ts';
import { type Registered, registerOrMatch } from '../../../domain/patients/registration/registration.ts';
import { setPrivacyForms } from '../../../domain/patients/restrictions/patient-restrictions.ts';
import { type Tx, unrecorded } from '../../../domain/tx.ts';
import { writePhone } from '../../../domain/values/phone-numbers.ts';
import { isBlank } from '../../../domain/values/text-form.ts';
import { inTrueOrFalse } from '../parameters.ts';
import { fromPatientWithSections, NO_SECTIONS } from './patient.wire.ts';
import { FOLLOWING, type PatientForm } from './record/patient-form.wire.ts';
import { requireChanges, toPatientUpdate, toRegistration } from './record/patient-input.wire.ts';
import type { PatientShape } from './record/patient-record.wire.ts';

/** Registers a patient from a form. @throws Failure as registerOrMatch; invalid for a field that follows from others and is shown otherwise */
export async function registerFromForm(tx: Tx, keyring: Keyring, form: PatientForm): Promise<Registered> {
  const registered = await registerOrMatch(tx, toRegistration(form));
  if (registered.outcome === 'matched') return registered;
  const { patientId } = registered;
  await storeBesides(tx, keyring, patientId, withoutMasks(form));
  if (listSentFollowing(form).length > 0) requireAsShown(form, [await readShown(tx, keyring, patientId)]);
  return registered;
}

/** Changes a chart from a form. @throws Failure as updatePatient; invalid for a field that follows from others and is shown otherwise */
export async function changeFromForm(tx: Tx, keyring: Keyring, patientId: number, sent: PatientForm): Promise<void> {
  requireChanges(sent);
  const before = mayBeShown(sent) ? await readShown(tx, keyring, patientId) : NOTHING_SHOWN;
  const form = withoutShown(sent, before);
  await storeBesides(tx, keyring, patientId, form);
  await updatePatient(tx, patientId, toPatientUpdate(form));
  if (listSentFollowing(sent).length === 0) return;
  const after = form.status === 'deleted' ? [] : [await readShown(tx, keyring, patientId)];
  requireAsShown(sent, [before, ...after]);
}

/** Whether a form has fields that are taken as they are shown. */
const mayBeShown = (form: PatientForm): boolean =>
  listSentFollowing(form).length > 0 ||
  [form.ssn, form.guarantorssn, form.employerphone, form.portalaccessgiven].some((value) => value !== undefined) ||
  [form.privacyinformationverified, form.medicationhistoryconsentverified].some((value) => value !== undefined);

/** The record as a client reads it. Read to compare, and shown to nobody. */
async function readShown(tx: Tx, keyring: Keyring, id: number): Promise<ShownRecord> {
  return fromPatientWithSections(await readPatientRecord(unrecorded(tx), keyring, id, { ...NO_SECTIONS, localIds: true }), 'plain');
}

/** Stores what has a place of its own: numbers that are encrypted, and privacy forms. */
async function storeBesides(tx: Tx, keyring: Keyring, patientId: number, form: PatientForm): Promise<void> {
  if (form.ssn !== undefined) await setSsn(tx, keyring, patientId, form.ssn);
  if (form.guarantorssn !== undefined) await setGuarantorSsn(tx, keyring, patientId, form.guarantorssn);
  if (typeof form.privacyinformationverified === 'boolean')
    await setPrivacyForms(tx, patientId, { verified: form.privacyinformationverified });
}

type ShownRecord = Partial<z.input<typeof PatientShape>>;

/** Of a chart that is not there yet, and where nothing is compared. */
const NOTHING_SHOWN: ShownRecord = {};

const isSent = (value: unknown): boolean => value !== undefined && !(typeof value === 'string' && isBlank(value));

/** The fields of a form that follow from others. */
const listSentFollowing = (form: PatientForm): [string, unknown][] =>
  Object.entries(form).filter(([name, value]) => name in FOLLOWING && isSent(value));

/** Whether a value is what the record shows: texts are compared, and flags in each of their spellings. */
const isShown = (sent: unknown, shown: unknown): boolean =>
  shown !== undefined && shown !== null && String(inTrueOrFalse(sent)).trim().toLowerCase() === String(shown).toLowerCase();

/** @param shown the record before and after the change @throws Failure invalid, naming all fields that follow from others and are neither */
function requireAsShown(form: PatientForm, shown: readonly ShownRecord[]): void {
  const wrong = new WrongFields();
  for (const [name, value] of listSentFollowing(form)) {
    const places: Readonly<Record<string, unknown>>[] = [...shown];
    if (!places.some((record) => isShown(value, record[name])))
      wrong.add(invalid(name, 'is derived: send it only with the value that the record shows', 'follows_from_others'));
  }
  wrong.throwIfAny();
}

/**
 * The form without values that only say what the record shows: of a patient who has no such value, such as the telephone number of the
 * employer.
 * @throws Failure invalid for the mask of another social security number
 */
function withoutShown(form: PatientForm, shown: ShownRecord): PatientForm {
  const { employerphone } = form;
  const phone = employerphone?.number ? writePhone(employerphone.number) : undefined;
  const keepChanged = <T>(value: T, before: unknown): T | undefined => (isShown(value, before) ? undefined : value);
  return {
    ...form,
    ssn: unmask('ssn', form.ssn, shown.ssn),
    guarantorssn: unmask('guarantorssn', form.guarantorssn, shown.guarantorssn),
    employerphone: isShown(phone, shown.employerphone) ? undefined : employerphone,
    portalaccessgiven: keepChanged(form.portalaccessgiven, shown.portalaccessgiven),
    privacyinformationverified: keepChanged(form.privacyinformationverified, shown.privacyinformationverified),
    medicationhistoryconsentverified: keepChanged(form.medicationhistoryconsentverified, shown.medicationhistoryconsentverified),
  };
}

/** The form of a new patient without empty numbers, and without masks of numbers, which sample programs of the field send. */
const withoutMasks = (form: PatientForm): PatientForm => ({
  ...form,
  ssn: form.ssn?.startsWith('*') ? undefined : (form.ssn ?? undefined),
  guarantorssn: form.guarantorssn?.startsWith('*') ? undefined : (form.guarantorssn ?? undefined),
});

function unmask(name: string, sent: string | null | undefined, mask: string | undefined): string | null | undefined {
  if (!sent?.startsWith('*')) return sent;
  if (sent === mask) return undefined;
  throw invalid(name, 'is the mask of another number', 'invalid_ssn');
}
