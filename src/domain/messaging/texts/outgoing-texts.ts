import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { NONE } from '../../../database/statements/no-id.ts';
import type { OutgoingText } from '../../../gateways/carrier/carrier.ts';
import type { ConfirmationAnswer, MessageState, SmsMessage } from '../../../generated/prisma/client.ts';
import { patientsOf, recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { patientZone } from '../../patients/patient-clock.sql.ts';
import { findSuppressionReason, isOptedOut, recordCarrierOptOut } from '../consent.ts';
import { nextId } from '../next-ids.ts';
import { fillSealedPlaceholders, type PlaceholderSealer } from '../templates/sealed-placeholders.ts';
import { MAX_TEXT_LENGTH } from '../templates/sms-segments.ts';
import { type NamedAppointment, nameAppointment, storeNamedAppointments } from './named-appointments.ts';
import { endOfQuietHours } from './quiet-hours.ts';
import { chooseSenderNumber, currentSenderNumber } from './sender-numbers.ts';
import { findStaleReason } from './stale-texts.ts';
import { recordInitialText } from './texts-of-appointment.ts';

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
  /** Sender number of a reply to an inbound text. Quiet hours do not apply to replies, and consent only where they are urgent. */
  replyFromNumber?: string | undefined;
  /** Requested on a page a moment ago: treated as a reply. */
  requested?: boolean;
  /** About something happening now, such as a visit that begins: quiet hours do not apply, consent does. */
  urgent?: boolean;
  /** Seals the values of `{{url}}` and `{{code}}` in the body (see sealed-placeholders.ts). */
  sealed?: PlaceholderSealer;
}

/**
 * Queues a text in the given transaction; a worker sends it. A text without a recipient number is stored as suppressed.
 * @throws Failure conflict where the practice has no number to send from; invalid for an empty text or one that is too
 *   long
 */
export async function queueText(db: Db, caller: Caller, text: NewText): Promise<SmsMessage> {
  const { organizationId } = caller;
  const { patientId = null, appointmentId = null, templateId = null, reviewUserId = null, urgent = false, body } = text;
  if (body.trim() === '') throw invalid('message', 'must not be empty', 'empty_message');
  if (body.length > MAX_TEXT_LENGTH) throw invalid('message', `must have at most ${MAX_TEXT_LENGTH} characters`, 'too_long');
  const to = text.to ?? (patientId === null ? null : await mobileNumberOf(db, caller, patientId));
  const named = text.named ?? (await namedIn(db, caller, text));
  const isReply = text.replyFromNumber !== undefined || text.requested === true;
  // The sender sees at once when it leaves; the job asks again.
  const notBefore = to === null || isReply || urgent ? null : await findEndOfQuietHours(db, caller, { patientId }, new Date());
  const own = text.sealed && to !== null ? await sealedRow(db, organizationId, text.sealed) : { sealed: null };
  const message = await db.smsMessage.create({
    data: {
      ...own,
      organizationId,
      direction: 'outbound',
      choiceAnswer: text.choiceAnswer ?? null,
      patientId,
      appointmentId,
      templateId,
      reviewUserId,
      body,
      language: text.language ?? null,
      urgent,
      fromNumber: text.replyFromNumber ?? (await chooseSenderNumber(db, caller, to)),
      toNumber: to ?? '',
      isReply,
      notBefore,
      ...(to === null ? { state: 'suppressed', reason: 'no_mobile_number' } : { state: 'queued' }),
    },
  });
  recordChange(caller, 'create', { name: to === null ? 'text.suppressed' : 'text.queued', id: message.id }, patientsOf(message));
  await storeNamedAppointments(db, message, named);
  await recordInitialText(db, caller, message);
  if (patientId !== null) caller.journal.audits.push({ action: 'read', resource: 'patient', ids: [patientId] });
  if (to !== null) caller.journal.jobs.push({ queue: 'send-text', id: message.id });
  return message;
}

/** The id of a text that is inserted next, and the values that are sealed for it. */
async function sealedRow(db: Db, organizationId: number, seal: PlaceholderSealer): Promise<{ id: number; sealed: string }> {
  const id = await nextId(db, 'sms_message');
  return { id, sealed: seal('text', { organizationId, id }) };
}

async function namedIn(db: Db, caller: Caller, { appointmentId, ...text }: NewText): Promise<NamedAppointment[]> {
  if (appointmentId === undefined) return [];
  const { patientId = null, asks = false, namesStart = true } = text;
  return [await nameAppointment(db, caller, { appointmentId, patientId, asks, namesStart })];
}

async function mobileNumberOf(db: Db, { organizationId }: Caller, id: number): Promise<string | null> {
  const patient = await db.patient.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { mobilePhone: true } });
  return patient?.mobilePhone ?? null;
}

/** The text to hand to the carrier, or `settled` where there is nothing to send now. */
export type PreparedText = { send: Omit<OutgoingText, 'statusUrl'> } | 'settled';

/**
 * Prepares a queued text for sending: it is sent, suppressed for lack of consent, or postponed to the end of the quiet
 * hours with a job for that time. A text that is no longer queued is settled.
 * @param options.ignoreQuietHours for the sandbox
 */
export async function prepareText(
  db: Db,
  caller: Caller,
  id: number,
  { keyring, now, ignoreQuietHours = false }: { keyring: Keyring; now: Date; ignoreQuietHours?: boolean },
): Promise<PreparedText> {
  const message = await lockText(db, caller, id);
  if (message?.state !== 'queued' || message.fromNumber === null) return 'settled';
  const objection = await findTextSuppressionReason(db, caller, message);
  if (objection !== null) {
    await setTextState(db, caller, message, { state: 'suppressed', reason: objection });
    return 'settled';
  }
  const until = message.isReply || message.urgent || ignoreQuietHours ? null : await findEndOfQuietHours(db, caller, message, now);
  if (until !== null) {
    await db.smsMessage.update({ where: keyOf(message), data: { notBefore: until } });
    recordChange(caller, 'update', { name: 'text.postponed', id, changed: ['notBefore'] }, patientsOf(message));
    caller.journal.jobs.push({ queue: 'send-text', id, startAfter: until });
    return 'settled';
  }
  const from = await currentSenderNumber(db, caller, { ...message, fromNumber: message.fromNumber });
  const attempt = { fromNumber: from, attempts: { increment: 1 }, attemptedAt: message.attemptedAt ?? now, notBefore: null };
  await db.smsMessage.update({ where: keyOf(message), data: attempt });
  const { toNumber: to } = message;
  return { send: { reference: textReference(message), from, to, body: fillSealedPlaceholders(keyring, 'text', message) } };
}

type TextKey = Pick<SmsMessage, 'organizationId' | 'id'>;

/** Permanent name of a text at the carrier. */
export const textReference = ({ organizationId, id }: TextKey): string => `text-${organizationId}-${id}`;

/** Parses a reference of textReference; null where it names no text. */
export function parseTextReference(reference: string | null): TextKey | null {
  const [, organizationId, id] = /^text-(\d{1,10})-(\d{1,16})$/.exec(reference ?? '') ?? [];
  return organizationId && id ? { organizationId: Number(organizationId), id: Number(id) } : null;
}

async function findTextSuppressionReason(db: Db, caller: Caller, message: SmsMessage): Promise<string | null> {
  const { id, patientId, toNumber, isReply, urgent } = message;
  const staleReason = await findStaleReason(db, caller, id);
  if (staleReason !== null) return staleReason;
  // The replies to keywords are always sent, also the one that confirms an opt-out.
  if (isReply && !urgent) return null;
  const chartReason = patientId === null ? null : await findSuppressionReason(db, caller, patientId, 'text');
  if (chartReason !== null) return chartReason;
  return (await isOptedOut(db, caller, toNumber)) ? 'opted_out' : null;
}

/** End of the quiet hours by the patient's zone, else that of their office, else the practice's; null outside of them. */
export async function findEndOfQuietHours(
  db: Db,
  { organizationId }: Caller,
  { patientId }: Pick<SmsMessage, 'patientId'>,
  now: Date,
): Promise<Date | null> {
  const [place] = await db.$queryRaw<{ zone: string; start: string; end: string }[]>`
    SELECT ${patientZone} AS zone, o.quiet_hours_start AS start, o.quiet_hours_end AS end
      FROM organization o
      LEFT JOIN patient p ON p.organization_id = ${organizationId} AND p.id = ${patientId ?? NONE}::int
      LEFT JOIN office f ON f.organization_id = ${organizationId} AND f.id = p.primary_office_id
     WHERE o.id = ${organizationId}`;
  return place ? endOfQuietHours(now, place.zone, place) : null;
}

/** Records that the carrier accepted the text. */
export async function recordTextSent(db: Db, caller: Caller, id: number, carrierId: string): Promise<void> {
  const message = await lockText(db, caller, id);
  if (message?.state === 'queued') await setTextState(db, caller, message, { state: 'sent', carrierId, sentAt: new Date(), reason: null });
}

/** Records that the text will not be sent: the carrier refused it or could not be reached in all attempts. */
export async function recordTextFailed(db: Db, caller: Caller, id: number, reason: string): Promise<void> {
  const message = await lockText(db, caller, id);
  if (message?.state === 'queued') await setTextFailed(db, caller, message, reason);
}

/** Withdraws a text that was not attempted yet. After an attempt the carrier may have it, so it stays as it is. */
export async function withdrawText(db: Db, caller: Caller, id: number, reason = 'withdrawn'): Promise<void> {
  const message = await lockText(db, caller, id);
  if (message?.state === 'queued' && message.attempts === 0) await setTextState(db, caller, message, { state: 'suppressed', reason });
}

/** Delivery report of a carrier. */
export interface DeliveryReport {
  carrierId: string;
  state: 'sent' | 'delivered' | 'failed';
  reason: string | null;
  at: Date;
}

/**
 * Records a delivery report. Reports come late, twice and out of order, so a delivered or failed text stays so. The
 * first report of a text whose acceptance was never recorded implies it: that worker was slower, or was killed, and a later attempt may
 * have suppressed the text, or given it up, although it had left.
 * @returns whether the text exists and has this carrier id
 */
export async function recordDeliveryReport(
  db: Db,
  caller: Caller,
  id: number,
  { carrierId, state, reason, at }: DeliveryReport,
): Promise<boolean> {
  const message = await lockText(db, caller, id);
  const isOut = message?.direction === 'outbound' && message.attempts > 0;
  if (!isOut || (message.carrierId !== null && message.carrierId !== carrierId)) return false;
  if (message.carrierId === null) await setTextState(db, caller, message, { state: 'sent', carrierId, sentAt: at, reason: null });
  else if (message.state !== 'sent') return true;
  if (state === 'delivered') await setTextState(db, caller, message, { state, deliveredAt: at });
  if (state === 'failed') await setTextFailed(db, caller, message, reason ?? 'undeliverable');
  return true;
}

/** A text that failed because its recipient opted out at the carrier stands in the ledger of consent as if STOP had come here. */
async function setTextFailed(db: Db, caller: Caller, message: SmsMessage, reason: string): Promise<void> {
  await setTextState(db, caller, message, { state: 'failed', reason });
  if (reason === 'opted_out') await recordCarrierOptOut(db, caller, message);
}

type TextStateChange = { state: MessageState; reason?: string | null; carrierId?: string; sentAt?: Date; deliveredAt?: Date };

async function setTextState(db: Db, caller: Caller, message: SmsMessage, change: TextStateChange): Promise<void> {
  await db.smsMessage.update({ where: keyOf(message), data: { ...change, sealed: null } });
  recordChange(caller, 'update', { name: `text.${change.state}`, id: message.id, changed: Object.keys(change) }, patientsOf(message));
  await recordInitialText(db, caller, message);
}

const keyOf = ({ organizationId, id }: SmsMessage) => ({ organizationId_id: { organizationId, id } });

/** The text, locked until the transaction ends: after its appointment, as a change of the appointment locks them. */
async function lockText(db: Db, { organizationId }: Caller, id: number): Promise<SmsMessage | null> {
  await db.$executeRaw`
    SELECT a.id FROM appointment a
     WHERE a.organization_id = ${organizationId}
       AND a.id = (SELECT appointment_id FROM sms_message WHERE organization_id = ${organizationId} AND id = ${id}) FOR NO KEY UPDATE`;
  await db.$queryRaw`SELECT id FROM sms_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return db.smsMessage.findUnique({ where: { organizationId_id: { organizationId, id } } });
}
