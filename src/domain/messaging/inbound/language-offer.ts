import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { isInSpanish, readAnswer } from '../answers/answers.ts';
import { findTextFacts, insertText } from '../queue/queued-texts.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { LANGUAGE_FACTS, NOTE_OFFER, SET_LANGUAGE } from './language-offer.sql.ts';

const SPANISH = 'spa';

/**
 * Asks a patient whose chart names no language, and who answers in Spanish, once whether to go on in Spanish. A yes that follows sets the
 * language. Whoever says No to a visit is not asked then.
 */
export async function followLanguage(db: Db, caller: Caller, { patientId, fromNumber, toNumber, body }: SmsMessage): Promise<void> {
  if (patientId === null || !fromNumber || fromNumber === toNumber) return;
  const inSpanish = isInSpanish(body);
  const answer = readAnswer(body)?.answer;
  if (!inSpanish && answer !== 'Yes') return;
  const { organizationId } = caller;
  const [chart] = await preparedIn(db).rows(LANGUAGE_FACTS, [organizationId, patientId, fromNumber]);
  if (!chart || chart.languageCode !== null) return;
  if (chart.offerId !== null) {
    if (chart.latestId !== chart.offerId) return;
    sendLater(db, SET_LANGUAGE, [organizationId, patientId, SPANISH]);
    recordChange(caller, 'update', { name: 'patient.updated', id: patientId, changed: ['languageCode'] });
  } else if (inSpanish && answer !== 'No') {
    // After a No, a yes to the offer would be read as one to the visit.
    await offerSpanish(db, caller, { patientId, to: fromNumber, from: toNumber });
  }
}

async function offerSpanish(
  db: Db,
  caller: Caller,
  { patientId, to, from }: { patientId: number; to: string; from: string },
): Promise<void> {
  const facts = await findTextFacts(db, caller, { patientId, to });
  if (recipientLanguage(facts.patientLanguage, facts.practiceLanguage).own === 'es') return;
  const body = `${facts.practice}: ¿Quiere que le escribamos en español? Responda SÍ.`;
  const { id } = insertText(db, caller, facts, { patientId, to, body, language: 'es', replyFromNumber: from });
  sendLater(db, NOTE_OFFER, [caller.organizationId, patientId, id]);
}
