import type { ConfirmationAnswer } from '../../scheduling/appointment/confirmation.ts';
import type { ReadAnswer, YesOrNo } from './answers.ts';

/** The latest question to a number about an appointment, and what became of the appointment since. */
export interface ConfirmationQuestion {
  appointmentId: number;
  /** The patient to whom it was put. */
  patientId: number | null;
  /** Of that patient, or of the guardian who has the number. */
  languageCode: string | null;
  /** The patient's name to the guardian who has the number; null where the number is the patient's. */
  nameToGuardian: string | null;
  textId: number;
  askedAt: Date;
  /** The start that the question named. */
  toldStart: Date | null;
  /** The newest text about the appointment that the carrier had when the patient wrote names this start, to this patient. */
  told: boolean;
  answered: boolean;
  /**
   * `live`: as it was asked. `moved`: at another time to come. `cancelled`. `gone`: another patient's, or without a time to come. To all
   * but a live one an answer changes nothing.
   */
  standing: 'live' | 'moved' | 'cancelled' | 'gone';
  /** The answer that the appointment has now. */
  confirmation: ConfirmationAnswer;
  confirmedAt: Date | null;
  confirmedBy: string | null;
}

/** A text that asked which of several appointments is meant. */
export interface ChoiceList {
  textId: number;
  askedAt: Date;
  /** The answer that the chosen appointment gets. */
  answer: YesOrNo;
  /** The carrier had taken it when the patient wrote, as far as is known. */
  told: boolean;
  /** In the order of their numbers, the first being 1. */
  appointmentIds: readonly number[];
}

/**
 * `none`: no answer to anything. `known`: an answer that stands already. `answer`: these appointments get it. `ask`: the patient is told
 * what became of the appointments, and asked about those that are to come.
 */
export type AnswerDecision =
  | { kind: 'none' | 'known' }
  | { kind: 'answer'; answer: YesOrNo; questions: readonly ConfirmationQuestion[] }
  | { kind: 'ask'; answer: YesOrNo; questions: readonly ConfirmationQuestion[] };

/** The questions and the list that a number was sent until an answer was written. */
export interface Conversation {
  questions: readonly ConfirmationQuestion[];
  /** The latest list of the last day. */
  list: ChoiceList | null;
  /** When the answer was written. */
  at: Date;
}

const NONE: AnswerDecision = { kind: 'none' };

/**
 * Which appointments an answer means. It means the one question that is open; where several are, nothing but a chosen number decides.
 * After an answer, the other one is a change of mind about the same appointment.
 */
export function decideAnswer(read: ReadAnswer, conversation: Conversation): AnswerDecision {
  const { questions, list } = conversation;
  if (questions.length === 0) return NONE;
  if (read.choice === null) return read.answer === null ? NONE : decidePlain(read.answer, conversation);
  if (read.choice === 'all') return decideAll(read.answer ?? list?.answer ?? null, conversation);
  if (list !== null) return decideChoice(read.choice, read.answer, { ...conversation, list });
  const [number, ...others] = read.choice;
  const plain = toPlainAnswer(number);
  return plain === null || others.length > 0 || read.answer !== null ? NONE : decidePlain(plain, conversation);
}

function decidePlain(answer: YesOrNo, { questions, at }: Conversation): AnswerDecision {
  const latest = findLatest(questions);
  const open = questions.filter(({ answered }) => !answered);
  if (latest?.answered) {
    // One reply may have acknowledged several appointments: a change of mind may mean one of them, or all.
    const acknowledged = questions.filter(({ answered, textId }) => answered && textId === latest.textId);
    const isChanged = acknowledged.some((one) => one.standing !== 'live' || !isStanding(one, answer));
    if (acknowledged.length > 1 && isChanged) return { kind: 'ask', answer, questions: acknowledged };
    if (latest.standing === 'live') {
      if (isChanged || open.length === 0) return settle([latest], answer, at);
      return { kind: 'ask', answer, questions: open };
    }
  }
  // The patient answers none that was cancelled before the latest question was put.
  const isMeant = (one: ConfirmationQuestion) => one === latest || one.standing === 'live' || one.standing === 'moved';
  const meant = questions.filter((one) => one === latest || !one.answered).filter(isMeant);
  const [only, ...others] = meant;
  if (!only) return NONE;
  const isClear = others.length === 0 || meant.every((one) => isStanding(one, answer));
  if (isClear && meant.every(({ standing }) => standing === 'live')) return settle(meant, answer, at);
  return { kind: 'ask', answer, questions: meant };
}

/** The appointments that numbers choose from a list, unless what was said since gives the numbers another meaning. */
function decideChoice(numbers: readonly number[], said: YesOrNo | null, conversation: Conversation & { list: ChoiceList }): AnswerDecision {
  const { questions, list, at } = conversation;
  const answer = said ?? list.answer;
  const ids = numbers.map((number) => list.appointmentIds[number - 1]);
  const plain = said === null && numbers.length === 1 ? toPlainAnswer(numbers[0]) : null;
  if (ids.includes(undefined)) return NONE;
  const open = questions.filter(({ answered }) => !answered);
  // A question that was put after the list may be what the number answers.
  const isOutdated = open.some(({ textId, askedAt }) => textId !== list.textId && askedAt >= list.askedAt);
  if (isOutdated) return { kind: 'ask', answer: plain ?? answer, questions: open };
  // The patient may have chosen from this list, or from the one before it.
  if (!list.told)
    return { kind: 'ask', answer, questions: questions.filter(({ appointmentId }) => list.appointmentIds.includes(appointmentId)) };
  const chosen = questions.filter(({ appointmentId }) => ids.includes(appointmentId));
  if (chosen.length === 0) return NONE;
  const byList = chosen.every(({ standing }) => standing === 'live')
    ? settle(chosen, answer, at)
    : ({ kind: 'ask', answer, questions: chosen } as const);
  return plain === null ? byList : weighPlain(byList, decidePlain(plain, conversation), conversation);
}

/** Without a list, 1 is yes and 2 is no. */
const toPlainAnswer = (number: number | undefined): YesOrNo | null => (number === 1 ? 'Yes' : number === 2 ? 'No' : null);

/**
 * A number of a list that is also a yes or no to what was said after the list. While the answers are those that the list asked for, the
 * patient goes through the list. After a change of mind, and where the list's meaning stands already, the number may mean either.
 */
function weighPlain(
  byList: AnswerDecision,
  plainly: AnswerDecision,
  { questions, list }: Conversation & { list: ChoiceList },
): AnswerDecision {
  const latest = findLatest(questions);
  if (byList.kind === 'ask' || !latest?.answered || latest.textId === list.textId || latest.askedAt < list.askedAt) return byList;
  if (byList.kind === 'answer' && isStanding(latest, list.answer)) return byList;
  const readings = [byList, plainly].flatMap((one) =>
    one.kind === 'answer' || (one.kind === 'ask' && one.questions.every(({ answered }) => answered)) ? [one] : [],
  );
  const ids = new Set(readings.flatMap((one) => one.questions.map(({ appointmentId }) => appointmentId)));
  const isSame = readings.length === 2 && ids.size === 1 && readings[0]?.answer === readings[1]?.answer;
  if (isSame || readings.length === 0) return byList;
  return { kind: 'ask', answer: list.answer, questions: questions.filter(({ appointmentId }) => ids.has(appointmentId)) };
}

function decideAll(answer: YesOrNo | null, { questions, list, at }: Conversation): AnswerDecision {
  const meant = questions.filter(({ answered, appointmentId }) => !answered || list?.appointmentIds.includes(appointmentId));
  if (answer === null || meant.length === 0) return NONE;
  return meant.every(({ standing }) => standing === 'live') ? settle(meant, answer, at) : { kind: 'ask', answer, questions: meant };
}

/** The last word counts, whoever spoke it: a text that was written before the answer that stands changes nothing. */
function settle(questions: readonly ConfirmationQuestion[], answer: YesOrNo, at: Date): AnswerDecision {
  const changed = questions.filter(
    (one) => !(isStanding(one, answer) && one.answered) && (one.confirmedAt === null || one.confirmedAt <= at),
  );
  if (changed.length === 0) return { kind: 'known' };
  // An attempt that nothing was heard of may not have arrived: nobody agrees to a time that nobody told.
  return { kind: changed.every(({ told }) => told) ? 'answer' : 'ask', answer, questions: changed };
}

const isStanding = ({ confirmation, confirmedBy }: ConfirmationQuestion, answer: YesOrNo): boolean =>
  confirmation === answer && confirmedBy === 'patient';

/** The question that was put last. */
export function findLatest(questions: readonly ConfirmationQuestion[]): ConfirmationQuestion | undefined {
  return questions.toSorted((a, b) => b.askedAt.getTime() - a.askedAt.getTime() || b.textId - a.textId)[0];
}
