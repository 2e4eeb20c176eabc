import { statement } from '../../../database/statements/statement.ts';
import type { Tx } from '../../tx.ts';
import { foldWords } from '../../values/same-text.ts';
import type { Conversation } from '../answers/answer-decision.ts';
import { readAnswer } from '../answers/answers.ts';
import { type Quoting, readQuoting } from '../answers/own-words.ts';
import type { TextedOffer } from '../offers/offer-answers.ts';

/** The latest texts that went out to a number before somebody wrote from it, newest first. Values: organization, number, the moment at which they wrote. */
const SENT_TEXTS = statement<{ id: number; body: string }>(
  'sent_texts',
  `SELECT m.id, m.body FROM sms_message m
    WHERE m.organization_id = $1 AND m.to_number = $2 AND m.direction = 'outbound' AND m.attempts > 0 AND m.state <> 'failed'
      AND coalesce(m.attempted_at, m.queued_at) <= $3::timestamptz
    ORDER BY coalesce(m.attempted_at, m.queued_at) DESC, m.id DESC LIMIT 200`,
);

/** The questions of a text. Values: organization, text. */
const ASKED_BY = statement<{ appointmentId: number; patientId: number | null; startsAt: Date | null }>(
  'asked_by',
  `SELECT appointment_id AS "appointmentId", patient_id AS "patientId", starts_at AS "startsAt" FROM text_appointment
    WHERE organization_id = $1 AND sms_message_id = $2 AND question IS NOT NULL`,
);

/** Words of a text, and what they may answer. */
export interface Said {
  said: string;
  conversation: Conversation;
  offer: TextedOffer | undefined;
}

/**
 * Narrows what a text may answer: a reaction, and words above a quote, answer only what the quoted text asked, while the latest question
 * about that visit has the same patient and start. A reaction changes no answer. Words above what was never sent to the number are read as any other.
 */
export async function narrowToQuoted(
  tx: Tx,
  { from, body }: { from: string; body: string },
  { conversation, offer }: Omit<Said, 'said'>,
): Promise<Said> {
  const quoting = readQuoting(body);
  if (!quoting) return { said: body, conversation, offer };
  const { said } = quoting;
  const quoted = findQuoted(quoting, await tx.rows(SENT_TEXTS, [from, conversation.at]));
  const isSign = !/[\p{L}\p{N}]/u.test(said);
  if (!quoted) return isSign ? { said: '', conversation, offer } : { said, conversation, offer };
  const asked = await tx.rows(ASKED_BY, [quoted.id]);
  const answer = readAnswer(said)?.answer;
  const questions = conversation.questions.filter(
    ({ appointmentId, patientId, toldStart, answered, confirmation }) =>
      asked.some(
        (one) => one.appointmentId === appointmentId && one.patientId === patientId && one.startsAt?.getTime() === toldStart?.getTime(),
      ) && !(isSign && answered && confirmation !== answer),
  );
  return { said, conversation: { ...conversation, questions }, offer: offer?.textId === quoted.id ? offer : undefined };
}

/** The latest text with the words of a quote. Null for none, and for the beginning of several different ones. */
function findQuoted({ quote, isCut }: Quoting, sent: readonly { id: number; body: string }[]): { id: number } | null {
  const words = foldWords(quote);
  const isQuoted = ({ body }: { body: string }) => {
    const [first = '', ...others] = body.split(/\{\{(?:url|code)\}\}/).map(foldWords);
    if (others.length === 0) return first === words;
    return words.startsWith(first) && words.endsWith(others.at(-1) ?? '');
  };
  const whole = words === '' ? undefined : sent.find(isQuoted);
  if (whole || !isCut || words === '') return whole ?? null;
  const begun = sent.filter(({ body }) => foldWords(body).startsWith(words));
  return new Set(begun.map(({ body }) => body)).size === 1 ? (begun[0] ?? null) : null;
}
