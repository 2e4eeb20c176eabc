import type { Keyring } from '../../../database/encryption/keyring.ts';
import { NONE } from '../../../database/statements/no-id.ts';
import type { MessageState, Organization, Prisma, SurveyType } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { Failure, invalid, notFound, WrongFields } from '../../errors.ts';
import { createSecretLink } from '../../identity/secret-links.ts';
import { whereVisiblePatient } from '../../patients/chart/find-patient.ts';
import { findReach, type Reach } from '../../patients/guardians/reach.ts';
import type { Tx } from '../../tx.ts';
import type { PersonName } from '../../values/person-names.ts';
import { countCharacters } from '../../values/text-form.ts';
import { queueText } from '../queue/queued-texts.ts';
import { findSendAt } from '../queue/send-at.ts';
import { requireConsent } from '../recipients/consent.ts';
import { findRecipientLanguage, type RecipientLanguage } from '../recipients/recipient-language.ts';
import { queueMail } from '../sending/outgoing-mails.ts';
import { renderAutomaticMail, renderAutomaticText, type TextOccasion } from '../templates/automatic-texts.ts';
import { CATEGORIES } from '../templates/categories.ts';
import { patientNameValues, practiceValues } from '../templates/placeholder-values.ts';
import { renderTemplate } from '../templates/placeholders.ts';
import { sealPlaceholders } from '../templates/sealed-placeholders.ts';
import { MAX_TEXT_LENGTH } from '../templates/sms-segments.ts';
import { requireKnownPlaceholders } from '../templates/template-wordings.ts';
import { requireActiveSurveyTypes } from './survey-types.ts';
import { readVariants, surveyLanguages } from './survey-wordings.ts';

export type Channel = 'sms' | 'email';

export interface DeliveryMethod {
  channel: Channel;
  /** A number (E.164) or email address instead of the patient's own. */
  to?: string | undefined;
}

export interface CheckInInput {
  patientId: number;
  surveyTypeId: number;
  method: DeliveryMethod;
  /** The message body; the active template for check-ins unless given, else the server's own words. */
  message?: string | undefined;
  /** A time at which it leaves, as the caller writes it (see findSendAt). */
  sendAt?: string | undefined;
}

export interface LinkOptions {
  keyring: Keyring;
  /** Scheme and host of this server, without a slash at the end. */
  origin: string;
}

/** Placeholders that the message of a check-in may contain. */
export const CHECK_IN_PLACEHOLDERS = CATEGORIES['check-in'].values;

/** Days for which a link accepts answers. */
export const LINK_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

const PERSON = { select: { id: true, firstName: true, lastName: true } } as const;
export const DELIVERY_INCLUDE = {
  text: { select: { state: true, reason: true, notBefore: true } },
  mail: { select: { state: true, reason: true, notBefore: true } },
} as const satisfies Prisma.CheckInInclude;

const CHECK_IN_INCLUDE = {
  patient: PERSON,
  survey: { select: { id: true, name: true } },
  ...DELIVERY_INCLUDE,
} as const satisfies Prisma.CheckInInclude;

/** A check-in as the practice sees it, without the hash of its link. */
export type CheckInView = Prisma.CheckInGetPayload<{ include: typeof CHECK_IN_INCLUDE; omit: { linkHash: true } }>;

export interface Delivery {
  state: MessageState;
  reason: string | null;
  /** Time of sending: the one that was chosen, or the end of the quiet hours. */
  notBefore: Date | null;
}

/** Null where the message is no longer stored. */
export const findDelivery = ({ text, mail }: Pick<CheckInView, 'text' | 'mail'>): Delivery | null => text ?? mail;

/**
 * Sends a check-in: stores it with the text or mail that a worker sends.
 * @throws Failure not_found for a patient or survey type that the practice does not have, or a patient who is not
 *   listed; invalid for placeholders that a check-in does not support; unprocessable where a placeholder has no value,
 *   the patient has no number or address, or the survey type was ended; conflict where the practice has no number, or the patient must not be written to
 */
export async function sendCheckIn(tx: Tx, input: CheckInInput, linkOptions: LinkOptions): Promise<CheckInView> {
  const { patientId, surveyTypeId, method, message } = input;
  const wrong = new WrongFields();
  if (message !== undefined) await wrong.check(() => requireCheckInPlaceholders(message));
  const patient = await wrong.check(() => findRecipient(tx, patientId, 'recipientId'));
  const surveys = await wrong.check(() => requireActiveSurveyTypes(tx, [surveyTypeId], 'surveyTypeId'));
  const sendAt = await wrong.check(() => findSendAt(tx, input.sendAt));
  wrong.throwIfAny();
  if (patient === undefined || surveys === undefined) throw new RangeError('a wrong field was not reported');
  const to = requireAddress(patient, method);
  await requireConsent(tx, { patientId, channel: method.channel, to });
  const language = await findRecipientLanguage(tx, patientId);
  for (const survey of surveys) warnOfMissingLanguage(tx, survey, language);
  const occasion = checkInOccasion(await findPractice(tx), patient, language);
  const words = message === undefined ? await renderAutomaticText(tx, 'check-in', occasion) : { body: fillMessage(message, occasion) };
  const { subject } = renderAutomaticMail('check-in', occasion);
  const [id = NONE] = await createCheckIns(
    tx,
    { patientId, surveyTypeIds: [surveyTypeId], method, ...words, subject, sendAt },
    linkOptions,
  );
  const where = tx.key(id);
  return tx.prisma.checkIn.findUniqueOrThrow({ where, include: CHECK_IN_INCLUDE, omit: { linkHash: true } });
}

/** Warns that the patient reads the questions in another language than their own. */
function warnOfMissingLanguage(
  { journal }: Caller,
  { id, language, variants }: SurveyType,
  { patient, practice }: RecipientLanguage,
): void {
  const known = surveyLanguages({ language, variants: readVariants(variants) });
  const wanted = patient ?? practice;
  if (known.includes(wanted)) return;
  const detail = `Survey type ${id} is not available in the patient’s language (${wanted}), so another language is used. Available: ${known.join(', ')}.`;
  journal.cautions.push({ code: 'survey_language_missing', detail });
}

/** People write a message in the practice's language. @throws Failure unprocessable naming the placeholders without a value */
function fillMessage(message: string, { language, values }: TextOccasion): string {
  const { text, missing } = renderTemplate(message, { ...values({ tag: language.practice }), url: '{{url}}' });
  if (missing.length === 0) return text;
  const named = missing.map((name) => `{{${name}}}`).join(', ');
  throw new Failure('unprocessable', 'missing_values', `Nothing is known for ${named}.`);
}

/** @throws Failure invalid naming the unsupported placeholder and listing the supported ones */
export const requireCheckInPlaceholders = (message: string): void => requireKnownPlaceholders(message, 'message', CHECK_IN_PLACEHOLDERS);

/** @throws Failure not_found, also for a deleted, restricted or blocked chart, and for a contact that is not a patient */
export async function findRecipient(tx: Tx, id: number, field?: string): Promise<Reach> {
  const [patient] = await findRecipients(tx, [id]);
  if (!patient) throw notFound('patient', field);
  return patient;
}

/** Finds who is reached for the patients among these ids whom the caller may see, ordered by id: for jobs, for those of restricted charts too. */
export async function findRecipients(tx: Tx, ids: readonly number[]): Promise<Reach[]> {
  const visible = await tx.prisma.patient.findMany({ where: { ...whereVisiblePatient(tx), id: { in: [...ids] } }, select: { id: true } });
  return findReach(
    tx,
    visible.map(({ id }) => id),
  );
}

/** SMS for people with a mobile number who accept texts, else email. */
export const defaultChannel = ({ mobilePhone, doNotSms, textsStopped }: Reach): Channel =>
  mobilePhone !== null && !doNotSms && !textsStopped ? 'sms' : 'email';

/** The number or the email address of a message. @throws Failure unprocessable where the patient has none */
export function requireAddress({ mobilePhone, email }: Reach, { channel, to }: DeliveryMethod): string {
  const address = to ?? (channel === 'sms' ? mobilePhone : email);
  if (address !== null) return address;
  if (channel === 'sms') throw new Failure('unprocessable', 'no_mobile_number', 'The patient has no mobile number.');
  throw new Failure('unprocessable', 'no_email', 'The patient has no email address.');
}

export type CheckInPractice = Pick<Organization, 'name' | 'phone'>;

export const findPractice = (tx: Tx): Promise<CheckInPractice> =>
  tx.prisma.organization.findUniqueOrThrow({ where: { id: tx.organizationId }, select: { name: true, phone: true } });

/** Characters that a link may have, and those of several in one message; they are made when the check-ins are stored. */
const LONGEST_LINK = 200;
const MOST_ROOM = 1_000;

/**
 * The language and the values of the text or mail of check-ins. Their links are filled in when it is sent.
 * @param links surveys that the message asks to answer
 */
export const checkInOccasion = (practice: CheckInPractice, patient: PersonName, language: RecipientLanguage, links = 1): TextOccasion => ({
  language,
  values: () => ({ ...practiceValues(practice), ...patientNameValues(patient) }),
  secrets: { url: '-'.repeat(Math.min(links * LONGEST_LINK, MOST_ROOM)) },
});

interface NewCheckIns {
  patientId: number;
  /** Of each the message has a link. */
  surveyTypeIds: readonly number[];
  method: DeliveryMethod;
  /** The message body, with `{{url}}` in the place of the links; without it they are appended. */
  body: string;
  /** Of the body, and the template that it was written from; undefined for words of people. */
  language?: string | undefined;
  templateId?: number | undefined;
  subject: string;
  /** Schedule and day of the occurrence. */
  scheduled?: { id: number; on: Date };
  /** The time at which it leaves; now unless given. */
  sendAt?: Date | undefined;
}

/**
 * Stores check-ins and queues their message.
 * @returns their ids
 * @throws Failure invalid for a body that is too long with the links filled in; conflict where the practice has no
 *   number
 */
export async function createCheckIns(
  tx: Tx,
  { patientId, surveyTypeIds, method, body: words, language, templateId, subject, scheduled, sendAt }: NewCheckIns,
  { keyring, origin }: LinkOptions,
): Promise<number[]> {
  const { organizationId, userId } = tx;
  const links = surveyTypeIds.map((surveyTypeId) => ({ surveyTypeId, ...createSecretLink(organizationId) }));
  const url = links.map(({ token }) => `${origin}/c/${token}`).join(' ');
  const body = words.includes('{{url}}') ? words : `${words} {{url}}`.trim();
  if (countCharacters(body.replaceAll('{{url}}', () => url)) > MAX_TEXT_LENGTH)
    throw invalid('message', `must have at most ${MAX_TEXT_LENGTH} characters with names and link filled in`, 'too_long');
  const message = { patientId, to: method.to, body, sealed: sealPlaceholders(keyring, { url }), sendAt };
  const sentAt = sendAt ?? new Date();
  const sent =
    method.channel === 'sms'
      ? { smsMessageId: (await queueText(tx, { ...message, language, templateId })).id }
      : { mailMessageId: (await queueMail(tx, { ...message, subject })).id };
  const checkIns = await tx.prisma.checkIn.createManyAndReturn({
    data: links.map(({ surveyTypeId, hash }) => ({
      organizationId,
      patientId,
      surveyTypeId,
      channel: method.channel,
      message: body,
      linkHash: hash,
      sentByUserId: userId,
      ...sent,
      sentAt,
      expiresAt: new Date(sentAt.getTime() + LINK_DAYS * DAY_MS),
      ...(scheduled ? { scheduledCheckInId: scheduled.id, occurrenceOn: scheduled.on } : {}),
    })),
    select: { id: true },
  });
  for (const { id } of checkIns) recordChange(tx, 'create', { name: 'check_in.sent', id }, [patientId]);
  return checkIns.map(({ id }) => id);
}
