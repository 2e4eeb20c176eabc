import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { conflict, Failure } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { type NewText, queueText } from '../queue/queued-texts.ts';
import { findSendAt } from '../queue/send-at.ts';
import { requireConsent } from '../recipients/consent.ts';
import { findRecipientLanguage } from '../recipients/recipient-language.ts';
import { placeholdersIn } from '../templates/placeholders.ts';
import { renderWithContext } from '../templates/template-values.ts';
import { requireKnownPlaceholders } from '../templates/template-wordings.ts';
import { findTemplate } from '../templates/templates.ts';
import { findCannedReply } from '../texts/canned-replies.ts';
import { type KnownConversation, requireConversation } from './conversations.ts';

/** An answer: in words of one's own, with a canned reply, or with a template. */
export type AnswerWords = { message: string } | { cannedReplyId: number } | { templateId: number };

export interface ConversationAnswer {
  words: AnswerWords;
  /** With whom it is filed; by default the patient of the newest text who still has the number, else the first who has it. */
  patientId?: number | undefined;
  appointmentId?: number | undefined;
  /** A time at which it leaves, as the caller writes it (see findSendAt). */
  sendAt?: string | undefined;
}

/**
 * Queues an answer in a conversation, from the number of the practice with which it was held last; a worker sends it.
 * @throws Failure not_found for a conversation, patient, canned reply, template or appointment that the caller may not see; invalid for
 *   unknown placeholders and an impossible time; unprocessable where a placeholder has no value, or a question is about no appointment;
 *   conflict where the number or its patient must not be written to, and where the practice has no number
 */
export async function answerConversation(tx: Tx, number: string, answer: ConversationAnswer): Promise<SmsMessage> {
  const { words, appointmentId, sendAt } = answer;
  const conversation = await requireConversation(tx, number);
  const patientId = await findAddressee(tx, conversation, answer);
  const leavesAt = await findSendAt(tx, sendAt);
  const text = await readWords(tx, words, { patientId: patientId ?? undefined, appointmentId });
  await requireConsent(tx, { patientId, channel: 'sms', to: number });
  const { line } = conversation.latest ?? { line: null };
  return queueText(tx, {
    ...text,
    to: number,
    patientId: patientId ?? undefined,
    appointmentId,
    sendAt: leavesAt,
    fromNumber: line ?? undefined,
  });
}

/** With whom an answer is filed; null for a number that is no patient's. @throws Failure not_found, conflict for a patient who does not have the number */
async function findAddressee(
  tx: Tx,
  { holders, latest }: KnownConversation,
  { patientId, appointmentId }: ConversationAnswer,
): Promise<number | null> {
  const holder = async (id: number, field: string): Promise<number> => {
    const patient = await findPatient(tx, id, field);
    if (holders.every((one) => one.id !== patient.id)) throw conflict('not_their_number', 'The patient does not have this number.', field);
    return patient.id;
  };
  if (patientId !== undefined) return holder(patientId, 'patientId');
  // The appointment says whose it is.
  if (appointmentId !== undefined) {
    const appointment = await tx.prisma.appointment.findUnique({
      where: tx.key(appointmentId),
      select: { patientId: true },
    });
    if (appointment && appointment.patientId !== null) return holder(appointment.patientId, 'appointmentId');
  }
  return (holders.find(({ id }) => id === latest?.patientId) ?? holders[0])?.id ?? null;
}

type About = Pick<NewText, 'patientId' | 'appointmentId'>;

/** The words as they are sent. @throws Failure as answerConversation */
async function readWords(
  tx: Tx,
  words: AnswerWords,
  about: About,
): Promise<Pick<NewText, 'body' | 'language' | 'templateId' | 'asks' | 'named'>> {
  if ('templateId' in words) {
    const template = await findTemplate(tx, words.templateId, 'templateId');
    if (template.tracksResponse && about.appointmentId === undefined)
      throw new Failure('unprocessable', 'no_appointment', 'The template asks for a yes or no: name the appointment in appointment_id.');
    const { text, missing, language } = await renderWithContext(tx, template, about);
    requireValues(missing);
    return { body: text, language, templateId: template.id, asks: template.tracksResponse };
  }
  const message = 'message' in words ? words.message : (await findCannedReply(tx, words.cannedReplyId, 'cannedReplyId')).message;
  if ('message' in words) requireKnownPlaceholders(message, 'message');
  const { known } = placeholdersIn(message);
  // Words of a person hold whatever becomes of the visit.
  if (known.length === 0 && about.appointmentId === undefined) return { body: message, named: [] };
  const { patient, practice } = await findRecipientLanguage(tx, about.patientId ?? null);
  const own = { body: message, language: patient ?? practice, variants: [], tracksResponse: false };
  const { text, missing } = await renderWithContext(tx, own, about);
  requireValues(missing);
  return known.length === 0 ? { body: text, named: [] } : { body: text };
}

/** @throws Failure unprocessable: no text is sent with gaps */
function requireValues(missing: readonly string[]): void {
  if (missing.length === 0) return;
  const named = missing.map((name) => `{{${name}}}`).join(', ');
  throw new Failure('unprocessable', 'missing_values', `Nothing is known for ${named}.`);
}
