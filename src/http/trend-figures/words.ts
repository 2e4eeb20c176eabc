import type { Limits } from '../../domain/monitoring/targets.ts';
import type { Trend } from '../../domain/monitoring/trends/trend.ts';
import type { CalendarStep } from '../../domain/values/time/calendar-steps.ts';

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const AVERAGE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A value as it is read: `1,200` or `98.6`. */
export const writeValue = (value: number): string => NUMBER.format(value);
/** A mean, with one decimal at most. */
export const writeAverage = (value: number): string => AVERAGE.format(value);

const format = (at: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-US', options).format(at).replaceAll(/\s/g, ' ');

/** `6 AM` or `Nov 3` or `Jan 2027`; midnight is its day, and a month is with its year where the year begins. */
export function writeTick(at: Date, timeZone: string, unit: CalendarStep['unit']): string {
  if (unit === 'month') {
    const month = format(at, { timeZone, month: 'short' });
    return month === 'Jan' ? format(at, { timeZone, month: 'short', year: 'numeric' }) : month;
  }
  const isHour = unit === 'hour' && format(at, { timeZone, hour: 'numeric', hourCycle: 'h23' }) !== '00';
  return format(at, isHour ? { timeZone, hour: 'numeric' } : { timeZone, month: 'short', day: 'numeric' });
}

const HOUR_MS = 3_600_000;

/** With the name of the time where clocks show it twice: `1:30 AM EDT`. */
function withTime(at: Date, options: Intl.DateTimeFormatOptions): string {
  const clock: Intl.DateTimeFormatOptions = { ...options, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' };
  const written = format(at, clock);
  const isTwice = [-HOUR_MS, HOUR_MS].some((apart) => format(new Date(at.getTime() + apart), clock) === written);
  return isTwice ? format(at, { ...clock, timeZoneName: 'short' }) : written;
}

/** `Nov 3, 2026, 6:15 AM` */
export const writeMoment = (at: Date, timeZone: string): string => withTime(at, { timeZone, year: 'numeric' });

/** `Nov 3, 6:15 AM`, beside a range that names the year. */
export const writeShortMoment = (at: Date, timeZone: string): string => withTime(at, { timeZone });

const writeDate = (at: Date, timeZone: string): string => format(at, { timeZone, year: 'numeric', month: 'short', day: 'numeric' });

/** `2026-11-03` as `Nov 3, 2026`. */
export const writeDayWords = (day: string): string => writeDate(new Date(`${day}T00:00:00Z`), 'UTC');

/** `2026-11` as `November 2026`. */
export const writeMonthWords = (month: string): string =>
  format(new Date(`${month}-01T00:00:00Z`), { timeZone: 'UTC', month: 'long', year: 'numeric' });

/** When the step of a point is: `Nov 3, 2026`, `Week of Nov 2, 2026`, `Nov 2026`, `Nov 3, 2026, 6:00 AM`. */
export function writeStep(from: Date, timeZone: string, unit: CalendarStep['unit']): string {
  switch (unit) {
    case 'hour':
      return writeMoment(from, timeZone);
    case 'day':
      return writeDate(from, timeZone);
    case 'week':
      return `Week of ${writeDate(from, timeZone)}`;
    case 'month':
      return format(from, { timeZone, month: 'short', year: 'numeric' });
  }
}

/** `Sep 1 – Nov 23, 2026 (EST)`: the days of a range, with the clocks by which they are days. */
export function writeRange({ from, before, timeZone }: Pick<Trend, 'from' | 'before' | 'timeZone'>): string {
  const last = new Date(before.getTime() - 1);
  const days = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'short', day: 'numeric' });
  return `${days.formatRange(from, last)} (${zoneName(last, timeZone)})`.replaceAll(/\s/g, ' ');
}

/** `ET`: the clocks of a practice. */
export const zoneName = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'shortGeneric' }).formatToParts(at).find(({ type }) => type === 'timeZoneName')
    ?.value ?? timeZone;

/** `90 to 140 mmHg`, `140 mmHg or less`, `4,000 or more`; null without a target. */
export function writeTarget(limits: Pick<Limits, 'min' | 'max'> | null, unit: string | null): string | null {
  if (limits === null || (limits.min === null && limits.max === null)) return null;
  return writeEnds(limits.min, limits.max, unit);
}

/** `60 mmHg or less, 180 mmHg or more`; null without a danger limit. */
export function writeDanger(limits: Pick<Limits, 'dangerMin' | 'dangerMax'> | null, unit: string | null): string | null {
  const ends = [
    limits?.dangerMin == null ? '' : `${inUnit(limits.dangerMin, unit)} or less`,
    limits?.dangerMax == null ? '' : `${inUnit(limits.dangerMax, unit)} or more`,
  ].filter(Boolean);
  return ends.length === 0 ? null : ends.join(', ');
}

/** A value with its unit; a percent sign stands at the number. */
export function inUnit(value: number, unit: string | null): string {
  if (unit === null) return writeValue(value);
  return unit === '%' ? `${writeValue(value)}%` : `${writeValue(value)} ${unit}`;
}

function writeEnds(min: number | null, max: number | null, unit: string | null): string {
  // Of several conditions with ranges that exclude each other no value is within all.
  if (min !== null && max !== null && min > max)
    return `${inUnit(min, unit)} or more and ${inUnit(max, unit)} or less, which contains no value`;
  if (min !== null && max !== null) return `${writeValue(min)} to ${inUnit(max, unit)}`;
  return min === null ? `${inUnit(max ?? 0, unit)} or less` : `${inUnit(min, unit)} or more`;
}

export const writeTitle = ({ item: { name, unit } }: Pick<Trend, 'item'>): string => (unit === null ? name : `${name}, ${unit}`);

/** A figure in two or three sentences, for somebody who does not see it. */
export function describeTrend(trend: Trend): string {
  const { points, item, spans, timeZone } = trend;
  const days = writeRange(trend);
  const last = points.at(-1);
  if (last === undefined) return `No readings, ${days}.`;
  const sum = (read: (point: (typeof points)[number]) => number) => points.reduce((total, point) => total + read(point), 0);
  const lowest = Math.min(...points.map((point) => point.lowest.value));
  const highest = Math.max(...points.map((point) => point.highest.value));
  const limits = spans.at(-1)?.target ?? null;
  const target = writeTarget(limits, item.unit);
  const danger = writeDanger(limits, item.unit);
  const count = sum((point) => point.count);
  return [
    `${count === 1 ? 'One reading' : `${writeValue(count)} readings`}, ${days}.`,
    `Lowest ${inUnit(lowest, item.unit)}, highest ${inUnit(highest, item.unit)}, newest ${trend.step === null ? writeMoment(last.from, timeZone) : writeStep(last.from, timeZone, trend.step.unit)}.`,
    `Out of target: ${writeValue(sum((point) => point.outOfTarget))}; in danger: ${writeValue(sum((point) => point.danger))}.`,
    spans.length > 1 ? 'The target changed during this time.' : '',
    target === null ? 'No target.' : `${spans.length > 1 ? 'Newest target' : 'Target'}: ${target}.`,
    danger === null ? '' : `Danger: ${danger}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
