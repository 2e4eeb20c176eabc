import type { Db } from '../../../database/database.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { patientsOf, recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { CONFIRMATION_EVENTS, confirmationFields } from '../../scheduling/confirmation.ts';
import type { Language } from '../../values/languages.ts';
import { findSuppressionReason, isOptedOut } from '../consent.ts';
import { findRecipientLanguage } from '../recipient-language.ts';
import { type AnswerDecision, type ConfirmationQuestion, decideAnswer, latestOf } from './answer-decision.ts';
import { readAnswer, type YesOrNo } from './answers.ts';
import { labelAppointments } from './appointment-labels.ts';
import { callbackNumber } from './callback-number.ts';
import { type Asked, closeQuestions, findChoiceList, listQuestions, settleQuestions } from './confirmation-questions.ts';
import { type Change, composeQuestion, endOnce, joinLabels, REPLY_WORDS } from './confirmation-replies.ts';
import type { NamedAppointment } from './named-appointments.ts';
import { withdrawText } from './outgoing-texts.ts';
import { queueText } from './queued-texts.ts';

/** A text as an answer: what it means, and whom it was asked of. */
export interface InboundAnswer {
  decision: AnswerDecision;
  /** The patient who was asked; null where nobody was. */
  patientId: number | null;
  /** The appointment that the text is about; null where it is about none or several. */
  appointmentId: number | null;
}

/** Reads a text as an answer to the questions that its number was asked until it was written. */
export async function readInboundAnswer(db: Db, caller: Caller, asked: Asked, body: string): Promise<InboundAnswer> {
  const questions = await listQuestions(db, caller, asked);
  const latest = latestOf(questions.filter(({ standing }) => standing === 'live'));
  const nothing = { decision: { kind: 'none' }, patientId: latest?.patientId ?? null, appointmentId: null } as const;
  const last = latestOf(questions);
  if (!last) return nothing;
  const read = readAnswer(body, (await findRecipientLanguage(db, caller, last.patientId)).patient);
  if (!read) return nothing;
  const list = await findChoiceList(db, caller, asked);
  const decision = decideAnswer(read, { questions, list, at: asked.at });
  if (decision.kind === 'none') return nothing;
  const meant = 'questions' in decision ? decision.questions : [last];
  const [only, ...others] = meant;
  const isOfOne = new Set(meant.map(({ patientId }) => patientId)).size === 1;
  return {
    decision,
    patientId: isOfOne ? (only?.patientId ?? null) : null,
    appointmentId: others.length === 0 ? (only?.appointmentId ?? null) : null,
  };
}

/** Records an answer, or asks what it means, and replies once. */
export async function handleAnswer(db: Db, caller: Caller, text: SmsMessage, decision: AnswerDecision): Promise<void> {
  if (decision.kind === 'answer') {
    for (const question of decision.questions) await recordAnswer(db, caller, question, { answer: decision.answer, at: text.queuedAt });
    await acknowledge(db, caller, text, decision);
  } else if (decision.kind === 'ask') await askBack(db, caller, text, decision);
}

async function recordAnswer(
  db: Db,
  caller: Caller,
  { appointmentId, patientId }: ConfirmationQuestion,
  { answer, at }: { answer: YesOrNo; at: Date },
): Promise<void> {
  await db.appointment.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id: appointmentId } },
    data: confirmationFields(answer, 'patient', at),
    select: { id: true },
  });
  const event = { name: CONFIRMATION_EVENTS[answer], id: appointmentId, changed: ['confirmation'] };
  recordChange(caller, 'update', event, patientsOf({ patientId }));
  if (patientId !== null)
    caller.journal.audits.push({
      action: 'update',
      resource: 'patient',
      ids: [patientId],
      detail: `appointment ${appointmentId} answered`,
    });
}

type Decided<K extends AnswerDecision['kind']> = Extract<AnswerDecision, { kind: K }>;

/** Names what was noted, and how to take it back: the other answer is a change of mind about the same appointment. */
async function acknowledge(db: Db, caller: Caller, text: SmsMessage, { questions, answer }: Decided<'answer'>): Promise<void> {
  const number = text.fromNumber ?? '';
  const { labels, language } = await label(db, caller, number, questions);
  const found = questions.flatMap(({ appointmentId }) => labels.get(appointmentId) ?? []);
  const visits = joinLabels(
    found.map(({ now }) => now),
    language,
  );
  const body = endOnce(REPLY_WORDS[language].noted[answer](visits));
  const appointmentIds = found.map(({ id }) => id);
  await settleQuestions(db, caller, number, appointmentIds);
  const named = found.map(({ id, patientId, startsAt }) => ({ appointmentId: id, patientId, startsAt, question: 'answered' as const }));
  await reply(db, caller, text, { body, language, named });
}

/** Tells what became of the appointments, and asks about those that are to come, at the times that they have now. */
async function askBack(db: Db, caller: Caller, text: SmsMessage, { questions, answer }: Decided<'ask'>): Promise<void> {
  const number = text.fromNumber ?? '';
  const { labels, language } = await label(db, caller, number, questions);
  const changes = questions.flatMap(({ appointmentId, standing }): Change[] => {
    const found = labels.get(appointmentId);
    if (!found || standing === 'live') return [];
    return [standing === 'moved' ? { kind: standing, now: found.now } : { kind: standing, was: found.was }];
  });
  const isToCome = ({ standing }: ConfirmationQuestion) => standing === 'live' || standing === 'moved';
  const among = questions.filter(isToCome).flatMap(({ appointmentId }) => labels.get(appointmentId) ?? []);
  const practice = await db.organization.findUniqueOrThrow({ where: { id: caller.organizationId }, select: { phone: true } });
  const phone = callbackNumber(practice, text.toNumber);
  const body = composeQuestion(language, { changes, among: among.map(({ now }) => now), answer, phone });
  const isList = among.length > 1;
  const named = among.map(
    ({ id, patientId, startsAt }, index): NamedAppointment => ({
      appointmentId: id,
      patientId,
      startsAt,
      question: 'open',
      ...(isList ? { position: index + 1 } : {}),
    }),
  );
  const isSent = await reply(db, caller, text, { body, language, named, choiceAnswer: isList ? answer : undefined });
  const over = questions.filter((one) => !isToCome(one)).map(({ appointmentId }) => appointmentId);
  if (isSent) await closeQuestions(db, caller, { number, at: text.queuedAt }, over);
}

async function label(db: Db, caller: Caller, number: string, questions: readonly ConfirmationQuestion[]) {
  const { own: language } = await findRecipientLanguage(db, caller, questions[0]?.patientId ?? null);
  return { language, labels: await labelAppointments(db, caller, questions, { number, language }) };
}

/** Replies to one number in an hour. An auto-responder and this server write to each other no more often. */
const MAX_REPLIES_AN_HOUR = 10;

interface Reply {
  body: string;
  language: Language;
  named: readonly NamedAppointment[];
  choiceAnswer?: YesOrNo | undefined;
}

/** @returns false where nothing is sent: to who wants no texts, of a practice that is closed, and to who was replied to too often */
async function reply(
  db: Db,
  caller: Caller,
  { fromNumber, toNumber }: SmsMessage,
  { body, language, named, choiceAnswer }: Reply,
): Promise<boolean> {
  const number = fromNumber ?? '';
  const patientIds = new Set(named.map(({ patientId }) => patientId));
  const [patientId = null] = patientIds.size === 1 ? patientIds : [];
  if (number === '' || number === toNumber || !(await mayReply(db, caller, number, patientId))) return false;
  const [only, ...others] = named;
  await withdrawReplies(db, caller, number, named);
  await queueText(db, caller, {
    to: number,
    body,
    language,
    replyFromNumber: toNumber,
    urgent: true,
    named,
    choiceAnswer,
    patientId: patientId ?? undefined,
    appointmentId: others.length === 0 ? only?.appointmentId : undefined,
  });
  return true;
}

/** Replies that wait, about nothing but appointments that a new one names: only the new one is true. */
async function withdrawReplies(db: Db, caller: Caller, number: string, named: readonly NamedAppointment[]): Promise<void> {
  const { organizationId } = caller;
  const ids = named.map(({ appointmentId }) => appointmentId);
  const waiting = await db.smsMessage.findMany({
    where: {
      organizationId,
      toNumber: number,
      state: 'queued',
      attempts: 0,
      isReply: true,
      urgent: true,
      appointments: { some: { organizationId }, none: { organizationId, appointmentId: { notIn: ids } } },
    },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  for (const { id } of waiting) await withdrawText(db, caller, id, 'superseded');
}

async function mayReply(db: Db, caller: Caller, number: string, patientId: number | null): Promise<boolean> {
  const { organizationId } = caller;
  const { active } = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { active: true } });
  if (!active || (await isOptedOut(db, caller, number))) return false;
  if (patientId !== null && (await findSuppressionReason(db, caller, patientId, 'text')) !== null) return false;
  const since = new Date(Date.now() - 3_600_000);
  const where = { organizationId, toNumber: number, isReply: true, queuedAt: { gt: since } };
  return (await db.smsMessage.count({ where })) < MAX_REPLIES_AN_HOUR;
}
