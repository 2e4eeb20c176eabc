import { statement } from '../../database/statements/statement.ts';
import { invalid } from '../errors.ts';
import type { PracticeTx } from '../tx.ts';

/** The limits of one item for one patient at one time. */
interface TargetRow {
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
const TARGETS = statement<TargetRow>(
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

/** Range in which a value should be, and the limits of danger. Both ends are included in the range, and the limits in the danger. */
export type Limits = Omit<TargetRow, 'conditionIds'>;

/** The limits that one value is compared with, and where they come from. */
export interface AppliedTarget extends Limits {
  /** `condition`: at least one limit is that of a tracked condition. `item`: all are those of the item. */
  source: 'condition' | 'item';
  /** The tracked conditions that set limits of this item at the time, by id. */
  conditionIds: number[];
}

export interface Measurement {
  patientId: number;
  itemId: number;
  /** Time of the measurement. */
  at: Date;
}

/** Severity of a value outside of its target. */
export type ValueSeverity = 'watch' | 'danger';

/** Compares a value with its target; null where it is within. A danger limit counts also inside of the range. */
export function judgeSeverity({ min, max, dangerMin, dangerMax }: Limits, value: number): ValueSeverity | null {
  if ((dangerMin !== null && value <= dangerMin) || (dangerMax !== null && value >= dangerMax)) return 'danger';
  return (min !== null && value < min) || (max !== null && value > max) ? 'watch' : null;
}

/** An open lower end, then the values in the order that they must have, then an open upper end. */
const inOrder = (values: readonly (number | null)[]): boolean => {
  const set = values.filter((value) => value !== null);
  return set.every((value, index) => index === 0 || (set[index - 1] ?? value) <= value);
};

/** @throws Failure invalid for limits that are not in the order dangerMin, min, max, dangerMax, or leave no value out of danger */
export function requireLimitsInOrder({ min, max, dangerMin, dangerMax }: Limits, field: string): void {
  if (min !== null && max !== null && min > max)
    throw invalid(field, `must not begin above its end: ${min} is more than ${max}`, 'out_of_order');
  if (!inOrder([dangerMin, min, max, dangerMax]) || (dangerMin !== null && dangerMin === dangerMax))
    throw invalid(field, 'must have its danger limits outside of the target', 'out_of_order');
}

/**
 * The targets of measurements, with one statement. The tracked conditions of the patient at the time of the measurement count; of
 * several the strictest limit of each kind. The range of the item counts where no condition has a limit, and its danger limits
 * where no condition has that one.
 * @returns in the order of the measurements; null without any limit
 */
export async function readTargets(tx: PracticeTx, measurements: readonly Measurement[]): Promise<(AppliedTarget | null)[]> {
  if (measurements.length === 0) return [];
  const rows = await tx.rows(TARGETS, [
    measurements.map(({ patientId }) => patientId),
    measurements.map(({ itemId }) => itemId),
    measurements.map(({ at }) => at.toISOString()),
  ]);
  return rows.map(toTarget);
}

function toTarget(row: TargetRow): AppliedTarget | null {
  const { min, max, dangerMin, dangerMax, conditionIds } = row;
  if (min === null && max === null && dangerMin === null && dangerMax === null) return null;
  return { min, max, dangerMin, dangerMax, source: conditionIds.length > 0 ? 'condition' : 'item', conditionIds };
}
