import { readAnswers, readQuestions } from '../../src/domain/messaging/check-ins/surveys.ts';
import { findMissedCheckIns } from '../../src/domain/monitoring/alerts/missed-check-ins.ts';
import { type NewAlert, storeAlerts } from '../../src/domain/monitoring/alerts/new-alerts.ts';
import { alertsOfAnswers, alertsOfReadings } from '../../src/domain/monitoring/alerts/raise-alerts.ts';
import { readTargets } from '../../src/domain/monitoring/targets.ts';
import { inPractice } from '../../src/domain/tx.ts';
import { cycle } from './random.ts';
import type { Seeding } from './seeding.ts';

/** Readings that are looked at: those of the last days. */
const READINGS = 200;
/** Alerts of values in each practice. */
const VALUES = 12;
/** Alerts of urgent symptoms in each practice. */
const SYMPTOMS = 4;
/** Missed check-ins that may be stored: all, so that a start of the demo raises none of them. */
const MISSED = 1_000;

/** The care teams are as old as the programs. */
const FOUNDED = new Date('2020-01-01T00:00:00Z');

/**
 * Alerts in each state: of the newest values outside of their targets, of urgent symptoms, and of
 * check-ins that nobody answered. Their escalation is over, so that a start of the demo notifies nobody.
 */
export async function seedAlerts(seeding: Seeding): Promise<void> {
  const { tx, organizationId } = seeding;
  await tx.programMember.updateMany({ where: { organizationId }, data: { addedAt: FOUNDED } });
  const readings = await tx.reading.findMany({
    where: { organizationId },
    orderBy: [{ measuredAt: 'desc' }, { id: 'desc' }],
    take: READINGS,
  });
  const targets = await readTargets(
    inPractice(tx, seeding.organizationId),
    readings.map(({ patientId, itemId, measuredAt: at }) => ({ patientId, itemId, at })),
  );
  const measured = readings.map(({ value, ...reading }, index) => ({
    ...reading,
    value: value.toNumber(),
    target: targets[index] ?? null,
  }));
  await storeAlerts(inPractice(tx, seeding.organizationId), alertsOfReadings(measured).slice(0, VALUES));
  await storeAlerts(inPractice(tx, seeding.organizationId), (await symptoms(seeding)).slice(0, SYMPTOMS));
  await storeAlerts(inPractice(tx, seeding.organizationId), await findMissedCheckIns(inPractice(tx, seeding.organizationId), MISSED));
  await progress(seeding);
}

/** Of the newest answers. */
async function symptoms({ tx, organizationId }: Seeding): Promise<NewAlert[]> {
  const checkIns = await tx.checkIn.findMany({
    where: { organizationId, answeredAt: { not: null } },
    orderBy: [{ answeredAt: 'desc' }, { id: 'desc' }],
    take: READINGS,
    select: { id: true, patientId: true, answers: true, answeredAt: true, sentAt: true, survey: { select: { questions: true } } },
  });
  return checkIns.flatMap(({ id: checkInId, patientId, answeredAt, sentAt, survey, answers: stored }) => {
    const questions = readQuestions(survey?.questions);
    const answered = readAnswers(survey?.questions, stored).flatMap(({ question, answer }) =>
      answer === null ? [] : [[question.key, answer]],
    );
    return alertsOfAnswers({ checkInId, patientId, questions, answers: Object.fromEntries(answered), answeredAt: answeredAt ?? sentAt });
  });
}

/** The newest stay open; older ones are acknowledged, the oldest closed. */
async function progress({ tx, organizationId, staff, now }: Seeding): Promise<void> {
  const userId = cycle(staff, 0).id;
  await tx.$executeRaw`
    WITH ranked AS (
      SELECT id, row_number() OVER (PARTITION BY kind ORDER BY occurred_at DESC, id DESC) AS place
        FROM monitoring_alert WHERE organization_id = ${organizationId}
    ), timed AS (
      SELECT r.id, least(a.occurred_at + interval '20 minutes', ${now}) AS acknowledged_at, r.place > 4 AS acknowledged, r.place > 8 AS closed
        FROM ranked r JOIN monitoring_alert a ON a.organization_id = ${organizationId} AND a.id = r.id
    )
    UPDATE monitoring_alert a
       SET raised_at = a.occurred_at, announced = true, escalate_at = NULL, patient_text_due = false,
           patient_text_reason = CASE WHEN a.kind = 'danger_value' THEN 'measured_earlier' END,
           state = CASE WHEN t.closed THEN 'closed' WHEN t.acknowledged THEN 'acknowledged' ELSE 'open' END,
           acknowledged_at = CASE WHEN t.acknowledged THEN t.acknowledged_at END,
           acknowledged_by_user_id = CASE WHEN t.acknowledged THEN ${userId}::int END,
           acknowledged_note = CASE WHEN t.acknowledged THEN 'I call the patient.' END,
           closed_at = CASE WHEN t.closed THEN t.acknowledged_at END,
           closed_by_user_id = CASE WHEN t.closed THEN ${userId}::int END,
           closed_note = CASE WHEN t.closed THEN 'Spoke with the patient, who is well. Measures again tomorrow.' END
      FROM timed t
     WHERE a.organization_id = ${organizationId} AND a.id = t.id`;
}
