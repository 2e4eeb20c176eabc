import type { Db } from '../../database/database.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import type { Caller } from '../caller.ts';
import { invalid } from '../errors.ts';
import { TARGETS, type TargetRow } from './targets.sql.ts';

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
export function severityOf({ min, max, dangerMin, dangerMax }: Limits, value: number): ValueSeverity | null {
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
    throw invalid(field, `aims at no less than ${min} and no more than ${max}`, 'out_of_order');
  if (!inOrder([dangerMin, min, max, dangerMax]) || (dangerMin !== null && dangerMin === dangerMax))
    throw invalid(field, 'has a danger limit inside of the target: danger_min, min, max, danger_max must ascend', 'out_of_order');
}

/**
 * The targets of measurements, with one statement. The tracked conditions of the patient at the time of the measurement count; of
 * several the strictest limit of each kind. The range of the item counts where no condition has a limit, and its danger limits
 * where no condition has that one.
 * @returns in the order of the measurements; null without any limit
 */
export async function readTargets(
  db: Db,
  { organizationId }: Pick<Caller, 'organizationId'>,
  measurements: readonly Measurement[],
): Promise<(AppliedTarget | null)[]> {
  if (measurements.length === 0) return [];
  const rows = await preparedIn(db).rows(TARGETS, [
    organizationId,
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
