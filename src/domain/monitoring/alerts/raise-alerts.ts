import type { Reading } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { type Answers, isUrgentAnswer, type Question } from '../../messaging/check-ins/surveys.ts';
import { addAlertEntries } from '../../messaging/inbox/alert-entries.ts';
import { findMainGroup } from '../../messaging/inbox/inbox.ts';
import type { Tx } from '../../tx.ts';
import { type AppliedTarget, judgeSeverity } from '../targets.ts';
import { lockPatientAlerts, type NewAlert, type RaisedAlert, storeAlerts } from './new-alerts.ts';
import { ALERT, notifyTeams } from './notify-teams.ts';

/** A reading that is stored now, with the target at the time of its measurement. */
export interface MeasuredReading extends Pick<Reading, 'id' | 'patientId' | 'itemId' | 'measuredAt' | 'checkInId' | 'implausible'> {
  value: number;
  target: AppliedTarget | null;
}

/** The alerts of readings that are outside of their targets, and of danger values; not stored yet. */
export function alertsOfReadings(readings: readonly MeasuredReading[]): NewAlert[] {
  const sound = readings.filter(({ implausible }) => !implausible);
  return sound.flatMap(({ id: readingId, patientId, itemId, value, measuredAt: occurredAt, checkInId, target }): NewAlert[] => {
    const severity = target && judgeSeverity(target, value);
    if (target === null || severity === null) return [];
    const kind = severity === 'danger' ? 'danger_value' : 'out_of_target';
    return [{ kind, readingId, patientId, itemId, value, occurredAt, checkInId, target }];
  });
}

export interface SubmittedAnswers {
  checkInId: number;
  patientId: number;
  questions: readonly Question[];
  answers: Answers;
  answeredAt: Date;
}

/** The alerts of the answers that their survey marks as urgent; not stored yet. */
export function alertsOfAnswers({ checkInId, patientId, questions, answers, answeredAt: occurredAt }: SubmittedAnswers): NewAlert[] {
  return questions.flatMap((question): NewAlert[] => {
    const given = Object.hasOwn(answers, question.key) ? answers[question.key] : undefined;
    if (given === undefined || !isUrgentAnswer(question, given)) return [];
    const answer = typeof given === 'boolean' ? (given ? 'yes' : 'no') : String(given);
    return [{ kind: 'urgent_symptom', checkInId, patientId, occurredAt, questionKey: question.key, question: question.text, answer }];
  });
}

/**
 * Stores alerts, puts them into the inbox and notifies the care teams of their patients, each alert once. The number of statements does
 * not grow with the alerts.
 */
export async function raiseAlerts(tx: Tx, alerts: readonly NewAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  const patientIds = alerts.map(({ patientId }) => patientId);
  const [, raised, chatId] = await Promise.all([lockPatientAlerts(tx, patientIds), storeAlerts(tx, alerts), findMainGroup(tx)]);
  if (raised.length === 0) return;
  recordRaised(tx, raised);
  const entries = raised.map(({ severity, ...alert }) => ({ ...alert, urgent: severity !== 'watch' }));
  await addAlertEntries(tx, entries, chatId);
  await notifyTeams(
    tx,
    raised.filter(({ announced, restricted }) => announced && !restricted),
  );
}

/** An event for each alert, and one audit row for all. */
function recordRaised({ journal }: Caller, raised: readonly RaisedAlert[]): void {
  const patientIds = [...new Set(raised.map(({ patientId }) => patientId))];
  journal.events.push(...raised.map(({ id }) => ({ name: 'monitoring_alert.opened' as const, id })));
  journal.audits.push({ action: 'create', resource: ALERT, ids: raised.map(({ id }) => id), patientIds });
}
