import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Caller } from '../../../domain/caller.ts';
import { emptyJournal } from '../../../domain/journal.ts';
import { updatePatient } from '../../../domain/patients/chart/change-patient.ts';
import { readPatientRecord } from '../../../domain/patients/record/record.ts';
import { setGuarantorSsn, setSsn } from '../../../domain/patients/record/ssn.ts';
import { type Registered, registerOrMatch } from '../../../domain/patients/registration/register-or-match.ts';
import { setPrivacyForms } from '../../../domain/patients/restrictions/patient-restrictions.ts';
import { NO_SECTIONS } from './patient.wire.ts';
import type { PatientForm } from './patient-form.wire.ts';
import { requireChanges, toPatientUpdate, toRegistration } from './patient-input.wire.ts';
import { fromPatientRecord } from './patient-record.wire.ts';
import { NOTHING_SHOWN, requireAsShown, type ShownRecord, sentFollowing, withoutMasks, withoutShown } from './unchanged-fields.ts';

/** Registers a patient from a form. @throws Failure as registerOrMatch; invalid for a field that follows from others and is shown otherwise */
export async function registerFromForm(db: Db, caller: Caller, keyring: Keyring, form: PatientForm): Promise<Registered> {
  const registered = await registerOrMatch(db, caller, toRegistration(form));
  if (registered.outcome === 'matched') return registered;
  const { patientId } = registered;
  await storeBesides(db, caller, keyring, patientId, withoutMasks(form));
  if (sentFollowing(form).length > 0) requireAsShown(form, [await readShown(db, caller, keyring, patientId)]);
  return registered;
}

/** Changes a chart from a form. @throws Failure as updatePatient; invalid for a field that follows from others and is shown otherwise */
export async function changeFromForm(db: Db, caller: Caller, keyring: Keyring, patientId: number, sent: PatientForm): Promise<void> {
  requireChanges(sent);
  const before = mayBeShown(sent) ? await readShown(db, caller, keyring, patientId) : NOTHING_SHOWN;
  const form = withoutShown(sent, before);
  await storeBesides(db, caller, keyring, patientId, form);
  await updatePatient(db, caller, patientId, toPatientUpdate(form));
  if (sentFollowing(sent).length === 0) return;
  const after = form.status === 'deleted' ? [] : [await readShown(db, caller, keyring, patientId)];
  requireAsShown(sent, [before, ...after]);
}

/** Whether a form has fields that are taken as they are shown. */
const mayBeShown = (form: PatientForm): boolean =>
  sentFollowing(form).length > 0 ||
  [form.ssn, form.guarantorssn, form.employerphone, form.portalaccessgiven].some((value) => value !== undefined) ||
  [form.privacyinformationverified, form.medicationhistoryconsentverified].some((value) => value !== undefined);

/** The record as a client reads it. Read to compare, and shown to nobody. */
async function readShown(db: Db, caller: Caller, keyring: Keyring, id: number): Promise<ShownRecord> {
  const { record } = await readPatientRecord(preparedIn(db), { ...caller, journal: emptyJournal() }, keyring, id, NO_SECTIONS);
  return fromPatientRecord(record);
}

/** Stores what has a place of its own: numbers that are encrypted, and privacy forms. */
async function storeBesides(db: Db, caller: Caller, keyring: Keyring, patientId: number, form: PatientForm): Promise<void> {
  if (form.ssn !== undefined) await setSsn(db, keyring, caller, patientId, form.ssn);
  if (form.guarantorssn !== undefined) await setGuarantorSsn(db, keyring, caller, patientId, form.guarantorssn);
  if (typeof form.privacyinformationverified === 'boolean')
    await setPrivacyForms(db, caller, patientId, { verified: form.privacyinformationverified });
}
