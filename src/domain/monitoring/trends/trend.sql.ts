import { type Statement, statement } from '../../../database/statements/statement.ts';
import { soundReading } from '../readings/readings.sql.ts';

/** A reading; `at` in milliseconds since 1970. */
export interface PlainReadingRow {
  id: number;
  at: number;
  value: number;
  source: string;
  /** Make and model, else the identifier. */
  device: string | null;
}

const OF_ITEM = `r.organization_id = $1 AND r.patient_id = $2 AND r.item_id = $3 AND r.measured_at >= $4::timestamptz AND r.measured_at < $5::timestamptz AND ${soundReading('r')}`;

/** The first readings of an item in a range of time. Values: organization, patient, item, start, end, the largest number. */
export const PLAIN_READINGS: Statement<PlainReadingRow> = statement(
  'trend_plain_readings',
  `SELECT r.id, (extract(epoch FROM r.measured_at) * 1000)::float8 AS at, r.value::float8 AS value, r.source,
          coalesce(nullif(concat_ws(' ', d.make, d.model), ''), d.identifier) AS device
     FROM reading r LEFT JOIN monitoring_device d ON d.organization_id = r.organization_id AND d.id = r.device_id
    WHERE ${OF_ITEM} ORDER BY r.measured_at, r.id LIMIT $6::int`,
);

/** The readings of a step of time under one target. */
export interface StepReadingRow {
  /** Number of the step, from 1 on. */
  step: number;
  /** Number of the target, from 1 on. */
  span: number;
  count: number;
  lowest: number;
  highest: number;
  sum: number;
  out_of_target: number;
  danger: number;
  /** Null for several sources. */
  source: string | null;
}

const IS_DANGER = 'r.value <= s.danger_min OR r.value >= s.danger_max';

/**
 * The readings of an item by steps of time and by targets, compared as judgeSeverity does. Values: organization, patient, item, start, end,
 * the instants at which steps begin; and of the targets the starts, the ends, and their limits min, max, danger_min and danger_max.
 */
export const STEP_READINGS: Statement<StepReadingRow> = statement(
  'trend_step_readings',
  `SELECT width_bucket(r.measured_at, $6::timestamptz[]) AS step, s.n::int AS span, count(*)::int AS count,
          min(r.value)::float8 AS lowest, max(r.value)::float8 AS highest, sum(r.value)::float8 AS sum,
          (count(*) FILTER (WHERE r.value < s.min OR r.value > s.max OR ${IS_DANGER}))::int AS out_of_target,
          (count(*) FILTER (WHERE ${IS_DANGER}))::int AS danger,
          CASE WHEN min(r.source) = max(r.source) THEN min(r.source) END AS source
     FROM reading r
     JOIN unnest($7::timestamptz[], $8::timestamptz[], $9::numeric[], $10::numeric[], $11::numeric[], $12::numeric[])
          WITH ORDINALITY AS s (since, until, min, max, danger_min, danger_max, n)
       ON r.measured_at >= s.since AND r.measured_at < s.until
    WHERE ${OF_ITEM}
    GROUP BY 1, 2 ORDER BY 1, 2`,
);

/** The instants within a range at which a target of a patient's item may change. Values: organization, patient, item, start, end. */
export const TARGET_CHANGES: Statement<{ at: Date }> = statement(
  'trend_target_changes',
  `SELECT DISTINCT e.at
     FROM tracked_condition t
     JOIN tracked_condition_item s ON s.organization_id = t.organization_id AND s.tracked_condition_id = t.id
    CROSS JOIN LATERAL unnest(ARRAY[t.created_at, t.ended_at, s.since, s.until]) AS e (at)
    WHERE t.organization_id = $1 AND t.patient_id = $2 AND s.item_id = $3 AND e.at > $4::timestamptz AND e.at < $5::timestamptz
    ORDER BY e.at`,
);
