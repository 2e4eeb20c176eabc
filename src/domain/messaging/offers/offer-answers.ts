import { NONE } from '../../../database/statements/no-id.ts';
import { statement } from '../../../database/statements/statement.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { Failure } from '../../errors.ts';
import type { NewEvent } from '../../journal.ts';
import { joinGuardian, patientHasNumber, selectReached } from '../../patients/guardians/reached.sql.ts';
import { acceptOffer, endOffer, isOpen, type SlotOffer } from '../../scheduling/patient-booking/offers.ts';
import type { Tx } from '../../tx.ts';
import type { Reaction } from '../../unit-of-work/unit-of-work.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import { readAnswer, type YesOrNo } from '../answers/answers.ts';
import { findLabels } from '../confirmations/appointment-labels.ts';
import { mayReply } from '../confirmations/confirmation-answers.ts';
import { STORE_ANSWER } from '../confirmations/confirmation-questions.sql.ts';
import { endOnce, REPLY_WORDS } from '../confirmations/confirmation-replies.ts';
import type { NamedAppointment } from '../queue/named-appointments.ts';
import { findTextFacts, insertText } from '../queue/queued-texts.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';

export interface TextedOffer extends Pick<SlotOffer, 'id' | 'patientId' | 'state' | 'expiresAt'> {
  languageCode: string | null;
  nameToGuardian: string | null;
  textId: number;
  askedAt: Date;
}

/**
 * The latest offer of the last day that went out to a number before somebody wrote from it. Values: organization, number, the moment at which they
 * wrote.
 */
export const TEXTED_OFFER = statement<TextedOffer>(
  'texted_offer',
  `SELECT o.id, o.patient_id AS "patientId", o.state, o.expires_at AS "expiresAt", ${selectReached('language_code')} AS "languageCode",
          CASE WHEN $2::text IN (w.mobile_phone, w.home_phone) THEN coalesce(p.preferred_name, p.first_name, p.last_name, '') END AS "nameToGuardian",
          m.id AS "textId", coalesce(m.attempted_at, m.queued_at) AS "askedAt"
     FROM sms_message m
     JOIN booking_link l ON l.organization_id = $1 AND l.sms_message_id = m.id
     JOIN slot_offer o ON o.organization_id = $1 AND o.link_id = l.id
     JOIN patient p ON p.organization_id = $1 AND p.id = o.patient_id AND p.status <> 'deleted' ${joinGuardian('$1')}
    WHERE m.organization_id = $1 AND m.to_number = $2 AND m.attempts > 0 AND m.state <> 'failed'
      AND coalesce(m.attempted_at, m.queued_at) <= $3::timestamptz AND m.queued_at > $3::timestamptz - interval '1 day' AND (${patientHasNumber('$2')})
    ORDER BY o.id DESC LIMIT 1`,
);

export interface OfferAnswer {
  offer: TextedOffer;
  answer: YesOrNo;
}

/** Reads a text as an answer to the latest offer. What was taken or declined before is answered no more, but for a Yes after a No. */
export function readOfferAnswer(body: string, offer: TextedOffer | undefined, latestQuestionAt: Date | undefined): OfferAnswer | null {
  if (!offer || offer.state === 'accepted' || (latestQuestionAt && latestQuestionAt > offer.askedAt)) return null;
  const read = readAnswer(body, recipientLanguage(offer.languageCode, null).patient);
  const answer = read?.answer ?? null;
  if (answer === null || read?.choice !== null) return null;
  return answer === 'Yes' || offer.state === 'open' ? { offer, answer } : null;
}

/** Books the time that a text says Yes to, or passes it on, and replies once. */
export async function handleOfferAnswer(tx: Tx, text: SmsMessage, { offer, answer }: OfferAnswer): Promise<void> {
  const { id, patientId } = offer;
  const booked = answer === 'Yes' && isOpen(offer) ? await bookUnlessOver(tx, offer, text.queuedAt) : null;
  if (answer === 'No') await endOffer(tx, id, 'declined');
  const number = text.fromNumber ?? '';
  const facts = await findTextFacts(tx, { patientId, to: number, appointmentId: booked ?? NONE });
  if (number === '' || number === text.toNumber || !mayReply(facts, patientId)) return;
  const { own: language } = recipientLanguage(offer.languageCode, facts.practiceLanguage);
  const label = booked === null ? undefined : (await findLabels(tx, [booked], number))(language, []).get(booked);
  const named = label
    ? [{ appointmentId: label.id, patientId, startsAt: label.startsAt, question: 'answered' } satisfies NamedAppointment]
    : [];
  const body = label ? endOnce(REPLY_WORDS[language].noted.Yes(label.now, offer.nameToGuardian)) : OFFER_WORDS[language][answer];
  const about = { patientId, ...(label && { appointmentId: label.id }), named };
  insertText(tx, facts, { to: number, body, language, replyFromNumber: text.toNumber, urgent: true, ...about });
}

/** A patient who takes a time has confirmed it. @returns null where it can be booked no longer */
async function bookUnlessOver(tx: Tx, { id, patientId }: TextedOffer, at: Date): Promise<number | null> {
  try {
    const appointmentId = await acceptOffer(tx, id);
    tx.later(STORE_ANSWER, [[appointmentId], 'Yes', at]);
    recordChange(tx, 'update', { name: 'appointment.confirmed', id: appointmentId, changed: ['confirmation'] }, [patientId]);
    return appointmentId;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

const OFFER_WORDS: InEachLanguage<Record<YesOrNo, string>> = {
  en: {
    Yes: 'That time is no longer free. You stay on our list, and we will write to you when another one is.',
    No: 'Thank you for telling us. You stay on our list, and we will write to you when another time is free.',
  },
  es: {
    Yes: 'Esa hora ya no está libre. Usted sigue en nuestra lista: le escribiremos cuando haya otra.',
    No: 'Gracias por avisarnos. Usted sigue en nuestra lista: le escribiremos cuando haya otra hora libre.',
  },
};

/** The text of an offer that is over does not go out any more. */
export async function withdrawOfferText(tx: Tx, { id }: NewEvent): Promise<void> {
  const offer = await tx.prisma.slotOffer.findUnique({
    where: tx.key(id),
    select: { link: { select: { smsMessageId: true } } },
  });
  if (offer?.link.smsMessageId != null) await withdrawText(tx, offer.link.smsMessageId, 'offer_over');
}

/** An offer that its patient does not get is passed on at once. */
const passOn =
  (message: 'smsMessageId' | 'mailMessageId'): Reaction =>
  async (tx: Tx, { id }: NewEvent) => {
    const offer = await tx.prisma.slotOffer.findFirst({
      where: { ...tx.practice, state: 'open', link: { [message]: id } },
      select: { id: true },
    });
    if (offer) await endOffer(tx, offer.id, 'withdrawn');
  };
export const passOnUntexted = passOn('smsMessageId');
export const passOnUnmailed = passOn('mailMessageId');
