import type { Db } from '../../../database/database.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { patientsOf, recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { isOptedOut } from '../consent.ts';
import { findOrCreateContactByNumber, type NumberContact } from '../contacts/contacts.ts';
import { addAcceptance, findGroupOfNumber, type InboxKind, openInboxItem } from '../inbox/inbox.ts';
import type { AnswerDecision } from './answer-decision.ts';
import { handleAnswer, readInboundAnswer } from './confirmation-answers.ts';
import type { ConsentReading } from './consent-reading.ts';
import { handleKeyword } from './keyword-replies.ts';
import { keywordOf } from './keywords.ts';

/** A text received on a number of the practice. */
export interface InboundText {
  /** The carrier's id, which makes repeated deliveries recognizable. */
  id: string;
  /** E.164. */
  from: string;
  to: string;
  body: string;
  at: Date;
}

const NO_ANSWER: AnswerDecision = { kind: 'none' };

/** Longer than any carrier delivers. */
const MAX_INBOUND_LENGTH = 10_000;

/**
 * Stores an inbound text once and acts on it: STOP and START are recorded as opt-out and opt-in, HELP is answered, and
 * a yes or no answers what the practice asked that number.
 * @returns null where it was stored before
 */
export async function receiveText(db: Db, caller: Caller, text: InboundText): Promise<SmsMessage | null> {
  const { organizationId } = caller;
  // Concurrent deliveries of the same text wait here; one of them stores it.
  await db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`text in ${organizationId} ${text.id}`}, 0))`;
  const key = { organizationId_carrierId: { organizationId, carrierId: text.id } };
  if (await db.smsMessage.findUnique({ where: key, select: { id: true } })) return null;
  const { from, to, at } = text;
  const body = text.body.replaceAll('\0', '').toWellFormed().slice(0, MAX_INBOUND_LENGTH);
  const contact = await findOrCreateContactByNumber(db, caller, from);
  const keyword = keywordOf(body, await isOptedOut(db, caller, from));
  const read = await readInboundAnswer(db, caller, { number: from, at }, body);
  const decision = keyword === null ? read.decision : NO_ANSWER;
  const isAnswer = decision.kind !== 'none';
  const message = await db.smsMessage.create({
    data: {
      organizationId,
      direction: 'inbound',
      fromNumber: from,
      toNumber: to,
      body,
      state: 'received',
      carrierId: text.id,
      patientId: await senderOf(db, caller, { from, contact, asked: read.patientId, isAnswer }),
      appointmentId: isAnswer ? read.appointmentId : null,
      queuedAt: at,
    },
  });
  recordChange(caller, 'create', { name: 'text.received', id: message.id }, patientsOf(message));
  if (keyword !== null) await handleKeyword(db, caller, keyword, message);
  else await handleAnswer(db, caller, message, decision);
  const kind = inboxKindOf(keyword, decision);
  if (kind !== null) await leaveToPeople(db, caller, { message, contact, kind });
  return message;
}

/** The kind of a text for people: one that no machine has handled, or not for sure, a No, and a Yes. Null for all others. */
function inboxKindOf(keyword: ConsentReading | null, decision: AnswerDecision): InboxKind | null {
  if (keyword !== null) return keyword.sure ? null : keyword.keyword === 'stop' ? 'revoked' : 'text';
  if (decision.kind === 'none') return 'text';
  if (decision.kind !== 'answer') return null;
  return decision.answer === 'No' ? 'declined' : 'accepted';
}

interface ForPeople {
  message: SmsMessage;
  contact: NumberContact | null;
  kind: InboxKind;
}

/** The text waits in the inbox of the call group of the number that it came to. */
async function leaveToPeople(db: Db, caller: Caller, { message, contact, kind }: ForPeople): Promise<void> {
  const { id, patientId, fromNumber: number, toNumber } = message;
  const chatId = await findGroupOfNumber(db, caller, toNumber);
  const contactId = contact?.id ?? null;
  const entry = { subject: { type: 'text', id }, contactId, patientId, chatId, number };
  if (kind === 'accepted') await addAcceptance(db, caller, entry);
  else await openInboxItem(db, caller, { ...entry, kind });
}

interface Sender {
  from: string;
  contact: NumberContact | null;
  /** The patient who was asked. */
  asked: number | null;
  isAnswer: boolean;
}

/**
 * The patient whose text it is: whom the practice asked, else who has the number. A number that a patient with a restricted chart
 * shares is that patient's, unless the text answers a question to somebody else, or somebody else who has the number was the last to
 * be written to, less than a day ago.
 */
async function senderOf(db: Db, caller: Caller, { from, contact, asked, isAnswer }: Sender): Promise<number | null> {
  if (!contact?.restricted) return asked ?? contact?.patientId ?? null;
  if (asked !== null && isAnswer) return asked;
  return (await lastAddressed(db, caller, from)) ?? contact.patientId;
}

/** The patient of the latest text to a number, if that was less than a day ago and the number is still the patient's. */
async function lastAddressed(db: Db, { organizationId }: Caller, number: string): Promise<number | null> {
  const [last] = await db.$queryRaw<{ id: number | null }[]>`
    SELECT p.id FROM (
      SELECT m.patient_id FROM sms_message m
       WHERE m.organization_id = ${organizationId} AND m.to_number = ${number} AND m.direction = 'outbound' AND m.attempts > 0
         AND m.state IN ('queued', 'sent', 'delivered') AND m.queued_at > now() - interval '1 day'
       ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) AS latest
      JOIN patient p ON p.organization_id = ${organizationId} AND p.id = latest.patient_id AND p.status <> 'deleted'
       AND (p.mobile_phone = ${number} OR p.home_phone = ${number})`;
  return last?.id ?? null;
}
