import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { PublicBooking } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { conflict, Failure, invalid } from '../../errors.ts';
import { createSecretLink, type SecretLink, type SecretLinkKey } from '../../identity/secret-links.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { SAME_SCORE } from '../../patients/registration/possible-matches.sql.ts';
import { findBestMatches, lockName } from '../../patients/registration/possible-matches.ts';
import { registerPatient } from '../../patients/registration/registration.ts';
import { findLinkPractice, type LinkPractice } from '../../practices/link-practice.ts';
import { type Choice, findOpenTime, openPublicPage } from '../../scheduling/patient-booking/booking-choices.ts';
import { holdChoice } from '../../scheduling/patient-booking/booking-page.ts';
import { inPractice, type Tx } from '../../tx.ts';
import { type InEachLanguage, isLanguage, type Language } from '../../values/languages.ts';
import { dayAt } from '../../values/time/time.ts';
import type { LinkOptions } from '../check-ins/check-ins.ts';
import { type CodeStatus, describeCode } from '../external-messages/external-message-codes.ts';
import { queueCode } from '../external-messages/external-message-notices.ts';
import { type Address, canReceive, hasNumber } from '../external-messages/external-message-recipients.ts';
import { checkCode, createCode, isLocked, nextCodeAllowedAt } from '../external-messages/one-time-codes.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { BOOKING_LINK_DAYS } from './booking-invitations.ts';
import { createBookingLink, type MadeLink } from './booking-link-messages.ts';
import { sendToPatient } from './links-after-decline.ts';

const DAY_MS = 86_400_000;
const CHART_LANGUAGES: InEachLanguage = { en: 'eng', es: 'spa' };

/** A time that somebody chose at the public page, and who they say they are. */
export interface PublicRequest extends Choice, Pick<PublicBooking, 'firstName' | 'lastName' | 'birthDate'> {
  /** Their number or address. */
  address: Address;
  language: Language;
}

/**
 * Sends a code to the number or the address of somebody who books at the public page. Nothing is held for them before they enter it.
 * @returns the secret of the page that asks for it; null where the practice has no public page
 * @throws Failure invalid for a birth date in the future, and for a number where the practice cannot send texts; conflict for a time that is
 *   taken; not_found for a type that patients do not book
 */
export async function requestPublicBooking(
  tx: Tx,
  { typeId, time, address, ...person }: PublicRequest,
  { keyring, now }: { keyring: Keyring; now: Date },
): Promise<string | null> {
  const { organizationId } = tx;
  const page = await openPublicPage(tx);
  if (!page) return null;
  if (person.birthDate > dayAt(now, page.practice.timeZone)) throw invalid('birthDate', 'must not be in the future', 'in_the_future');
  if (address.channel === 'sms' && !(await hasNumber(tx))) throw invalid('contact', 'must be an email address', 'no_texts');
  const { times } = await findOpenTime(tx, page.link, { typeId, time });
  if (times.length === 0) throw conflict('slot_taken', 'The time is taken.');
  const { token, hash: linkHash } = createSecretLink(organizationId);
  const key = { organizationId, linkHash };
  const { start, providerId, officeId } = time;
  const choice = { typeId, providerId, officeId, startsAt: new Date(start) };
  const { code, kept } = createCode(keyring, toSubject(key), { codesSentAt: [] }, now);
  await tx.prisma.publicBooking.create({ data: { ...key, ...person, ...choice, ...kept, codeSentTo: address.to } });
  await sendCode(tx, { ...person, codeSentTo: address.to }, { keyring, practice: page.practice, code });
  return token;
}

/**
 * Queues a code for who asked for it. One that must not be sent, to a number that sent STOP, leaves the page as it is for everybody: it tells nobody
 * which numbers the practice has texted.
 */
async function sendCode(
  tx: Tx,
  { codeSentTo, language }: Pick<PublicBooking, 'codeSentTo' | 'language'>,
  { practice, ...code }: { keyring: Keyring; practice: LinkPractice; code: string },
): Promise<void> {
  const address = toAddress(codeSentTo);
  if (!(await canReceive(tx, null, address))) return;
  await queueCode(tx, { ...code, practice, address, patientId: null, language: recipientLanguage(language, practice.language) });
}

const toAddress = (to: string): Address => ({ channel: to.includes('@') ? 'email' : 'sms', to });
const toSubject = ({ organizationId, linkHash }: Pick<PublicBooking, 'organizationId' | 'linkHash'>): string =>
  `public_booking/${organizationId}/${Buffer.from(linkHash).toString('hex')}`;

interface Found {
  booking: PublicBooking;
  practice: LinkPractice;
}

/** Null for an unknown secret, and where the practice has no public page any more. */
async function find(db: Db, { organizationId, hash: linkHash }: SecretLinkKey): Promise<Found | null> {
  const [booking, practice] = await Promise.all([
    db.publicBooking.findUnique({ where: { organizationId_linkHash: { organizationId, linkHash } } }),
    findLinkPractice(inPractice(db, organizationId)),
  ]);
  return booking && practice?.publicBooking ? { booking, practice } : null;
}

/** The same, locked until the transaction ends. */
async function lock(db: Db, link: SecretLinkKey): Promise<Found | null> {
  await db.$queryRaw`
    SELECT FROM public_booking WHERE organization_id = ${link.organizationId} AND link_hash = ${link.hash} FOR NO KEY UPDATE`;
  return find(db, link);
}

/** A booking that waits for its code, or one whose code was right, with the time that is held at its link. */
export type PublicBookingState =
  | { isProven: false; codeStatus: CodeStatus; language: string; to: string }
  | ({ isProven: true } & Pick<PublicBooking, 'holdId' | 'typeId'>);

/** Null as find. */
export async function readPublicBooking(db: Db, link: SecretLinkKey, now: Date): Promise<PublicBookingState | null> {
  const found = await find(db, link);
  if (!found) return null;
  const { booking, practice } = found;
  if (booking.isProven) return { ...booking, isProven: true };
  const { codeSentTo: sentTo, language } = booking;
  const next = isLocked(booking) ? undefined : toAddress(sentTo);
  return { isProven: false, language, to: sentTo, codeStatus: describeCode(booking, { practice, sentTo, next }, now) };
}

interface Options extends LinkOptions {
  now: Date;
}

/** Sends another code, which replaces the one before. Where too many were sent, the page says so. */
export async function resendPublicCode(tx: Tx, link: SecretLinkKey, { keyring, now }: Omit<Options, 'origin'>): Promise<void> {
  const found = await lock(tx.prisma, link);
  if (!found || found.booking.isProven || isLocked(found.booking) || nextCodeAllowedAt(found.booking, now) !== null) return;
  const { booking, practice } = found;
  const { code, kept } = createCode(keyring, toSubject(booking), booking, now);
  await change(tx.prisma, booking, kept);
  await sendCode(tx, booking, { keyring, practice, code });
}

async function change(db: Db, { organizationId, linkHash }: PublicBooking, data: Partial<PublicBooking>): Promise<void> {
  await db.publicBooking.update({ where: { organizationId_linkHash: { organizationId, linkHash } }, data, select: { typeId: true } });
}

/**
 * Checks an entered code. The right one makes the secret of the page that of a booking link, at which the time is held unless it was
 * taken meanwhile. Concurrent guesses wait for each other, and all count.
 */
export async function enterPublicCode(tx: Tx, secret: SecretLink, typed: string, options: Options): Promise<void> {
  const { keyring, now } = options;
  const found = await lock(tx.prisma, { ...secret, ...tx.practice });
  if (!found || found.booking.isProven) return;
  const { booking } = found;
  const trial = checkCode(keyring, toSubject(booking), booking, typed, now);
  if (trial.outcome === 'none') return;
  if (trial.outcome === 'wrong') return change(tx.prisma, booking, trial.kept);
  const patientId = await findOrRegister(tx, booking);
  const expiresAt = new Date(Math.max(now.getTime() + BOOKING_LINK_DAYS.usual * DAY_MS, booking.startsAt.getTime()));
  const scope = { typeIds: [], providerIds: [], officeIds: [], appointmentId: null };
  const made = await createBookingLink(tx, { ...scope, patientId, expiresAt }, options, secret);
  await change(tx.prisma, booking, { ...trial.kept, isProven: true, holdId: await holdIfFree(tx, made, booking) });
  // So that the visit can be moved and cancelled later.
  await sendToPatient(tx, made, options, booking.codeSentTo.includes('@') ? 'email' : 'text');
}

/** The one living patient of that name, birth date and number or address; else a new chart, so that nobody learns whether there is one. */
async function findOrRegister(tx: Tx, { codeSentTo, ...booking }: PublicBooking): Promise<number> {
  const { firstName, lastName, birthDate, officeId: primaryOfficeId, language } = booking;
  const { channel, to } = toAddress(codeSentTo);
  const person = { firstName, lastName, birthDate, ...(channel === 'sms' ? { mobilePhone: to } : { email: to }) };
  await lockName(tx, person);
  const query = { person, phones: [], ssnHashes: [], leastScore: SAME_SCORE, several: false };
  const [match] = await findBestMatches(tx, query);
  if (match) recordRead(tx, 'patient', [match.id], 'search');
  const reach = match && (await findPatientReach(tx, match.id));
  if (match && reach && !reach.gone && !reach.deceased) return match.id;
  const languageCode = isLanguage(language) ? CHART_LANGUAGES[language] : null;
  return (await registerPatient(tx, { ...person, primaryOfficeId, languageCode })).patient.id;
}

async function holdIfFree(tx: Tx, { link }: MadeLink, { typeId, startsAt, ...place }: PublicBooking): Promise<number | null> {
  try {
    return (await holdChoice(tx, link, { typeId, time: { ...place, start: startsAt.getTime() } })).id;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
