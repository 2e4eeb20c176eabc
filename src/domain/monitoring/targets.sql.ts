import { statement } from '../../database/statements/statement.ts';

/** The limits of one item for one patient at one time. */
export interface TargetRow {
  /** Null where the end is open, as of the other three. */
  min: number | null;
  max: number | null;
  /** A value at or below it is a danger. */
  dangerMin: number | null;
  /** A value at or above it is a danger. */
  dangerMax: number | null;
  /** The tracked conditions that set limits of this item at the time, by id. */
  conditionIds: number[];
}

/** The limits of measurements, in their order. Values: organization, patients, items, times. */
export const TARGETS = statement<TargetRow>(
  'targets',
  `SELECT (CASE WHEN own.ids IS NULL THEN i.min_target ELSE own.min END)::float8 AS min,
          (CASE WHEN own.ids IS NULL THEN i.max_target ELSE own.max END)::float8 AS max,
          coalesce(own.danger_min, i.danger_min)::float8 AS "dangerMin",
          coalesce(own.danger_max, i.danger_max)::float8 AS "dangerMax",
          coalesce(own.ids, '{}') AS "conditionIds"
     FROM unnest($2::int[], $3::int[], $4::timestamptz[]) WITH ORDINALITY AS m (patient_id, item_id, at, n)
     LEFT JOIN item i ON i.organization_id = $1 AND i.id = m.item_id
    CROSS JOIN LATERAL (
      SELECT max(s.min_target) AS min, min(s.max_target) AS max, max(s.danger_min) AS danger_min, min(s.danger_max) AS danger_max,
             array_agg(DISTINCT t.id ORDER BY t.id) AS ids
        FROM tracked_condition t
        JOIN tracked_condition_item s ON s.organization_id = t.organization_id AND s.tracked_condition_id = t.id
       WHERE t.organization_id = $1 AND t.patient_id = m.patient_id AND s.item_id = m.item_id
         AND t.created_at <= m.at AND (t.ended_at IS NULL OR t.ended_at > m.at)
         AND (s.since IS NULL OR s.since <= m.at) AND (s.until IS NULL OR s.until > m.at)
         AND num_nonnulls(s.min_target, s.max_target, s.danger_min, s.danger_max) > 0) AS own
    ORDER BY m.n`,
);
