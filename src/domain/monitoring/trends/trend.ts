import type { CalendarStep } from '../../values/time/calendar-steps.ts';
import type { ReadingSource } from '../readings/readings.ts';
import type { AppliedTarget, ValueSeverity } from '../targets.ts';

/** The lowest or the highest value of a point, compared with the target of its time. */
export interface TrendValue {
  value: number;
  /** Null within the target, or where there was none. */
  severity: ValueSeverity | null;
  /** The side of its target on which a value is that is out of it. */
  side: 'above' | 'below';
}

/** One reading, or all readings of a step of time. */
export interface TrendPoint {
  /** Time of the reading, or start of the step. */
  from: Date;
  /** End of the step, excluded; the same as `from` for one reading. */
  before: Date;
  count: number;
  lowest: TrendValue;
  highest: TrendValue;
  average: number;
  /** Null where the readings are from several sources. */
  source: ReadingSource | null;
  /** Make and model of the device of one reading, else its identifier; null for other sources and for a step. */
  device: string | null;
  /** Number of readings out of target, those in danger included. */
  outOfTarget: number;
  danger: number;
}

/** The target from one instant, included, to another, excluded; null where nothing limited the values. */
export interface TrendSpan {
  from: Date;
  before: Date;
  target: AppliedTarget | null;
}

export interface Trend {
  item: { id: number; name: string; unit: string | null };
  /** Of the practice. */
  timeZone: string;
  from: Date;
  /** Excluded. */
  before: Date;
  /** The step of each point; null where each point is a reading. */
  step: CalendarStep | null;
  /** From the first on. */
  points: readonly TrendPoint[];
  /** From the first on, without a gap, over the whole range. */
  spans: readonly TrendSpan[];
}
