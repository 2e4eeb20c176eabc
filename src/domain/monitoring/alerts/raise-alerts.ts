import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import { type Answers, isUrgentAnswer, type Question } from '../../messaging/check-ins/surveys.ts';
import { addAlertEntries } from '../../messaging/inbox/alert-entries.ts';
import { findMainGroup } from '../../messaging/inbox/inbox.ts';
import { readTargets, severityOf } from '../targets.ts';
import { lockAlertsOf, type NewAlert, type RaisedAlert, storeAlerts } from './new-alerts.ts';
import { ALERT, notifyTeams } from './notify-teams.ts';

/** A reading that is stored now. */
export interface MeasuredReading {
  id: number;
  patientId: number;
  itemId: number;
  value: number;
  measuredAt: Date;
  checkInId: number | null;
}

/**
 * Alerts of readings that are outside of their targets at the time of their measurement, and of danger values. The number of statements
 * does not grow with the readings.
 */
export async function raiseAlertsOfReadings(db: Db, caller: Caller, readings: readonly MeasuredReading[]): Promise<void> {
  await raiseAlerts(db, caller, await alertsOfReadings(db, caller, readings));
}

/** The alerts of readings, not stored yet. */
export async function alertsOfReadings(
  db: Db,
  caller: Pick<Caller, 'organizationId'>,
  readings: readonly MeasuredReading[],
): Promise<NewAlert[]> {
  const measurements = readings.map(({ patientId, itemId, measuredAt }) => ({ patientId, itemId, at: measuredAt }));
  const targets = await readTargets(db, caller, measurements);
  return readings.flatMap((reading, index): NewAlert[] => {
    const target = targets[index] ?? null;
    const severity = target && severityOf(target, reading.value);
    if (target === null || severity === null) return [];
    const { id: readingId, patientId, itemId, value, measuredAt: occurredAt, checkInId } = reading;
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

/** Alerts of the answers that their survey marks as urgent. */
export async function raiseAlertsOfAnswers(db: Db, caller: Caller, submitted: SubmittedAnswers): Promise<void> {
  await raiseAlerts(db, caller, alertsOfAnswers(submitted));
}

/** The alerts of answers, not stored yet. */
export function alertsOfAnswers({ checkInId, patientId, questions, answers, answeredAt: occurredAt }: SubmittedAnswers): NewAlert[] {
  return questions.flatMap((question): NewAlert[] => {
    const given = Object.hasOwn(answers, question.key) ? answers[question.key] : undefined;
    if (given === undefined || !isUrgentAnswer(question, given)) return [];
    const answer = typeof given === 'boolean' ? (given ? 'yes' : 'no') : String(given);
    return [{ kind: 'urgent_symptom', checkInId, patientId, occurredAt, questionKey: question.key, question: question.text, answer }];
  });
}

/** Stores alerts, puts them into the inbox and notifies the care teams of their patients, each alert once. */
export async function raiseAlerts(db: Db, caller: Caller, alerts: readonly NewAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await lockAlertsOf(
    db,
    caller,
    alerts.map(({ patientId }) => patientId),
  );
  const raised = await storeAlerts(db, caller, alerts);
  if (raised.length === 0) return;
  recordRaised(caller, raised);
  await addAlertEntries(db, caller, raised, await findMainGroup(db, caller));
  await notifyTeams(
    db,
    caller,
    raised.filter(({ announced, restricted }) => announced && !restricted),
  );
}

/** An event for each alert, and one audit row for all. */
function recordRaised({ journal }: Caller, raised: readonly RaisedAlert[]): void {
  const patientIds = [...new Set(raised.map(({ patientId }) => patientId))];
  journal.events.push(...raised.map(({ id }) => ({ name: 'monitoring_alert.opened' as const, id })));
  journal.audits.push({ action: 'create', resource: ALERT, ids: raised.map(({ id }) => id), patientIds });
}
