import { Temporal } from 'temporal-polyfill';
import { onClocks } from '../../values/time/date-range.ts';

const FORM = /^(?:p(?<days>\d{1,4})d|pt(?<time>\d{1,5})(?<clock>[hm])|(?<count>\d{1,5})\s?(?<unit>d|days?|h|hours?|m|min|minutes?))$/i;
const MINUTES = { d: 1_440, h: 60, m: 1 } as const;
type Unit = keyof typeof MINUTES;
const MOST_MINUTES = 365 * MINUTES.d;

/**
 * Reads a time before or after a visit: `7d`, `2h`, `30m`, also as `7 days` and `P7D`. Null for what is none, or is longer than a year.
 * Days are days of the calendar and no hours, so `1d` and `24h` are two; `60m` is `1h`.
 */
export function readLeadTime(written: string): string | null {
  const { days, time, clock, count, unit } = FORM.exec(written.trim())?.groups ?? {};
  const number = Number(days ?? time ?? count ?? 0);
  const named = days === undefined ? (clock ?? unit ?? '').charAt(0).toLowerCase() : 'd';
  if (number === 0 || !isUnit(named) || number * MINUTES[named] > MOST_MINUTES) return null;
  return named === 'm' && number % 60 === 0 ? `${number / 60}h` : `${number}${named}`;
}

const isUnit = (name: string): name is Unit => Object.hasOwn(MINUTES, name);

/**
 * The instant that is a time before or after another one. Days keep the wall clock of the zone: one that a clock change skips is the end of
 * the gap, and one that occurs twice is the earlier. Hours and minutes pass by.
 * @param lead as readLeadTime writes it
 */
export function momentFrom(instant: Date, timeZone: string, { lead, before }: { lead: string; before: boolean }): Date {
  const unit = lead.at(-1) ?? '';
  const count = Number(lead.slice(0, -1)) * (before ? -1 : 1);
  if (!isUnit(unit) || Number.isNaN(count)) throw new RangeError('a lead time that readLeadTime did not write');
  if (unit !== 'd') return new Date(instant.getTime() + count * MINUTES[unit] * 60_000);
  const here = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();
  return new Date(onClocks(here.add({ days: count }), timeZone, 'earlier').epochMilliseconds);
}
