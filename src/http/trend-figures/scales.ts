import type { Limits } from '../../domain/monitoring/targets.ts';
import type { Trend } from '../../domain/monitoring/trends/trend.ts';
import { type CalendarStep, calendarSteps, stepFor } from '../../domain/values/time/calendar-steps.ts';
import { writeTick } from './words.ts';

/** A position on an axis, and the words that stand at it. */
export interface Tick<T> {
  at: T;
  label: string;
}

/** The room of a figure's values, in pixels. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Scales {
  x(at: Date): number;
  y(value: number): number;
  times: Tick<Date>[];
}

/** @param most the largest number of labels below the figure */
export function createScales(trend: Trend, values: readonly number[], { left, right, top, bottom }: Plot, most: number): Scales {
  const [low = 0, high = 1] = [values[0], values.at(-1)];
  const [start, end] = [trend.from.getTime(), trend.before.getTime()];
  return {
    x: (at) => left + ((at.getTime() - start) / (end - start)) * (right - left),
    y: (value) => bottom - ((value - low) / (high - low)) * (bottom - top),
    times: timeTicks(trend, most),
  };
}

/** The numbers at the side of a figure, from the lowest on; all values and limits are between the first and the last. */
export function valueTicks(trend: Trend): number[] {
  const bounds = findBounds(trend);
  if (bounds === null) return [];
  const step = niceStep((bounds.high - bounds.low) / 5);
  const [first, last] = [Math.floor(bounds.low / step), Math.ceil(bounds.high / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

const listLimits = ({ min, max, dangerMin, dangerMax }: Limits): (number | null)[] => [min, max, dangerMin, dangerMax];

/** The lowest and the highest number that the figure shows, with some room between it and the edge; null where it shows none. */
function findBounds({ points, spans }: Trend): { low: number; high: number } | null {
  const limits = spans.flatMap((span) => (span.target === null ? [] : listLimits(span.target))).filter((limit) => limit !== null);
  const all = [...limits, ...points.flatMap(({ lowest, highest }) => [lowest.value, highest.value])];
  if (all.length === 0) return null;
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * 0.06 || Math.max(Math.abs(high) * 0.05, 0.5);
  // Nothing that is counted or measured from zero on is shown below it.
  return { low: low >= 0 ? Math.max(0, low - room) : low - room, high: high + room };
}

/** 1, 2, 2.5 or 5 with some zeros: the smallest such number that is not below. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 2.5, 5].find((digit) => digit * power >= least) ?? 10) * power;
}

const STEPS: readonly CalendarStep[] = [
  { unit: 'hour', count: 1 },
  { unit: 'hour', count: 3 },
  { unit: 'hour', count: 6 },
  { unit: 'hour', count: 12 },
  { unit: 'day', count: 1 },
  { unit: 'day', count: 2 },
  { unit: 'week', count: 1 },
  { unit: 'week', count: 2 },
  { unit: 'month', count: 1 },
  { unit: 'month', count: 2 },
  { unit: 'month', count: 6 },
  { unit: 'month', count: 12 },
];
function timeTicks({ from, before, timeZone }: Trend, most: number): Tick<Date>[] {
  const step = stepFor({ from, before }, most, STEPS);
  const instants = calendarSteps(from, before, timeZone, step).filter((at) => at >= from && at < before);
  return instants.map((at) => ({ at, label: writeTick(at, timeZone, step.unit) }));
}
