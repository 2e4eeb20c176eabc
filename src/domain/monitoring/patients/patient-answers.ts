import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { type AnswerResult, answerCheckIn, type StoredAnswers } from '../../messaging/check-ins/check-in-page.ts';
import type { Tx } from '../../tx.ts';
import { closeMissedCheckIn } from '../alerts/missed-check-ins.ts';
import { alertsOfAnswers, raiseAlerts } from '../alerts/raise-alerts.ts';
import { type NewReading, storeReadings } from '../readings/readings.ts';
import { judgeSeverity, readTargets } from '../targets.ts';

/** Result of submitted answers. `isUrgent`: what could not be stored has a danger value or an urgent symptom. */
export type ReceivedAnswers = AnswerResult & { isUrgent: boolean };

/**
 * Stores a patient's answers, as answerCheckIn, and the measured values as readings. Values outside of their targets and urgent symptoms
 * alert the patient's care team; the alert of a check-in that was missed is closed. Of answers that cannot be stored, because others are
 * or because one of them is wrong, danger values and urgent symptoms alert too.
 * @param sent form values by question key
 * @returns null for an unknown link
 */
export async function receiveAnswers(
  tx: Tx,
  link: SecretLinkKey,
  sent: Readonly<Record<string, string>>,
  now: Date,
): Promise<ReceivedAnswers | null> {
  const result = await answerCheckIn(tx, link, sent, now);
  if (result === null) return null;
  if (result.outcome !== 'saved') return { ...result, isUrgent: await alertOfUnkept(tx, result, now) };
  if (result.stored === null) return { ...result, isUrgent: false };
  const { id: checkInId, patientId, answers, questions, timeZone, isMissed } = result.stored;
  await storeReadings(tx, toReadings(result.stored, answers, now), timeZone);
  const asked = questions.map(({ question }) => question);
  await raiseAlerts(tx, alertsOfAnswers({ checkInId, patientId, questions: asked, answers, answeredAt: now }));
  if (isMissed) await closeMissedCheckIn(tx, checkInId);
  return { ...result, isUrgent: false };
}

/** The measured values of a check-in, among values by the keys of its questions. */
const toReadings = (
  { id: checkInId, patientId, questions }: StoredAnswers,
  values: Readonly<Record<string, unknown>>,
  measuredAt: Date,
): NewReading[] =>
  questions.flatMap(({ question, item }) => {
    const value = values[question.key];
    if (item === null || typeof value !== 'number') return [];
    return { patientId, itemId: item.id, value, measuredAt, source: 'self', deviceId: null, checkInId, implausible: false };
  });

/**
 * Alerts of urgent symptoms as of any, each question once; danger values are stored as readings of their own. Numbers that no question
 * takes are not stored.
 * @returns whether there is anything urgent
 */
async function alertOfUnkept(tx: Tx, refused: AnswerResult & { outcome: 'invalid' | 'closed' }, now: Date): Promise<boolean> {
  const { unkept, visit } = refused;
  if (visit.state === 'over') return false;
  const { id: checkInId, patientId, answers, questions, outside, timeZone } = unkept;
  const asked = questions.map(({ question }) => question);
  const symptoms = alertsOfAnswers({ checkInId, patientId, questions: asked, answers, answeredAt: now });
  await raiseAlerts(tx, symptoms);
  const dangers = await dangersAmong(tx, toReadings(unkept, { ...answers, ...outside }, now));
  const stored = visit.state === 'answered' ? visit.answers : [];
  const isNew = ([key, value]: [string, unknown]) => stored.every(({ question, answer }) => question.key !== key || answer !== value);
  const news = toReadings(unkept, Object.fromEntries(Object.entries(answers).filter(isNew)), now);
  // Of a form that is sent again within the minute a value is stored once.
  const minute = new Date(Math.floor(now.getTime() / 60_000) * 60_000);
  const kept = dangers.filter((danger) => news.some(({ itemId, value }) => itemId === danger.itemId && value === danger.value));
  await storeReadings(
    tx,
    kept.map((reading) => ({ ...reading, checkInId: null, measuredAt: minute })),
    timeZone,
  );
  return symptoms.length > 0 || dangers.length > 0;
}

async function dangersAmong(tx: Tx, readings: readonly NewReading[]): Promise<NewReading[]> {
  const targets = await readTargets(
    tx,
    readings.map(({ patientId, itemId, measuredAt: at }) => ({ patientId, itemId, at })),
  );
  return readings.filter(({ value }, index) => {
    const target = targets[index] ?? null;
    return target !== null && judgeSeverity(target, value) === 'danger';
  });
}
