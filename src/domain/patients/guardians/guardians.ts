import { recordChange } from '../../audit/journal-entries.ts';
import { maySeeRestricted } from '../../caller.ts';
import { Failure, invalid, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { updatePatient } from '../chart/change-patient.ts';
import { findPatient } from '../chart/find-patient.ts';
import type { PatientChart } from '../registration/registration.ts';
import { comingOfAge } from './coming-of-age.ts';
import { COMING_OF_AGE, FIND_GUARDIAN, type Guardian, REMOVE_GUARDIAN, SET_ENDS, SET_GUARDIAN, TOUCH_PATIENT } from './guardians.sql.ts';

export type { Guardian };

/** A guardian as a request names them: undefined keeps what is there, null takes it away. */
export type GuardianInput = { [K in keyof Guardian]?: Guardian[K] | undefined };

export const NO_GUARDIAN: Guardian = { guardianPatientId: null, guardianContactId: null, guardianRelationship: null };

/** The guardian of a patient, without anything where there is none. */
export async function findGuardian(tx: Tx, patientId: number): Promise<Guardian & { linked: boolean }> {
  const [found] = await tx.rows(FIND_GUARDIAN, [patientId, maySeeRestricted(tx)]);
  return found ?? { ...NO_GUARDIAN, linked: false };
}

/**
 * Names the guardian of a patient, or takes them away; does nothing where the input says what holds. The names of the guardian come into the
 * chart, unless they are of a restricted one.
 * @throws Failure not_found for a person whom the caller may not see; invalid for the patient's own chart, for two people, and for a
 *   relationship to nobody; unprocessable for somebody deceased
 * @returns the chart where names came into it
 */
export async function setGuardian(tx: Tx, patientId: number, input: GuardianInput | undefined): Promise<PatientChart | undefined> {
  if (input === undefined) return undefined;
  const before = await findGuardian(tx, patientId);
  const { guardianPatientId = null, guardianContactId = null } = input;
  const relationship = input.guardianRelationship === undefined ? before.guardianRelationship : input.guardianRelationship;
  if (guardianPatientId !== null && guardianContactId !== null)
    throw invalid('guardian.guardianContactId', 'cannot be combined with patient_uuid: name one guardian', 'contradiction');
  if (guardianPatientId === null && guardianContactId === null) return keepOrRemove(tx, patientId, { input, before, relationship });
  const person = await findPerson(tx, { patientId: guardianPatientId, contactId: guardianContactId });
  if (person.guardianPatientId === patientId)
    throw invalid('guardian.guardianPatientId', 'is the patient: a guardian must be somebody else', 'own_chart');
  const { guardianPatientId: asPatient, guardianContactId: asContact, names } = person;
  const isSame = before.guardianPatientId === asPatient && before.guardianContactId === asContact && before.linked;
  if (isSame && before.guardianRelationship === relationship) return undefined;
  await tx.rows(SET_GUARDIAN, [patientId, asPatient, asContact, relationship]);
  await renewEnds(tx, patientId);
  await recordGuardian(tx, patientId);
  return names ? updatePatient(tx, patientId, names) : undefined;
}

interface Keeping {
  input: GuardianInput;
  before: Guardian & { linked: boolean };
  relationship: string | null;
}

/** Follows a request that names no person: the guardian stays or goes. One whom the caller may not see stays. */
async function keepOrRemove(tx: Tx, patientId: number, { input, before, relationship }: Keeping): Promise<undefined> {
  const { guardianPatientId: asPatient, guardianContactId: asContact } = before;
  const isTaken = (asPatient !== null && input.guardianPatientId === null) || (asContact !== null && input.guardianContactId === null);
  if (isTaken) {
    await removeGuardian(tx, patientId);
    return;
  }
  if (relationship === before.guardianRelationship) return;
  if (!before.linked) throw invalid('guardian.guardianRelationship', 'requires patient_uuid or contact_uuid of the guardian', 'missing');
  await tx.prisma.guardianship.updateMany({ where: { ...tx.practice, patientId }, data: { relationship } });
  await recordGuardian(tx, patientId);
}

/** Takes the guardian of a patient away. @returns whether there was one */
export async function removeGuardian(tx: Tx, patientId: number): Promise<boolean> {
  const removed = await tx.rows(REMOVE_GUARDIAN, [patientId]);
  if (removed.length > 0) await recordGuardian(tx, patientId);
  return removed.length > 0;
}

async function recordGuardian(tx: Tx, patientId: number): Promise<void> {
  await tx.rows(TOUCH_PATIENT, [patientId]);
  recordChange(tx, 'update', { name: 'patient.updated', id: patientId, changed: ['guardian'] });
}

async function findPerson(tx: Tx, { patientId, contactId }: { patientId: number | null; contactId: number | null }) {
  const field = patientId === null ? 'guardian.guardianContactId' : 'guardian.guardianPatientId';
  const named = patientId ?? contactId ?? 0;
  const contact = await tx.prisma.contact.findUnique({ where: tx.key(named) });
  if (patientId === null && contact?.patientId === null) {
    const names = { guardianFirstName: contact.firstName ?? undefined, guardianLastName: contact.lastName ?? undefined };
    return { guardianPatientId: null, guardianContactId: contact.id, names };
  }
  const patient = await findPatient(tx, named, field).catch((error: unknown) => {
    throw patientId === null ? notFound('contact', field) : error;
  });
  if (patient.deceasedDate !== null)
    throw new Failure('unprocessable', 'deceased', 'The guardian is deceased.', {
      issues: [{ field, code: 'deceased', message: 'is a deceased patient' }],
    });
  const { firstName, middleName, lastName, suffix } = patient;
  const names = { guardianFirstName: firstName, guardianMiddleName: middleName, guardianLastName: lastName, guardianSuffix: suffix };
  return { guardianPatientId: patient.id, guardianContactId: null, names: patient.restricted ? null : names };
}

/** Reckons again when guardianships end: of one patient whose birth date changed, or of all after a change of the practice's settings. */
export async function renewEnds(tx: Tx, patientId: number | null): Promise<void> {
  const found = await tx.rows(COMING_OF_AGE, [patientId]);
  if (found.length === 0) return;
  const ends = found.map(({ birthDate, minorUntil, timeZone }) => birthDate && comingOfAge(birthDate, minorUntil, timeZone).toISOString());
  await tx.rows(SET_ENDS, [found.map(({ id }) => id), ends]);
}
