import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';
import { isInSpanish, readAnswer } from '../answers/answers.ts';
import { findTextFacts, insertText } from '../queue/queued-texts.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { LANGUAGE_FACTS, NOTE_OFFER, SET_LANGUAGE } from './language-offer.sql.ts';

const SPANISH = 'spa';

/**
 * Asks a patient whose chart names no language, and who answers in Spanish, once whether to go on in Spanish. A yes that follows sets the
 * language. Whoever says No to a visit is not asked then.
 */
export async function followLanguage(tx: Tx, { patientId, fromNumber, toNumber, body }: SmsMessage): Promise<void> {
  if (patientId === null || !fromNumber || fromNumber === toNumber) return;
  const inSpanish = isInSpanish(body);
  const answer = readAnswer(body)?.answer;
  if (!inSpanish && answer !== 'Yes') return;
  const [chart] = await tx.rows(LANGUAGE_FACTS, [patientId, fromNumber]);
  if (!chart || chart.languageCode !== null) return;
  if (chart.offerId !== null) {
    if (chart.latestId !== chart.offerId) return;
    tx.later(SET_LANGUAGE, [patientId, SPANISH]);
    recordChange(tx, 'update', { name: 'patient.updated', id: patientId, changed: ['languageCode'] });
  } else if (inSpanish && answer !== 'No') {
    // After a No, a yes to the offer would be read as one to the visit.
    await offerSpanish(tx, { patientId, to: fromNumber, from: toNumber });
  }
}

async function offerSpanish(tx: Tx, { patientId, to, from }: { patientId: number; to: string; from: string }): Promise<void> {
  const facts = await findTextFacts(tx, { patientId, to });
  if (recipientLanguage(facts.patientLanguage, facts.practiceLanguage).own === 'es') return;
  const body = `${facts.practice}: ¿Quiere que le escribamos en español? Responda SÍ.`;
  const { id } = insertText(tx, facts, { patientId, to, body, language: 'es', replyFromNumber: from });
  tx.later(NOTE_OFFER, [patientId, id]);
}
