import { NONE } from '../../../database/statements/no-id.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { CONFIRMATION_EVENTS } from '../../scheduling/appointment/confirmation.ts';
import type { Tx } from '../../tx.ts';
import type { Language } from '../../values/languages.ts';
import { type AnswerDecision, type ConfirmationQuestion, type Conversation, decideAnswer, findLatest } from '../answers/answer-decision.ts';
import { readAnswer, speaksOfCancelling, type YesOrNo } from '../answers/answers.ts';
import { callbackNumber } from '../queue/callback-number.ts';
import type { NamedAppointment } from '../queue/named-appointments.ts';
import type { TextFacts } from '../queue/queued-texts.sql.ts';
import { findTextFacts, insertText } from '../queue/queued-texts.ts';
import { objectionIn } from '../recipients/consent.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';
import { findLabels, type LabelledAppointment } from './appointment-labels.ts';
import { CLOSE_QUESTIONS, OUTDATED_REPLIES, SETTLE_QUESTIONS, STORE_ANSWER } from './confirmation-questions.sql.ts';
import { type Change, composeQuestion, endOnce, joinLabels, REPLY_WORDS } from './confirmation-replies.ts';

/** A text as an answer: what it means, and whom it was asked of. */
export interface InboundAnswer {
  decision: AnswerDecision;
  /** The patient who was asked; null where nobody was. */
  patientId: number | null;
  /** The appointment that the text is about; null where it is about none or several. */
  appointmentId: number | null;
  /** It speaks of cancelling in words that no machine answers for sure: staff look at it too. */
  cancels: boolean;
}

/** Whether a question that the number was asked is about a visit to come. */
export const isAsked = ({ questions }: Conversation): boolean => questions.some(isToCome);

/** Reads a text as an answer to the questions that its number was asked until it was written. */
export function readInboundAnswer(body: string, conversation: Conversation): InboundAnswer {
  const { questions } = conversation;
  const latest = findLatest(questions.filter(({ standing }) => standing === 'live'));
  const nothing = { decision: { kind: 'none' }, patientId: latest?.patientId ?? null, appointmentId: null, cancels: false } as const;
  const last = findLatest(questions);
  if (!last) return nothing;
  const read = readAnswer(body, recipientLanguage(last.languageCode, null).patient);
  const cancels = !read && isAsked(conversation) && speaksOfCancelling(body);
  if (!read && !cancels) return nothing;
  const decision = read ? decideAnswer(read, conversation) : askWhatIsCancelled(conversation);
  if (decision.kind === 'none') return nothing;
  const meant = 'questions' in decision ? decision.questions : [last];
  const [only, ...others] = meant;
  return {
    decision,
    patientId: findCommonPatient(meant),
    appointmentId: others.length === 0 ? (only?.appointmentId ?? null) : null,
    cancels,
  };
}

/** Asks about the visits whose questions are open, else about those that the patient has answered. */
function askWhatIsCancelled({ questions }: Conversation): Decided<'ask'> {
  const toCome = questions.filter(isToCome);
  const open = toCome.filter(({ answered }) => !answered);
  return { kind: 'ask', answer: 'No', questions: open.length > 0 ? open : toCome };
}

/** The one patient to whom all of the questions were put; else null. */
function findCommonPatient(questions: readonly ConfirmationQuestion[]): number | null {
  const [only = null, ...others] = new Set(questions.map(({ patientId }) => patientId));
  return others.length === 0 ? only : null;
}

/** The name of the one patient whose guardian answers; null where the patient does, and for several, whom the visits name. */
function findNameToGuardian(questions: readonly ConfirmationQuestion[]): string | null {
  const [only = null, ...others] = new Set(questions.map(({ nameToGuardian }) => nameToGuardian));
  return others.length === 0 && only !== '' ? only : null;
}

type Decided<K extends AnswerDecision['kind']> = Extract<AnswerDecision, { kind: K }>;

/** Records an answer, or asks what it means, and replies once. */
export async function handleAnswer(tx: Tx, text: SmsMessage, decision: AnswerDecision): Promise<void> {
  if (decision.kind !== 'answer' && decision.kind !== 'ask') return;
  const { questions } = decision;
  const number = text.fromNumber ?? '';
  if (decision.kind === 'answer') recordAnswer(tx, decision, text);
  const toCome = questions.filter(isToCome);
  const about = decision.kind === 'answer' || toCome.length === 0 ? questions : toCome;
  const [patientId, ids] = [findCommonPatient(about), about.map(({ appointmentId }) => appointmentId)];
  // A visit that is gone may be another patient's.
  const appointmentId = about.length === 1 && about[0]?.standing !== 'gone' ? ids[0] : undefined;
  const [labelIn, facts, outdated] = await Promise.all([
    findLabels(
      tx,
      questions.map((question) => question.appointmentId),
      number,
    ),
    findTextFacts(tx, { patientId: patientId ?? NONE, to: number, appointmentId }),
    tx.rows(OUTDATED_REPLIES, [number, ids]),
  ]);
  const { own: language } = recipientLanguage(questions[0]?.languageCode ?? null, facts.practiceLanguage);
  const labels = labelIn(language, questions);
  if (number === '' || number === text.toNumber || !mayReply(facts, patientId)) return;
  for (const { id } of outdated) await withdrawText(tx, id, 'superseded');
  insertText(tx, facts, {
    to: number,
    ...(decision.kind === 'answer' ? acknowledge(decision, labels, language) : askBack(decision, labels, { language, facts, text })),
    language,
    replyFromNumber: text.toNumber,
    urgent: true,
    patientId: patientId ?? undefined,
    appointmentId,
  });
  const over = questions.filter((one) => decision.kind === 'ask' && !isToCome(one)).map((one) => one.appointmentId);
  if (over.length > 0) tx.later(CLOSE_QUESTIONS, [number, text.queuedAt, over]);
}

const isToCome = ({ standing }: ConfirmationQuestion): boolean => standing === 'live' || standing === 'moved';

export function recordAnswer(tx: Tx, { questions, answer }: Decided<'answer'>, { fromNumber, queuedAt }: SmsMessage): void {
  const ids = questions.map(({ appointmentId }) => appointmentId);
  tx.later(STORE_ANSWER, [ids, answer, queuedAt]);
  tx.later(SETTLE_QUESTIONS, [fromNumber ?? '', ids]);
  for (const { appointmentId: id, patientId } of questions) {
    recordChange(tx, 'update', { name: CONFIRMATION_EVENTS[answer], id, changed: ['confirmation'] }, toPatientIds({ patientId }));
    if (patientId !== null)
      tx.journal.audits.push({ action: 'update', resource: 'patient', ids: [patientId], detail: `appointment ${id} answered` });
  }
}

type Labels = ReadonlyMap<number, LabelledAppointment>;

/** The words of a reply, and the appointments that they name. */
interface Reply {
  body: string;
  named: readonly NamedAppointment[];
  choiceAnswer?: YesOrNo | undefined;
}

/** Names what was noted, and how to take it back: the other answer is a change of mind about the same appointment. */
function acknowledge({ questions, answer }: Decided<'answer'>, labels: Labels, language: Language): Reply {
  const found = questions.flatMap(({ appointmentId }) => labels.get(appointmentId) ?? []);
  const visits = joinLabels(
    found.map(({ now }) => now),
    language,
  );
  const named = found.map(({ id, patientId, startsAt }) => ({ appointmentId: id, patientId, startsAt, question: 'answered' as const }));
  return { body: endOnce(REPLY_WORDS[language].noted[answer](visits, findNameToGuardian(questions))), named };
}

/** Tells what became of the appointments, and asks about those that are to come, at the times that they have now. */
function askBack(
  { questions, answer }: Decided<'ask'>,
  labels: Labels,
  { language, facts, text }: { language: Language; facts: TextFacts; text: SmsMessage },
): Reply {
  const changes = questions.flatMap(({ appointmentId, standing }): Change[] => {
    const found = labels.get(appointmentId);
    if (!found || standing === 'live') return [];
    return [standing === 'moved' ? { kind: standing, now: found.now } : { kind: standing, was: found.was }];
  });
  const among = questions.filter(isToCome).flatMap(({ appointmentId }) => labels.get(appointmentId) ?? []);
  const phone = callbackNumber({ phone: facts.practicePhone }, text.toNumber);
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
  const body = composeQuestion(language, {
    changes,
    among: among.map(({ now }) => now),
    answer,
    phone,
    patient: findNameToGuardian(questions),
  });
  return { body, named, choiceAnswer: isList ? answer : undefined };
}

/** Replies to one number in an hour. An auto-responder and this server write to each other no more often. */
const MAX_REPLIES_AN_HOUR = 10;

/** False if the patient wants no texts, the practice is closed, or the number was replied to too often. */
export const mayReply = (facts: TextFacts, patientId: number | null): boolean =>
  facts.practiceActive && !facts.stopped && (patientId === null || objectionIn(facts) === null) && facts.replies < MAX_REPLIES_AN_HOUR;
