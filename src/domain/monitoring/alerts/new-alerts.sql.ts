import { statement } from '../../../database/statements/statement.ts';

/** From the least grave to the gravest. */
export const SEVERITIES = ['watch', 'urgent', 'danger'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Hours after its measurement for which a danger value is new enough to tell the patient by text what to do. */
export const FRESH_HOURS = 2;

/** Minutes until the alert of a patient in no program escalates. */
export const ESCALATION_MINUTES = 15;

export interface RaisedRow {
  id: number;
  patientId: number;
  severity: Severity;
  /** Its place among the severities, from 1. */
  gravity: number;
  /** People are to be notified of it. False where they were notified of another one of this patient and item that is open. */
  announced: boolean;
}

/** Stores the alerts that are not there yet. Values: organization, alerts as JSON. */
export const STORE_ALERTS = statement<RaisedRow>(
  'store_alerts',
  `WITH found AS MATERIALIZED (
     SELECT p.id, n.kind, n.severity, n.gravity, coalesce(g.ids, '{}') AS program_ids, n.reading_id, n.check_in_id, n.item_id,
            n.question_key, n.question, n.answer, n.value, n.min_target, n.max_target, n.danger_min, n.danger_max, n.target_source,
            coalesce(n.target_condition_ids, '{}') AS target_condition_ids, n.occurred_at, n.announced,
            CASE WHEN n.announced AND NOT p.restricted THEN now() + make_interval(mins => coalesce(g.minutes, ${ESCALATION_MINUTES})) END AS escalate_at,
            n.kind = 'danger_value' AND n.is_fresh AS patient_text_due,
            CASE WHEN n.kind = 'danger_value' AND NOT n.is_fresh THEN 'measured_earlier' END AS patient_text_reason
       FROM (SELECT a.*, a.occurred_at > now() - make_interval(hours => ${FRESH_HOURS}) AS is_fresh,
                    a.kind <> 'out_of_target' OR (
                      row_number() OVER (PARTITION BY a.kind, a.patient_id, a.item_id ORDER BY a.occurred_at, a.reading_id) = 1
                      AND NOT EXISTS (
                        SELECT FROM monitoring_alert o
                         WHERE o.organization_id = $1 AND o.patient_id = a.patient_id AND o.item_id = a.item_id
                           AND o.kind = 'out_of_target' AND o.state = 'open' AND o.announced)) AS announced
               FROM jsonb_to_recordset($2::jsonb) AS a (
                    patient_id int, kind text, severity text, gravity int, reading_id bigint, check_in_id bigint, item_id int,
                    question_key text, question text, answer text, value numeric, min_target numeric, max_target numeric,
                    danger_min numeric, danger_max numeric, target_source text, target_condition_ids int[], occurred_at timestamptz)) AS n
       JOIN patient p ON p.organization_id = $1 AND p.id = n.patient_id
      CROSS JOIN LATERAL (
        SELECT array_agg(g.id ORDER BY g.id) AS ids, min(g.alert_escalation_minutes) AS minutes
          FROM program g
         WHERE g.organization_id = $1
           AND g.id IN (SELECT e.program_id FROM program_patient e
                         WHERE e.organization_id = $1 AND e.patient_id = p.id AND e.removed_at IS NULL)) AS g
   )
   INSERT INTO monitoring_alert (organization_id, patient_id, kind, severity, gravity, program_ids, reading_id, check_in_id, item_id,
          question_key, question, answer, value, min_target, max_target, danger_min, danger_max, target_source, target_condition_ids,
          occurred_at, announced, escalate_at, patient_text_due, patient_text_reason)
   SELECT $1::int, found.* FROM found
       ON CONFLICT DO NOTHING
   RETURNING id, patient_id AS "patientId", severity, gravity, announced`,
);

/** The number of locks that the patients of an organization share, so that alerts of a thousand patients take few. */
const LOCKS = 64;

/** Values: organization, patients. */
export const LOCK_ALERTS = statement<never>(
  'lock_alerts',
  `SELECT pg_advisory_xact_lock(l.key)::text
     FROM (SELECT DISTINCT hashtextextended(concat_ws(' ', 'monitoring alerts', $1::int, p.id % ${LOCKS}), 0) AS key
             FROM unnest($2::int[]) AS p (id) ORDER BY key) AS l`,
);
