import { Temporal } from 'temporal-polyfill';
import { invalid } from '../../errors.ts';
import { isSameZone } from './time-zones.ts';

/** A moment of a record: the instant, the wall clock at the place, and the zone that joins them. */
export interface Moment {
  instant: Date;
  /** The wall clock, as a Date whose UTC fields show it; Prisma writes a timestamp without a zone so. */
  local: Date;
  timeZone: string;
}

/** Date, time to the minute, second, offset. */
const WRITTEN = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::([0-5]\d)(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?[0-5]\d)?)?$/i;
/** UTC+14 is the farthest that any place has been. */
const FARTHEST_MINUTES = 14 * 60;
const EARLIEST_YEAR = 1900;
const LATEST_YEAR = 2199;
const EARLIEST_DAY_YEAR = 1850;

const NO_SUCH_DAY = 'is a day that does not exist';

const isDayYear = (year: number): boolean => year >= EARLIEST_DAY_YEAR && year <= LATEST_YEAR;

/** Whether a text has the form of a date and time; the day or the hour may not exist. */
export const hasMomentForm = (text: string): boolean => WRITTEN.test(text.trim());

/**
 * Reads a date and time as callers write it. With an offset it is that instant; without one it is wall time in the zone,
 * where a time that a clock change skips is refused and one that occurs twice is the first of the two. Fractions of a
 * second are dropped.
 * @param stored the moment of the record so far, which is returned where the text shows that very time: a local time that
 *   was read can be sent back, also the second of two
 * @throws Failure naming the field
 */
export function readMoment(text: string, timeZone: string, field: string, stored: Moment | null = null): Moment {
  const match = WRITTEN.exec(text.trim());
  if (!match) throw invalid(field, 'must be a date and time such as 2026-03-08T09:30:00, with or without an offset', 'invalid_date_time');
  const [, date = '', time = '', second = '00', offset] = match;
  const year = Number(date.slice(0, 4));
  if (year < EARLIEST_YEAR || year > LATEST_YEAR)
    throw invalid(field, `must be in the years ${EARLIEST_YEAR} to ${LATEST_YEAR}`, 'out_of_range');
  if (readDay(date) === null) throw invalid(field, NO_SUCH_DAY, 'invalid_date_time');
  const wall = requireExisting(date, time, second, field);
  const kept = stored && isSameZone(stored.timeZone, timeZone) ? stored : null;
  if (!offset && kept && sameSecond(kept.local, wallClock(wall))) return kept;
  const zoned = offset ? atOffset(wall, offset, timeZone, field) : atPlace(wall, timeZone, field);
  const instant = new Date(zoned.epochMilliseconds);
  if (kept && sameSecond(kept.instant, instant)) return kept;
  return { instant, local: wallClock(offset ? zoned.toPlainDateTime() : wall), timeZone };
}

/** Times are shown in whole seconds; a stored one may have a fraction. */
const sameSecond = (one: Date, other: Date): boolean => Math.floor(one.getTime() / 1_000) === Math.floor(other.getTime() / 1_000);

export function momentAt(instant: Date, timeZone: string): Moment {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return { instant, local: wallClock(zoned.toPlainDateTime()), timeZone };
}

function requireExisting(date: string, time: string, second: string, field: string): Temporal.PlainDateTime {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const [hour, minute] = time.split(':').map(Number);
  try {
    return new Temporal.PlainDateTime(year, month, day, hour, minute, Number(second));
  } catch {
    throw invalid(field, 'must be an existing date and time', 'invalid_date_time');
  }
}

function atOffset(wall: Temporal.PlainDateTime, offset: string, timeZone: string, field: string): Temporal.ZonedDateTime {
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d{2}):?(\d{2})?/.exec(offset) ?? [];
  if (Number(hours) * 60 + Number(minutes) > FARTHEST_MINUTES)
    throw invalid(field, 'has an offset that does not exist', 'invalid_date_time');
  return Temporal.Instant.from(`${wall.toString()}${sign}${hours}:${minutes}`).toZonedDateTimeISO(timeZone);
}

function atPlace(wall: Temporal.PlainDateTime, timeZone: string, field: string): Temporal.ZonedDateTime {
  const [first, last] = [
    wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' }),
    wall.toZonedDateTime(timeZone, { disambiguation: 'later' }),
  ];
  // Both are one, but where the clocks change. The wall time of an instant takes longer than all else here.
  if (first.epochMilliseconds !== last.epochMilliseconds && !first.toPlainDateTime().equals(wall)) {
    throw invalid(field, `does not exist in ${timeZone}: the clocks are set forward over this time`, 'skipped_by_clock_change');
  }
  return first;
}

function wallClock({ year, month, day, hour, minute, second, millisecond }: Temporal.PlainDateTime): Date {
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, millisecond));
}

/** `2026-03-08T14:30:00Z`: the form of every instant. Null stays null. */
export function writeInstant(instant: Date): string;
export function writeInstant(instant: Date | null): string | null;
export function writeInstant(instant: Date | null): string | null {
  return instant === null ? null : `${instant.toISOString().slice(0, 19)}Z`;
}

/** `2026-03-08T09:30:00`: the form of every wall clock; its zone is a field of its own. */
export function writeLocal(local: Date | null): string | null {
  return local === null ? null : local.toISOString().slice(0, 19);
}

/** `2026-03-08`: the form of a calendar day in ISO dialects. */
export function writeDay(day: Date): string;
export function writeDay(day: Date | null): string | null;
export function writeDay(day: Date | null): string | null {
  return day === null ? null : day.toISOString().slice(0, 10);
}

/** The two forms of calendar days: `YYYY-MM-DD`, and `mm/dd/yyyy`, also without leading zeros, as clients of practice systems send it. */
export const ISO_DAY = /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/;
export const US_DAY = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/;

/** A calendar day written `YYYY-MM-DD`, or null when it is written otherwise or there is no such day. */
export const readDay = (text: string): Date | null => readDayAs(ISO_DAY, text);

/** A calendar day written `mm/dd/yyyy`; or null as for readDay. */
export const readUsDay = (text: string): Date | null => readDayAs(US_DAY, text);

function readDayAs(form: RegExp, text: string): Date | null {
  const { year, month, day } = form.exec(text.trim())?.groups ?? {};
  return year === undefined ? null : calendarDay(Number(year), Number(month), Number(day));
}

/**
 * The message for a text that is no day: that the calendar or the permitted years lack it, where it has the form.
 * @param otherwise the message for a text of another form
 */
export const dayFault =
  (form: RegExp, otherwise: string) =>
  (text: string): string => {
    const year = form.exec(text.trim())?.groups?.year;
    if (year === undefined) return otherwise;
    return isDayYear(Number(year)) ? NO_SUCH_DAY : `must be in the years ${EARLIEST_DAY_YEAR} to ${LATEST_YEAR}`;
  };

/** The days that were asked for last, by zone: most instants that follow are in the same one. */
const lastDays = new Map<string, { from: number; before: number; day: number }>();

/** The calendar day that an instant is at a place. */
export function dayAt(instant: Date, timeZone: string): Date {
  const at = instant.getTime();
  const last = lastDays.get(timeZone);
  if (last && at >= last.from && at < last.before) return new Date(last.day);
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const date = zoned.toPlainDate();
  const [from, before] = [date, date.add({ days: 1 })].map((day) => day.toZonedDateTime(timeZone).epochMilliseconds);
  const day = new Date(`${date.toString()}T00:00:00Z`);
  lastDays.set(timeZone, { from: from ?? at, before: before ?? at, day: day.getTime() });
  return day;
}

/** Whether a day has begun at a place; a day begins first at UTC+14. @param day midnight UTC */
export const hasBegunSomewhere = (day: Date): boolean => day.getTime() - 14 * 3_600_000 <= Date.now();

/** A calendar day as the Date that Prisma writes into a date column. Null when there is no such day, or it lies outside 1850 to 2199. */
function calendarDay(year: number, month: number, day: number): Date | null {
  if (!isDayYear(year)) return null;
  // Date.UTC turns a day that does not exist, such as 30 February, into another one.
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : null;
}
