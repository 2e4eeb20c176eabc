import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import type { OutgoingText } from '../../../gateways/carrier.ts';
import type { MessageState, SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, invalid } from '../../errors.ts';
import { findSuppressionReason, isOptedOut } from '../consent.ts';
import { fillSealedPlaceholders } from '../templates/sealed-placeholders.ts';
import { endOfQuietHours } from './quiet-hours.ts';

/** Ten segments of GSM-7: what carriers take. */
export const MAX_TEXT_LENGTH = 1_600;

export interface NewText {
  /** Whom it is for; their mobile number is written to unless another is given. */
  patientId?: number | undefined;
  /** E.164. */
  to?: string | undefined;
  body: string;
  appointmentId?: number | undefined;
  templateId?: number | undefined;
  reviewUserId?: number | undefined;
  /** To what just came in: quiet hours do not hold it. From which number, the one that was written to. */
  replyFromNumber?: string | undefined;
  /** Somebody asked for it a moment ago, on a page: it is as a reply. */
  requested?: boolean;
  /** About what is now, as a visit that begins: quiet hours do not hold it. Consent counts as ever. */
  urgent?: boolean;
  /** What stands for `{{url}}` and `{{code}}` in the body (secrets.ts). */
  sealed?: string;
}

/**
 * Stores a text that a worker sends as soon as it may; all in the transaction that is given. One without a number to send
 * it to is stored as suppressed.
 * @throws Failure conflict where the practice has no number to send from, invalid for an empty text or one that is too long
 */
export async function queueText(db: Db, caller: Caller, text: NewText): Promise<SmsMessage> {
  const { organizationId } = caller;
  const { patientId = null, appointmentId = null, templateId = null, reviewUserId = null, sealed = null, urgent = false, body } = text;
  if (body.trim() === '') throw invalid('message', 'must not be empty', 'empty_message');
  if (body.length > MAX_TEXT_LENGTH) throw invalid('message', `must have at most ${MAX_TEXT_LENGTH} characters`, 'too_long');
  const to = text.to ?? (patientId === null ? null : await mobileNumberOf(db, caller, patientId));
  const message = await db.smsMessage.create({
    data: {
      ...{ organizationId, direction: 'outbound', patientId, appointmentId, templateId, reviewUserId, body, sealed, urgent },
      fromNumber: text.replyFromNumber ?? (await chooseSenderNumber(db, caller, to)),
      toNumber: to ?? '',
      isReply: text.replyFromNumber !== undefined || text.requested === true,
      ...(to === null ? { state: 'suppressed', reason: 'no_mobile_number', sealed: null } : { state: 'queued' }),
    },
  });
  recordChange(caller, 'create', { name: to === null ? 'text.suppressed' : 'text.queued', subject: 'text', id: message.id });
  if (patientId !== null) caller.journal.audits.push({ action: 'read', resource: 'patient', ids: [patientId] });
  if (to !== null) caller.journal.jobs.push({ queue: 'send-text', id: message.id });
  return message;
}

async function mobileNumberOf(db: Db, { organizationId }: Caller, id: number): Promise<string | null> {
  const patient = await db.patient.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { mobilePhone: true } });
  return patient?.mobilePhone ?? null;
}

/** The practice's plain number that this number was last written to from; else the one that it has had longest. */
async function chooseSenderNumber(db: Db, { organizationId }: Caller, to: string | null): Promise<string> {
  const [owned] = await db.$queryRaw<{ number: string }[]>`
    SELECT n.number FROM phone_number n
     WHERE n.organization_id = ${organizationId} AND n.kind = 'plain' AND n.released_at IS NULL AND n.carrier_id IS NOT NULL
     ORDER BY n.number = (SELECT m.from_number FROM sms_message m
                           WHERE m.organization_id = ${organizationId} AND m.to_number = ${to}::text AND m.direction = 'outbound'
                           ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) DESC NULLS LAST, n.id
     LIMIT 1`;
  if (!owned) throw conflict('no_number', 'The practice has no number to send texts from. Purchase one first.');
  return owned.number;
}

/** What a worker is to do with a text. */
export type PreparedText = { send: Omit<OutgoingText, 'statusUrl'> } | 'settled';

/**
 * Decides what becomes of a queued text now: it is sent, suppressed for want of consent, or put off to the end of the quiet
 * hours, with a job for then. What is not queued any more is settled.
 * @param options.ignoreQuietHours whatever the hour is: for the sandbox, where nobody sleeps
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
    recordChange(caller, 'update', { name: 'text.postponed', subject: 'text', id, changed: ['notBefore'] });
    caller.journal.jobs.push({ queue: 'send-text', id, startAfter: until });
    return 'settled';
  }
  await db.smsMessage.update({ where: keyOf(message), data: { attempts: { increment: 1 }, notBefore: null } });
  const { fromNumber: from, toNumber: to } = message;
  return { send: { reference: textReference(message), from, to, body: fillSealedPlaceholders(keyring, message) } };
}

type TextKey = Pick<SmsMessage, 'organizationId' | 'id'>;

/** Names a text at the carrier, for ever. */
export const textReference = ({ organizationId, id }: TextKey): string => `text-${organizationId}-${id}`;

/** The text that a reference names, or null where it names none. */
export function parseTextReference(reference: string | null): TextKey | null {
  const [, organizationId, id] = /^text-(\d{1,9})-(\d{1,9})$/.exec(reference ?? '') ?? [];
  return organizationId && id ? { organizationId: Number(organizationId), id: Number(id) } : null;
}

async function findTextSuppressionReason(db: Db, caller: Caller, { patientId, toNumber, isReply }: SmsMessage): Promise<string | null> {
  // To what somebody wrote they are answered, also to say that they get no more texts.
  if (isReply) return null;
  const said = patientId === null ? null : await findSuppressionReason(db, caller, patientId, 'text');
  if (said !== null) return said;
  return (await isOptedOut(db, caller, toNumber)) ? 'opted_out' : null;
}

/** By the clocks at the patient's place: the chart's zone, else that of their office, else the practice's. */
async function findEndOfQuietHours(db: Db, { organizationId }: Caller, { patientId }: SmsMessage, now: Date): Promise<Date | null> {
  const [place] = await db.$queryRaw<{ zone: string; start: string; end: string }[]>`
    SELECT coalesce(p.time_zone, f.time_zone, o.time_zone) AS zone, o.quiet_hours_start AS start, o.quiet_hours_end AS end
      FROM organization o
      LEFT JOIN patient p ON p.organization_id = o.id AND p.id = ${patientId}::int
      LEFT JOIN office f ON f.organization_id = o.id AND f.id = p.primary_office_id
     WHERE o.id = ${organizationId}`;
  return place ? endOfQuietHours(now, place.zone, place) : null;
}

/** The carrier has it. */
export async function recordTextSent(db: Db, caller: Caller, id: number, carrierId: string): Promise<void> {
  const message = await lockText(db, caller, id);
  if (message?.state === 'queued') await setTextState(db, caller, message, { state: 'sent', carrierId, sentAt: new Date(), reason: null });
}

/** It will not be sent: the carrier refused it, or could not be reached in all attempts. */
export async function recordTextFailed(db: Db, caller: Caller, id: number, reason: string): Promise<void> {
  const message = await lockText(db, caller, id);
  if (message?.state === 'queued') await setTextState(db, caller, message, { state: 'failed', reason });
}

/** It must not leave any more: whoever wrote it took it back. One that was tried already may be with the carrier, and stays. */
export async function withdrawText(db: Db, caller: Caller, id: number): Promise<void> {
  const message = await lockText(db, caller, id);
  if (message?.state === 'queued' && message.attempts === 0)
    await setTextState(db, caller, message, { state: 'suppressed', reason: 'withdrawn' });
}

/** What a carrier reports of a text that it took. */
export interface DeliveryReport {
  carrierId: string;
  state: 'sent' | 'delivered' | 'failed';
  reason: string | null;
  at: Date;
}

/**
 * Notes what the carrier reports; reports come late, twice and out of order, so what was delivered or failed stays so. One
 * that is here before the worker could note what the carrier answered tells that as well.
 * @returns whether there is such a text, and the carrier has it under that id
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
  if (message.state === 'queued') await setTextState(db, caller, message, { state: 'sent', carrierId, sentAt: at, reason: null });
  else if (message.state !== 'sent') return true;
  if (state === 'delivered') await setTextState(db, caller, message, { state, deliveredAt: at });
  if (state === 'failed') await setTextState(db, caller, message, { state, reason: reason ?? 'undeliverable' });
  return true;
}

type TextStateChange = { state: MessageState; reason?: string | null; carrierId?: string; sentAt?: Date; deliveredAt?: Date };

async function setTextState(db: Db, caller: Caller, message: SmsMessage, change: TextStateChange): Promise<void> {
  await db.smsMessage.update({ where: keyOf(message), data: { ...change, sealed: null } });
  recordChange(caller, 'update', { name: `text.${change.state}`, subject: 'text', id: message.id, changed: Object.keys(change) });
}

const keyOf = ({ organizationId, id }: SmsMessage) => ({ organizationId_id: { organizationId, id } });

/** The text, which nobody else changes until the transaction ends. */
async function lockText(db: Db, { organizationId }: Caller, id: number): Promise<SmsMessage | null> {
  await db.$queryRaw`SELECT id FROM sms_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return db.smsMessage.findUnique({ where: { organizationId_id: { organizationId, id } } });
}
