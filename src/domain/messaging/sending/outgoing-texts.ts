import type { Keyring } from '../../../database/encryption/keyring.ts';
import { NONE } from '../../../database/statements/no-id.ts';
import type { OutgoingText } from '../../../gateways/carrier/carrier.ts';
import type { MessageState, SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import { notifyUsers } from '../../notifications/notifications.ts';
import type { Tx } from '../../tx.ts';
import { CONTACT_BY_NUMBER } from '../contacts/contacts.sql.ts';
import { findMainGroup, type InboxKind, openInboxItem } from '../inbox/inbox.ts';
import { type Departure, decideDeparture } from '../queue/departure.ts';
import { REDIRECT_INVITE, REDIRECT_MESSAGE, TEXT_FACTS } from '../queue/queued-texts.sql.ts';
import { recordInitialText } from '../queue/texts-of-appointment.ts';
import { recordCarrierOptOut } from '../recipients/consent.ts';
import { fillSealedPlaceholders } from '../templates/sealed-placeholders.ts';
import { findStaleReason, type StaleReason } from './stale-texts.ts';

/** The text to hand to the carrier, or `settled` where there is nothing to send now. */
export type PreparedText = { send: Omit<OutgoingText, 'statusUrl'> } | 'settled';

/**
 * Prepares a queued text for sending: it is sent, suppressed for lack of consent or because its patient no longer has the number, or
 * postponed to the end of the quiet hours with a job for that time. A text that is no longer queued is settled.
 * @param options.ignoreQuietHours for the sandbox
 */
export async function prepareText(
  tx: Tx,
  id: number,
  { keyring, now, ignoreQuietHours = false }: { keyring: Keyring; now: Date; ignoreQuietHours?: boolean },
): Promise<PreparedText> {
  const message = await lockText(tx, id);
  if (message?.state !== 'queued' || message.fromNumber === null) return 'settled';
  const { fromNumber, toNumber, attemptedAt } = message;
  const departure = await findDeparture(tx, { ...message, fromNumber }, { now, ignoreQuietHours });
  if (departure.kind === 'suppress') {
    await setTextState(tx, message, { state: 'suppressed', reason: departure.reason });
    return 'settled';
  }
  if (departure.kind === 'wait') {
    await tx.prisma.smsMessage.update({ where: toKey(message), data: { notBefore: departure.until } });
    recordChange(tx, 'update', { name: 'text.postponed', id, changed: ['notBefore'] }, toPatientIds(message));
    tx.journal.jobs.push({ queue: 'send-text', id, startAfter: departure.until });
    return 'settled';
  }
  const { to, from } = departure;
  if (to !== toNumber) redirect(tx, message, to);
  const attempt = { toNumber: to, fromNumber: from, attempts: { increment: 1 }, attemptedAt: attemptedAt ?? new Date(), notBefore: null };
  await tx.prisma.smsMessage.update({ where: toKey(message), data: attempt });
  return { send: { reference: textReference(message), from, to, body: fillSealedPlaceholders(keyring, 'text', message) } };
}

async function findDeparture(
  tx: Tx,
  message: SmsMessage & { fromNumber: string },
  options: Parameters<typeof decideDeparture>[2],
): Promise<Departure | { kind: 'suppress'; reason: StaleReason }> {
  const { id, patientId, toNumber, fromNumber } = message;
  const [stale, [facts]] = await Promise.all([
    findStaleReason(tx, id),
    tx.rows(TEXT_FACTS, [patientId ?? NONE, toNumber, NONE, fromNumber]),
  ]);
  if (!facts) throw notFound('organization');
  return stale === null ? decideDeparture(message, facts, options) : { kind: 'suppress', reason: stale };
}

/** Records that a text goes to another number: the message or invite that it carries shows it too. */
function redirect(tx: Tx, { id, ...message }: SmsMessage, to: string): void {
  for (const statement of [REDIRECT_MESSAGE, REDIRECT_INVITE]) tx.later(statement, [id, to]);
  recordChange(tx, 'update', { name: 'text.redirected', id, changed: ['toNumber'] }, toPatientIds(message));
}

type TextKey = Pick<SmsMessage, 'organizationId' | 'id'>;

/** Permanent name of a text at the carrier. */
export const textReference = ({ organizationId, id }: TextKey): string => `text-${organizationId}-${id}`;

/** Parses a reference of textReference; null where it names no text. */
export function parseTextReference(reference: string | null): TextKey | null {
  const [, organizationId, id] = /^text-(\d{1,10})-(\d{1,16})$/.exec(reference ?? '') ?? [];
  return organizationId && id ? { organizationId: Number(organizationId), id: Number(id) } : null;
}

export async function recordTextSent(tx: Tx, id: number, carrierId: string): Promise<void> {
  const message = await lockText(tx, id);
  if (message?.state === 'queued') await setTextState(tx, message, { state: 'sent', carrierId, sentAt: new Date(), reason: null });
}

/** Records that the text will not be sent: the carrier refused it or could not be reached in all attempts. */
export async function recordTextFailed(tx: Tx, id: number, reason: string): Promise<void> {
  const message = await lockText(tx, id);
  if (message?.state === 'queued') await setTextFailed(tx, message, reason);
}

/** Withdraws a text that was not attempted yet. After an attempt the carrier may have it, so it stays as it is. */
export async function withdrawText(tx: Tx, id: number, reason = 'withdrawn'): Promise<void> {
  const message = await lockText(tx, id);
  if (message?.state === 'queued' && message.attempts === 0) await setTextState(tx, message, { state: 'suppressed', reason });
}

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
export async function recordDeliveryReport(tx: Tx, id: number, { carrierId, state, reason, at }: DeliveryReport): Promise<boolean> {
  const message = await lockText(tx, id);
  const isOut = message?.direction === 'outbound' && message.attempts > 0;
  if (!isOut || (message.carrierId !== null && message.carrierId !== carrierId)) return false;
  if (message.carrierId === null) await setTextState(tx, message, { state: 'sent', carrierId, sentAt: at, reason: null });
  else if (message.state !== 'sent') return true;
  if (state === 'delivered') await setTextState(tx, message, { state, deliveredAt: at });
  if (state === 'failed') await setTextFailed(tx, message, reason ?? 'undeliverable');
  return true;
}

/** A text that failed because its recipient opted out at the carrier is recorded in the history of consent as if STOP had come here. */
async function setTextFailed(tx: Tx, message: SmsMessage, reason: string): Promise<void> {
  await setTextState(tx, message, { state: 'failed', reason });
  if (reason === 'opted_out') await recordCarrierOptOut(tx, message);
}

async function setTextState(tx: Tx, message: SmsMessage, change: TextStateChange): Promise<void> {
  await tx.prisma.smsMessage.update({ where: toKey(message), data: { ...change, sealed: null } });
  recordChange(tx, 'update', { name: `text.${change.state}`, id: message.id, changed: Object.keys(change) }, toPatientIds(message));
  await recordInitialText(tx, message);
  await tellStaff(tx, message, change);
}

const toKey = ({ organizationId, id }: SmsMessage) => ({ organizationId_id: { organizationId, id } });

/** The text, locked until the transaction ends: after its appointment, as a change of the appointment locks them. */
export async function lockText(tx: Tx, id: number): Promise<SmsMessage | null> {
  const { organizationId } = tx;
  await tx.prisma.$executeRaw`
    SELECT a.id FROM appointment a
     WHERE a.organization_id = ${organizationId}
       AND a.id = (SELECT appointment_id FROM sms_message WHERE organization_id = ${organizationId} AND id = ${id}) FOR NO KEY UPDATE`;
  await tx.prisma.$queryRaw`SELECT id FROM sms_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return tx.prisma.smsMessage.findUnique({ where: tx.key(id) });
}

type TextStateChange = { state: MessageState; reason?: string | null; carrierId?: string; sentAt?: Date; deliveredAt?: Date };

/** Shows staff that a text did not reach its recipient: in the inbox, and whoever sent one that was withdrawn by a notification. */
async function tellStaff(tx: Tx, message: SmsMessage, change: TextStateChange): Promise<void> {
  const kind = findInboxKind(message, change);
  const { id, patientId, toNumber: number, sentByUserId } = message;
  const subject = { type: 'text', id };
  if (isWithdrawn(change) && sentByUserId !== null) await notifyUsers(tx, { kind: 'text.withdrawn', subject, userIds: [sentByUserId] });
  if (kind === null) return;
  const chatId = await findMainGroup(tx);
  const [contact] = patientId === null ? await tx.rows(CONTACT_BY_NUMBER, [number]) : [];
  // A text of before may name a number that the patient no longer has.
  const from = patientId === null || kind !== 'number_changed' ? { number } : {};
  await openInboxItem(tx, { kind, subject, contactId: contact?.id ?? null, patientId, chatId, ...from });
}

/** A text that was taken back surprises nobody. */
const isWithdrawn = ({ state, reason }: TextStateChange): boolean => state === 'suppressed' && reason !== 'withdrawn';

/** Of what people are to see to: replies of the server and alerts to staff, which are to no patient, are not. */
function findInboxKind({ patientId, isReply, urgent, sentByUserId }: SmsMessage, change: TextStateChange): InboxKind | null {
  if (change.reason === 'number_changed') return 'number_changed';
  if (isReply || (patientId === null && urgent)) return null;
  if (change.state === 'failed') return 'text_failed';
  return isWithdrawn(change) && sentByUserId !== null ? 'text_withdrawn' : null;
}
