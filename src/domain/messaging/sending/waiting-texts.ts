import { NONE } from '../../../database/statements/no-id.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { isAnyWithheld } from '../../patients/restrictions/restricted-charts.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { decideDeparture } from '../queue/departure.ts';
import { TEXT_FACTS } from '../queue/queued-texts.sql.ts';
import { requireBody } from '../queue/queued-texts.ts';
import { findSendAt } from '../queue/send-at.ts';
import { placeholdersIn } from '../templates/placeholders.ts';
import { requireKnownPlaceholders } from '../templates/template-wordings.ts';
import { lockText, withdrawText } from './outgoing-texts.ts';

interface TextChange {
  /** Its words. A link that the text has stays: where `{{url}}` places it, else at the end. */
  message?: string | undefined;
  /** A time at which it leaves, as the caller writes it (see findSendAt); null: as soon as it may. */
  sendAt?: string | null | undefined;
}

/**
 * Changes a text that nobody has tried to send yet.
 * @throws Failure not_found; conflict for one that has left; invalid for words or a time that a new text could not have
 */
export async function changeText(tx: Tx, id: number, { message, sendAt }: TextChange): Promise<void> {
  const text = await lockWaiting(tx, id);
  const body = message === undefined ? text.body : withLink(message, text);
  requireBody({ body });
  const at = typeof sendAt === 'string' ? await findSendAt(tx, sendAt) : sendAt;
  const askedAt = text.scheduledAt ?? text.queuedAt;
  const times = at === undefined ? {} : { queuedAt: at ?? askedAt, scheduledAt: at && askedAt };
  const changed = [...(body === text.body ? [] : ['body']), ...(at === undefined ? [] : ['sendAt'])];
  if (changed.length === 0) return;
  const words = body === text.body ? {} : { body, language: null };
  const notBefore = await findTime(tx, { ...text, ...times });
  const where = { organizationId_id: { organizationId: text.organizationId, id } };
  await tx.prisma.smsMessage.update({ where, data: { ...words, ...times, notBefore }, select: { id: true } });
  // Words of a person that ask nothing hold whatever becomes of the visit.
  if (body !== text.body)
    await tx.prisma.textAppointment.deleteMany({ where: { organizationId: text.organizationId, smsMessageId: id, question: null } });
  recordChange(tx, 'update', { name: 'text.changed', id, changed }, toPatientIds(text));
  tx.journal.jobs.push({ queue: 'send-text', id, ...(notBefore && { startAfter: notBefore }) });
}

/** Withdraws a text; again is no change. @throws Failure not_found; conflict for one that has left */
export async function takeTextBack(tx: Tx, id: number): Promise<void> {
  const text = await lockVisible(tx, id);
  if (text.state === 'suppressed' && text.reason === 'withdrawn') return;
  requireWaiting(text);
  await withdrawText(tx, id);
}

async function lockWaiting(tx: Tx, id: number): Promise<SmsMessage & { fromNumber: string }> {
  const text = await lockVisible(tx, id);
  requireWaiting(text);
  return { ...text, fromNumber: text.fromNumber ?? '' };
}

async function lockVisible(tx: Tx, id: number): Promise<SmsMessage> {
  const text = await lockText(tx, id);
  if (!text || (text.patientId !== null && (await isAnyWithheld(tx, [text.patientId])))) throw notFound('sms message');
  return text;
}

function requireWaiting({ state, attempts }: SmsMessage): void {
  if (state !== 'queued' || attempts > 0) throw conflict('text_left', 'The text is no longer waiting: it was sent, or will not be sent.');
}

/** The words as they are stored: placeholders of a link or a code stay for the sealed values. @throws Failure invalid */
function withLink(message: string, { body, sealed }: SmsMessage): string {
  const secret = sealed === null ? [] : placeholdersIn(body).known.filter((name) => name === 'url' || name === 'code');
  requireKnownPlaceholders(message, 'message', secret);
  const lost = secret.filter((name) => !placeholdersIn(message).known.includes(name));
  if (lost.includes('code')) throw invalid('message', 'lacks {{code}}, which the text has', 'missing_placeholder');
  return [message, ...lost.map((name) => `{{${name}}}`)].join(' ').trim();
}

/** The time before which it does not leave; null for now. */
async function findTime(tx: Tx, text: SmsMessage & { fromNumber: string }): Promise<Date | null> {
  const [facts] = await tx.rows(TEXT_FACTS, [text.patientId ?? NONE, text.toNumber, NONE, text.fromNumber]);
  if (!facts) throw notFound('organization');
  const departure = decideDeparture(text, facts, { now: nowIn(tx.organizationId) });
  return departure.kind === 'wait' ? departure.until : null;
}
