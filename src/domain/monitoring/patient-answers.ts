import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { type AnswerResult, answerCheckIn, type StoredAnswers } from '../messaging/check-ins/check-in-page.ts';
import type { SecretLinkKey } from '../security/secret-links.ts';
import { closeMissedCheckIn } from './alerts/alert-actions.ts';
import { raiseAlertsOfAnswers } from './alerts/raise-alerts.ts';
import { type NewReading, storeReadings } from './readings.ts';

/**
 * Stores a patient's answers, as answerCheckIn, and the measured values as readings. Values outside of their targets and urgent symptoms
 * alert the patient's care team; the alert of a check-in that was missed is closed.
 * @param sent form values by question key
 * @returns null for an unknown link
 */
export async function receiveAnswers(
  db: Db,
  caller: Caller,
  link: SecretLinkKey,
  sent: Readonly<Record<string, string>>,
  now: Date,
): Promise<AnswerResult | null> {
  const result = await answerCheckIn(db, caller, link, sent, now);
  if (result?.outcome !== 'saved' || result.stored === null) return result;
  const { id: checkInId, patientId, answers, questions } = result.stored;
  await storeReadings(db, caller, readingsOf(result.stored, now));
  const asked = questions.map(({ question }) => question);
  await raiseAlertsOfAnswers(db, caller, { checkInId, patientId, questions: asked, answers, answeredAt: now });
  await closeMissedCheckIn(db, caller, checkInId);
  return result;
}

/** The measured values of a check-in. */
const readingsOf = ({ id: checkInId, patientId, answers, questions }: StoredAnswers, measuredAt: Date): NewReading[] =>
  questions.flatMap(({ question, item }) => {
    const value = answers[question.key];
    if (item === null || typeof value !== 'number') return [];
    return { patientId, itemId: item.id, value, measuredAt, source: 'self', deviceId: null, checkInId };
  });
