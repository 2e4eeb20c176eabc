import { conflict, Failure, notFound, WrongFields } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { findAppointmentType } from '../../scheduling/types/appointment-types.ts';
import type { Tx } from '../../tx.ts';
import type { LinkOptions } from '../check-ins/check-ins.ts';
import { findTextFacts } from '../queue/queued-texts.ts';
import { requireConsent } from '../recipients/consent.ts';
import { longMoment } from '../templates/appointment-times.ts';
import type { WrittenFor } from '../templates/placeholder-values.ts';
import { createBookingLink, type MadeLink, type NewBookingLink, sendBookingLink } from './booking-link-messages.ts';

/** Days for which a link works unless it says otherwise, and at most. */
export const BOOKING_LINK_DAYS = { usual: 14, most: 365 } as const;

export interface BookingInvitation extends Omit<NewBookingLink, 'appointmentId'> {
  /** null: nobody is written to, and the caller passes the link on. */
  channel: 'text' | 'email' | null;
}

/**
 * Makes a link at which a patient books a visit, and sends it.
 * @throws Failure not_found for unknown references; conflict for a patient who has died or must not be written to, and without a number to send
 *   from; unprocessable where the patient has no number, or no address
 */
export async function inviteToBook(tx: Tx, { channel, ...input }: BookingInvitation, links: LinkOptions): Promise<MadeLink> {
  const { patientId, typeIds, providerIds, officeIds } = input;
  const patient = await findPatient(tx, patientId);
  const wrong = new WrongFields();
  for (const [index, id] of typeIds.entries()) await wrong.check(() => findAppointmentType(tx, id, `typeIds.${index}`));
  const [providers, offices] = await Promise.all([
    tx.prisma.provider.findMany({ where: { ...tx.practice, id: { in: providerIds } }, select: { id: true } }),
    tx.prisma.office.findMany({ where: { ...tx.practice, id: { in: officeIds } }, select: { id: true } }),
  ]);
  addUnknown(wrong, 'providerIds', 'provider', providerIds, providers);
  addUnknown(wrong, 'officeIds', 'office', officeIds, offices);
  wrong.throwIfAny();
  if (patient.deceasedDate) throw conflict('patient_deceased', 'The patient has died: no visit can be booked.');
  const made = await createBookingLink(tx, { ...input, appointmentId: null }, links);
  if (channel !== null) await sendInvitation(tx, made, channel, links);
  return { ...made, link: { ...made.link, channel } };
}

/** Adds those of a list that are not there. */
function addUnknown(wrong: WrongFields, field: string, resource: string, ids: readonly number[], known: readonly { id: number }[]): void {
  for (const [index, id] of ids.entries()) if (known.every((one) => one.id !== id)) wrong.add(notFound(resource, `${field}.${index}`));
}

/** @throws Failure conflict and unprocessable, as inviteToBook */
async function sendInvitation(tx: Tx, made: MadeLink, channel: 'text' | 'email', links: LinkOptions): Promise<void> {
  const { patientId, expiresAt } = made.link;
  const [facts, person] = [await findTextFacts(tx, { patientId }), await findPatientReach(tx, patientId)];
  if (!person) throw notFound('patient');
  const to = channel === 'text' ? person.mobilePhone : person.email;
  if (to === null && channel === 'text') throw new Failure('unprocessable', 'no_mobile_number', 'The patient has no mobile number.');
  if (to === null) throw new Failure('unprocessable', 'no_email', 'The patient has no email address.');
  await requireConsent(tx, { patientId, channel: channel === 'text' ? 'sms' : 'email', to });
  const values = ({ tag }: WrittenFor) => ({ expires: longMoment(expiresAt, person.zone, tag) });
  await sendBookingLink(tx, made, { category: 'booking-link', channel, facts, person, values, automatic: false }, links);
}
