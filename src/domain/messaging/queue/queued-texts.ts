import { NONE } from '../../../database/statements/no-id.ts';
import type { ConfirmationAnswer, SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { NewJob } from '../../journal.ts';
import { lockAppointment } from '../../scheduling/appointment/appointment-lock.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { countCharacters } from '../../values/text-form.ts';
import type { PlaceholderSealer } from '../templates/sealed-placeholders.ts';
import { MAX_TEXT_LENGTH } from '../templates/sms-segments.ts';
import { decideDeparture } from './departure.ts';
import { listNamed, type NamedAppointment, storeNamedAppointments } from './named-appointments.ts';
import { INSERT_TEXT, TEXT_FACTS, TEXT_ID, type TextFacts, textValues } from './queued-texts.sql.ts';
import { storeInitialText } from './texts-of-appointment.ts';

export interface NewText {
  /** The recipient; their mobile number is used unless `to` is given. */
  patientId?: number | undefined;
  /** E.164. */
  to?: string | undefined;
  body: string;
  /** Primary subtag of BCP 47 of the body, where the server wrote it. */
  language?: string | undefined;
  /** The appointment that it is about. Where it moves before the text has left, the text is withdrawn. */
  appointmentId?: number | undefined;
  /** It asks for a yes or no about its appointment. */
  asks?: boolean | undefined;
  /** False where it does not say when the appointment begins, so that it holds for another time too. */
  namesStart?: boolean | undefined;
  /** The appointments that it names, where they are not its appointment as it is now. */
  named?: readonly NamedAppointment[];
  /** It lists appointments: the answer that a chosen one gets. */
  choiceAnswer?: ConfirmationAnswer | undefined;
  templateId?: number | undefined;
  reviewUserId?: number | undefined;
  /** Nobody asked for it, so nobody hears that it is withdrawn. */
  automatic?: boolean;
  /** Sender number of a reply to an inbound text. Quiet hours do not apply to replies, and consent only where they are urgent. */
  replyFromNumber?: string | undefined;
  /** The practice's number that it leaves from, while the practice texts from it. */
  fromNumber?: string | undefined;
  /** The time at which it leaves; now unless given. */
  sendAt?: Date | undefined;
  /** Requested on a page a moment ago: treated as a reply. */
  requested?: boolean;
  /** About something happening now, such as a visit that begins: quiet hours do not apply, consent does. */
  urgent?: boolean;
  /** Seals the values of `{{url}}` and `{{code}}` in the body (see sealed-placeholders.ts). */
  sealed?: PlaceholderSealer;
}

interface Recipient {
  /** Null: the patient of the appointment. */
  patientId: number | null;
  /** A number instead of the patient's own. */
  to?: string | undefined;
  appointmentId?: number | undefined;
  fromNumber?: string | undefined;
}

/** The facts about a recipient of a text. To see the appointment as it is, lock it first. */
export async function findTextFacts(tx: Tx, { patientId, to, appointmentId = NONE, fromNumber }: Recipient): Promise<TextFacts> {
  const [[facts], [drawn]] = await Promise.all([
    tx.rows(TEXT_FACTS, [patientId, to ?? null, appointmentId, fromNumber ?? null]),
    tx.prepared.rows(TEXT_ID, []),
  ]);
  if (!facts || !drawn) throw notFound('organization');
  return { ...facts, ...drawn };
}

/**
 * Queues a text in the given transaction; a worker sends it. A text without a recipient number is stored as suppressed.
 * @throws Failure conflict where the practice has no number to send from; invalid for an empty text or one that is too
 *   long
 */
export async function queueText(tx: Tx, text: NewText): Promise<SmsMessage> {
  requireBody(text);
  const { appointmentId, patientId = NONE, to, fromNumber } = text;
  const [, facts] = await Promise.all([
    appointmentId === undefined ? null : lockAppointment(tx, appointmentId),
    findTextFacts(tx, { patientId, to, appointmentId, fromNumber }),
  ]);
  return insertText(tx, facts, text);
}

/** Queues a text whose facts are known: its statements leave with the commit. @throws Failure as queueText */
export function insertText(tx: Tx, facts: TextFacts, text: NewText): SmsMessage {
  requireBody(text);
  const [{ id, now }, { organizationId, userId }] = [facts, tx];
  const { patientId = null, appointmentId = null, urgent = false } = text;
  const to = text.to ?? (patientId === null ? null : facts.mobilePhone);
  const isReply = text.replyFromNumber !== undefined || text.requested === true;
  const fromNumber = text.replyFromNumber ?? requireSender(tx, facts);
  const message: SmsMessage & { fromNumber: string } = {
    ...NO_FIELDS,
    organizationId,
    id,
    direction: 'outbound',
    patientId,
    appointmentId,
    sentByUserId: text.automatic ? null : userId,
    templateId: text.templateId ?? null,
    reviewUserId: text.reviewUserId ?? null,
    body: text.body,
    language: text.language ?? null,
    sealed: text.sealed && to !== null ? text.sealed('text', { organizationId, id }) : null,
    choiceAnswer: text.choiceAnswer ?? null,
    fromNumber,
    toNumber: to ?? '',
    isReply,
    urgent,
    // The reply to a keyword says nothing of the patient: whoever wrote gets it.
    ownNumber: patientId !== null && to !== null && to === facts.mobilePhone && (text.replyFromNumber === undefined || urgent),
    toGuardian: patientId !== null && facts.nameToGuardian !== null,
    ...toTimes(text, now),
    ...(to === null ? { state: 'suppressed', reason: 'no_mobile_number' } : { state: 'queued' }),
  };
  // The sender sees at once when it leaves; the job asks again.
  const departure = decideDeparture(message, facts, { now: nowIn(organizationId) });
  if (to !== null && departure.kind === 'wait') message.notBefore = departure.until;
  tx.later(INSERT_TEXT, textValues(message));
  recordChange(tx, 'create', { name: to === null ? 'text.suppressed' : 'text.queued', id }, toPatientIds(message));
  storeNamedAppointments(tx, message.id, text.named ?? listNamed(facts, text));
  storeInitialText(tx, facts, message);
  const read = [patientId, facts.guardianId].filter((one) => one !== null);
  if (patientId !== null) tx.journal.audits.push({ action: 'read', resource: 'patient', ids: read });
  if (to !== null) tx.journal.jobs.push(toJob(message));
  return message;
}

/** A text that leaves at a chosen time is queued for that time. */
const toTimes = ({ sendAt }: NewText, now: Date) => ({ queuedAt: sendAt ?? now, scheduledAt: sendAt ? now : null, updatedAt: now });

const toJob = ({ id, queuedAt, scheduledAt, notBefore }: SmsMessage): NewJob => ({
  queue: 'send-text',
  id,
  ...(scheduledAt && { startAfter: notBefore ?? queuedAt }),
});

/** A number of which nothing is known yet is sent from, with a warning. @throws Failure conflict without one from which carriers take texts */
function requireSender({ journal }: Caller, { sender, senderRegistration }: TextFacts): string {
  if (sender === null) throw conflict('no_number', 'The practice has no number to send texts from. Purchase one first.');
  if (senderRegistration === 'unregistered' || senderRegistration === 'pending')
    throw conflict('number_not_registered', NOT_REGISTERED[senderRegistration]);
  if (senderRegistration === 'unknown') journal.warnings.push('from_number.registration');
  return sender;
}

const NOT_REGISTERED = {
  unregistered: 'The practice’s number is not in a campaign registered with US carriers, so they would drop the text.',
  pending: 'The registration of the practice’s number with US carriers is incomplete, so they would drop the text.',
};

/** The fields that a new text does not have yet. */
export const NO_FIELDS = {
  templateId: null,
  reviewUserId: null,
  language: null,
  sealed: null,
  reason: null,
  carrierId: null,
  notBefore: null,
  attempts: 0,
  attemptedAt: null,
  sentAt: null,
  deliveredAt: null,
  isReply: false,
  urgent: false,
  choiceAnswer: null,
  ownNumber: false,
  toGuardian: false,
  sentByUserId: null,
  scheduledAt: null,
};

/** @throws Failure invalid */
export function requireBody({ body }: Pick<NewText, 'body'>): void {
  if (body.trim() === '') throw invalid('message', 'must not be empty', 'empty_message');
  if (countCharacters(body) > MAX_TEXT_LENGTH) throw invalid('message', `must have at most ${MAX_TEXT_LENGTH} characters`, 'too_long');
}
