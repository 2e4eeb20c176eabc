import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { addAhead } from '../../values/test-practices.ts';
import { type AnswerDecision, findLatest } from '../answers/answer-decision.ts';
import type { ConsentReading, Keyword } from '../answers/consent-reading.ts';
import { readKeyword, withoutStopLines } from '../answers/keywords.ts';
import { keepOwnWords } from '../answers/own-words.ts';
import { handleAnswer, type InboundAnswer, isAsked, readInboundAnswer, recordAnswer } from '../confirmations/confirmation-answers.ts';
import { CHOICE_LIST, HOLD_NUMBER, QUESTIONS } from '../confirmations/confirmation-questions.sql.ts';
import { findOrCreateContactByNumber, type NumberContact } from '../contacts/contacts.ts';
import { addAcceptance, findDeclinedItem, type InboxKind, openInboxItem } from '../inbox/inbox.ts';
import { soundsUrgent } from '../inbox/urgent-words.ts';
import { handleOfferAnswer, type OfferAnswer, readOfferAnswer, TEXTED_OFFER } from '../offers/offer-answers.ts';
import { INSERT_TEXT, TEXT_ID, textValues } from '../queue/queued-texts.sql.ts';
import { NO_FIELDS } from '../queue/queued-texts.ts';
import { ADD_PICTURES, INBOUND_FACTS } from './inbound-texts.sql.ts';
import { handleKeyword } from './keyword-replies.ts';
import { followLanguage } from './language-offer.ts';
import { narrowToQuoted, type Said } from './quoted-texts.ts';

export interface InboundText {
  /** The carrier's id, which makes repeated deliveries recognizable. */
  id: string;
  /** E.164. */
  from: string;
  to: string;
  body: string;
  at: Date;
  /** Addresses of its pictures at the carrier. */
  pictures?: readonly string[] | undefined;
  /** The keyword that the carrier took the text for and has replied to. */
  optOut?: Keyword | undefined;
}

const NO_ANSWER: AnswerDecision = { kind: 'none' };
const NOT_READ = { decision: NO_ANSWER, patientId: null, appointmentId: null, cancels: false };

/** Longer than any carrier delivers. */
const MAX_INBOUND_LENGTH = 10_000;

/**
 * Stores an inbound text once and acts on it: STOP and START are recorded as opt-out and opt-in, HELP is answered, and
 * a yes or no answers what the practice asked that number.
 * @returns null where it was stored before
 */
export async function receiveText(tx: Tx, text: InboundText): Promise<SmsMessage | null> {
  const { from, to, at } = text;
  const body = text.body.replaceAll('\0', '').slice(0, MAX_INBOUND_LENGTH).toWellFormed();
  const { id, facts, contact, wasAsked, said, conversation, offer } = await readConversation(tx, { ...text, body });
  if (facts.isKnown) return null;
  const byCarrier = text.optOut && { keyword: text.optOut, sure: true };
  const keyword = byCarrier ?? readKeyword(body, facts.stopped, wasAsked);
  const { answer, read, decision } = readAnswers(keyword, { said, conversation, offer });
  const isAnswer = decision.kind !== 'none' || (answer !== null && keyword === null);
  const message: SmsMessage = {
    ...NO_FIELDS,
    ...tx.practice,
    id,
    direction: 'inbound',
    fromNumber: from,
    toNumber: to,
    body,
    state: 'received',
    carrierId: text.id,
    patientId: findSender({ contact, asked: read.patientId, isAnswer, lastAddressed: facts.lastAddressed }),
    appointmentId: isAnswer || read.cancels ? read.appointmentId : null,
    queuedAt: at,
    updatedAt: new Date(),
  };
  tx.later(INSERT_TEXT, textValues(message));
  if (text.pictures?.length) tx.later(ADD_PICTURES, [id, [...text.pictures]]);
  recordChange(tx, 'create', { name: 'text.received', id: message.id }, toPatientIds(message));
  const kind = answer && keyword === null ? null : findInboxKind(keyword, decision, read);
  const entry = toInboxEntry(message, contact, facts.chatId);
  const [joined] = await Promise.all([
    kind === 'accepted' ? findDeclinedItem(tx, entry) : null,
    keyword === null
      ? act(tx, message, answer ?? decision)
      : handleKeyword(tx, keyword, message, { wasOut: facts.stopped, isReplied: byCarrier !== undefined }),
  ]);
  if (keyword !== null && decision.kind === 'answer') recordAnswer(tx, decision, message);
  if (keyword?.keyword !== 'stop') await followLanguage(tx, message);
  if (joined) addAcceptance(tx, joined.id, entry);
  if (kind !== null && kind !== 'accepted')
    await openInboxItem(tx, { ...entry, kind, urgent: await soundsUrgent(tx, keepOwnWords(body, { keepWords: true })) });
  return message;
}

/** Reads a text as an answer to an offer or to questions. Beside a word that ends texts, only lines of their own are one. */
function readAnswers(keyword: ConsentReading | null, { said, conversation, offer }: Said) {
  const answer = readOfferAnswer(said, offer, findLatest(conversation.questions)?.askedAt);
  const isStop = keyword?.keyword === 'stop';
  const read = answer
    ? { ...NOT_READ, patientId: answer.offer.patientId }
    : readInboundAnswer(isStop ? withoutStopLines(said) : said, conversation);
  return { answer, read, decision: keyword === null || (isStop && read.decision.kind === 'answer') ? read.decision : NO_ANSWER };
}

const act = (tx: Tx, message: SmsMessage, said: OfferAnswer | AnswerDecision): Promise<void> =>
  'offer' in said ? handleOfferAnswer(tx, message, said) : handleAnswer(tx, message, said);

/** All that was said to a number, and who has it; texts from it wait for each other until the transaction ends. */
async function readConversation(tx: Tx, { id, from, to, at, body }: InboundText) {
  const [, [facts], questions, [list = null], [offer], contact, [drawn]] = await Promise.all([
    tx.rows(HOLD_NUMBER, [from]), // those that follow see what it waited for
    tx.rows(INBOUND_FACTS, [id, from, to]),
    tx.rows(QUESTIONS, [from, at, addAhead(tx.organizationId, at)]),
    tx.rows(CHOICE_LIST, [from, at]),
    tx.rows(TEXTED_OFFER, [from, at]),
    findOrCreateContactByNumber(tx, from),
    tx.prepared.rows(TEXT_ID, []),
  ]);
  if (!facts || !drawn) throw notFound('organization');
  const conversation = { questions, list, at };
  const said = await narrowToQuoted(tx, { from, body }, { conversation, offer });
  return { id: drawn.id, facts, contact, wasAsked: isAsked(conversation), ...said };
}

/** The text in the inbox of the call group of the number that it came to. */
const toInboxEntry = ({ id, patientId, fromNumber: number }: SmsMessage, contact: NumberContact | null, chatId: number | null) => ({
  subject: { type: 'text', id },
  contactId: contact?.id ?? null,
  patientId,
  chatId,
  number,
});

/**
 * The kind of a text for people: one that no machine has handled, or not for sure, a No, and a Yes. Null for all others. A CANCEL that
 * ended texts may have been meant for the visit.
 */
function findInboxKind(keyword: ConsentReading | null, decision: AnswerDecision, { cancels }: InboundAnswer): InboxKind | null {
  if (keyword?.sure && !(cancels && keyword.keyword === 'stop')) return null;
  if (keyword !== null) return keyword.keyword === 'stop' ? 'revoked' : 'text';
  if (decision.kind === 'none' || cancels) return 'text';
  if (decision.kind !== 'answer') return null;
  return decision.answer === 'No' ? 'declined' : 'accepted';
}

interface Sender {
  contact: NumberContact | null;
  asked: number | null;
  isAnswer: boolean;
  lastAddressed: number | null;
}

/**
 * The patient whose text it is: whom the practice asked, else who has the number. A number that a patient with a restricted chart
 * shares is that patient's, unless the text answers a question to somebody else, or somebody else who has the number was the last to
 * be written to, less than a day ago.
 */
function findSender({ contact, asked, isAnswer, lastAddressed }: Sender): number | null {
  if (!contact?.restricted) return asked ?? contact?.patientId ?? null;
  return asked !== null && isAnswer ? asked : (lastAddressed ?? contact.patientId);
}
