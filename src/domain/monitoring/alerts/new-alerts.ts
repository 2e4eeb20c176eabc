import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { AppliedTarget } from '../targets.ts';

export type AlertKind = 'out_of_target' | 'danger_value' | 'missed_check_in' | 'urgent_symptom';

/** From the least grave to the gravest. */
export const SEVERITIES = ['watch', 'urgent', 'danger'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Hours after its measurement for which a danger value is new enough to tell the patient by text what to do. */
export const FRESH_HOURS = 2;

/** Minutes until the alert of a patient in no program escalates. */
export const ESCALATION_MINUTES = 15;

/** Something that the care team of a patient is notified of. */
interface AlertSubject {
  patientId: number;
  /** When it was measured or answered, or should have been. */
  occurredAt: Date;
}

export type NewAlert = AlertSubject &
  (
    | {
        kind: 'out_of_target' | 'danger_value';
        readingId: number;
        checkInId: number | null;
        itemId: number;
        value: number;
        /** As it was applied. */
        target: AppliedTarget;
      }
    | { kind: 'urgent_symptom'; checkInId: number; questionKey: string; question: string; answer: string }
    | { kind: 'missed_check_in'; checkInId: number }
  );

/** An alert that is stored now. */
export interface RaisedAlert {
  id: number;
  patientId: number;
  severity: Severity;
  /** People are to be notified of it. False where they were notified of another one of this patient and item that is open. */
  announced: boolean;
  /** The chart is restricted or blocked. */
  restricted: boolean;
}

const SEVERITY_OF: Record<AlertKind, Severity> = {
  out_of_target: 'watch',
  missed_check_in: 'watch',
  urgent_symptom: 'urgent',
  danger_value: 'danger',
};

/** The row of an alert, by the names of its columns. */
function rowOf(alert: NewAlert) {
  const severity = SEVERITY_OF[alert.kind];
  const { kind, patientId: patient_id, occurredAt: occurred_at } = alert;
  const row = { kind, patient_id, occurred_at, severity, gravity: SEVERITIES.indexOf(severity) + 1, check_in_id: alert.checkInId };
  if (alert.kind === 'missed_check_in') return row;
  if (alert.kind === 'urgent_symptom') {
    const { questionKey: question_key, question, answer } = alert;
    return { ...row, question_key, question, answer };
  }
  const { readingId: reading_id, itemId: item_id, value, target } = alert;
  const { min: min_target, max: max_target, dangerMin: danger_min, dangerMax: danger_max, source: target_source } = target;
  const limits = { min_target, max_target, danger_min, danger_max, target_source, target_condition_ids: target.conditionIds };
  return { ...row, reading_id, item_id, value, ...limits };
}

/**
 * Stores alerts, each once: of a reading, of an answer and of a missed check-in there is one.
 * @returns those that were not there before, the gravest first
 */
export async function storeAlerts(
  db: Db,
  { organizationId }: Pick<Caller, 'organizationId'>,
  alerts: readonly NewAlert[],
): Promise<RaisedAlert[]> {
  const raised = await db.$queryRaw<(Omit<RaisedAlert, 'restricted'> & { gravity: number })[]>`
    WITH found AS MATERIALIZED (
      SELECT p.id, n.kind, n.severity, n.gravity, coalesce(g.ids, '{}') AS program_ids, n.reading_id, n.check_in_id, n.item_id,
             n.question_key, n.question, n.answer, n.value, n.min_target, n.max_target, n.danger_min, n.danger_max, n.target_source,
             coalesce(n.target_condition_ids, '{}') AS target_condition_ids, n.occurred_at, n.announced,
             CASE WHEN n.announced AND NOT p.restricted THEN now() + make_interval(mins => coalesce(g.minutes, ${ESCALATION_MINUTES}::int)) END AS escalate_at,
             n.kind = 'danger_value' AND n.is_fresh AS patient_text_due,
             CASE WHEN n.kind = 'danger_value' AND NOT n.is_fresh THEN 'measured_earlier' END AS patient_text_reason
        FROM (SELECT a.*, a.occurred_at > now() - make_interval(hours => ${FRESH_HOURS}::int) AS is_fresh,
                     a.kind <> 'out_of_target' OR (
                       row_number() OVER (PARTITION BY a.kind, a.patient_id, a.item_id ORDER BY a.occurred_at, a.reading_id) = 1
                       AND NOT EXISTS (
                         SELECT FROM monitoring_alert o
                          WHERE o.organization_id = ${organizationId} AND o.patient_id = a.patient_id AND o.item_id = a.item_id
                            AND o.kind = 'out_of_target' AND o.state = 'open' AND o.announced)) AS announced
                FROM jsonb_to_recordset(${JSON.stringify(alerts.map(rowOf))}::jsonb) AS a (
                     patient_id int, kind text, severity text, gravity int, reading_id bigint, check_in_id bigint, item_id int,
                     question_key text, question text, answer text, value numeric, min_target numeric, max_target numeric,
                     danger_min numeric, danger_max numeric, target_source text, target_condition_ids int[], occurred_at timestamptz)) AS n
        JOIN patient p ON p.organization_id = ${organizationId} AND p.id = n.patient_id
       CROSS JOIN LATERAL (
         SELECT array_agg(g.id ORDER BY g.id) AS ids, min(g.alert_escalation_minutes) AS minutes
           FROM program g
          WHERE g.organization_id = ${organizationId}
            AND g.id IN (SELECT e.program_id FROM program_patient e
                          WHERE e.organization_id = ${organizationId} AND e.patient_id = p.id AND e.removed_at IS NULL)) AS g
    )
    INSERT INTO monitoring_alert (organization_id, patient_id, kind, severity, gravity, program_ids, reading_id, check_in_id, item_id,
           question_key, question, answer, value, min_target, max_target, danger_min, danger_max, target_source, target_condition_ids,
           occurred_at, announced, escalate_at, patient_text_due, patient_text_reason)
    SELECT ${organizationId}::int, found.* FROM found
        ON CONFLICT DO NOTHING
    RETURNING id, patient_id AS "patientId", severity, gravity, announced`;
  if (raised.length === 0) return [];
  const restricted = await db.patient.findMany({
    where: { organizationId, id: { in: raised.map(({ patientId }) => patientId) }, restricted: true },
    select: { id: true },
  });
  const hidden = new Set(restricted.map(({ id }) => id));
  return raised
    .toSorted((one, other) => other.gravity - one.gravity || one.id - other.id)
    .map(({ gravity: _gravity, ...alert }) => ({ ...alert, restricted: hidden.has(alert.patientId) }));
}

/** Patients of an organization share so many locks: a transaction with alerts of a thousand of them needs no thousand. */
const LOCKS = 64;

/** Alerts of one patient, and texts about them, wait for each other until the transaction ends. */
export async function lockAlertsOf(db: Db, { organizationId }: Caller, patientIds: readonly number[]): Promise<void> {
  await db.$executeRaw`
    SELECT pg_advisory_xact_lock(l.key)
      FROM (SELECT DISTINCT hashtextextended(concat_ws(' ', 'monitoring alerts', ${organizationId}::int, p.id % ${LOCKS}::int), 0) AS key
              FROM unnest(${[...patientIds]}::int[]) AS p (id) ORDER BY key) AS l`;
}
