import { Temporal } from 'temporal-polyfill';
import { invalid } from './errors.ts';

/** A moment of a record: the instant, the wall clock at the place, and the zone that joins them. */
export interface Moment {
  instant: Date;
  /** The wall clock, as a Date whose UTC fields show it: how Prisma writes a timestamp without a zone. */
  local: Date;
  timeZone: string;
}

const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;
const EARLIEST_YEAR = 1900;
const LATEST_YEAR = 2199;

/** Whether a text names a zone of the IANA database, aliases such as US/Eastern included. Offsets are no zones. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/**
 * Reads a date and time as callers write it. With an offset it is that instant; without one it is wall time in the zone,
 * where a time that a clock change skips is refused and one that occurs twice is the first of the two. Fractions of a
 * second are dropped.
 * @throws Failure naming the field
 */
export function readMoment(text: string, timeZone: string, field: string): Moment {
  const match = WRITTEN.exec(text.trim());
  if (!match) throw invalid(field, 'must be a date and time such as 2026-03-08T09:30:00, with or without an offset', 'invalid_date_time');
  const [, year, month, day, hour, minute, second = '0', offset] = match;
  if (Number(year) < EARLIEST_YEAR || Number(year) > LATEST_YEAR) {
    throw invalid(field, `must be in the years ${EARLIEST_YEAR} to ${LATEST_YEAR}`, 'out_of_range');
  }
  const wall = plainDateTime(field, { year, month, day, hour, minute, second });
  const zoned = offset ? atOffset(wall, offset, timeZone, field) : atPlace(wall, timeZone, field);
  return { instant: new Date(zoned.epochMilliseconds), local: wallClock(zoned.toPlainDateTime()), timeZone };
}

/** The moment of an instant at a place. */
export function momentAt(instant: Date, timeZone: string): Moment {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return { instant, local: wallClock(zoned.toPlainDateTime()), timeZone };
}

function plainDateTime(field: string, parts: Record<string, string | undefined>): Temporal.PlainDateTime {
  const { year, month, day, hour, minute, second } = Object.fromEntries(Object.entries(parts).map(([name, digits]) => [name, Number(digits)]));
  try {
    return Temporal.PlainDateTime.from({ year: year ?? 0, month: month ?? 0, day: day ?? 0, hour: hour ?? 0, minute: minute ?? 0, second: second ?? 0 }, { overflow: 'reject' });
  } catch {
    throw invalid(field, 'is no date and time that exists', 'invalid_date_time');
  }
}

function atOffset(wall: Temporal.PlainDateTime, offset: string, timeZone: string, field: string): Temporal.ZonedDateTime {
  const fixed = /^z$/i.test(offset) ? '+00:00' : `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
  const [hours = 0, minutes = 0] = fixed.slice(1).split(':').map(Number);
  if (hours > 14 || minutes > 59) throw invalid(field, 'has an offset that does not exist', 'invalid_date_time');
  return Temporal.Instant.from(`${wall.toString()}${fixed}`).toZonedDateTimeISO(timeZone);
}

function atPlace(wall: Temporal.PlainDateTime, timeZone: string, field: string): Temporal.ZonedDateTime {
  const first = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  if (!first.toPlainDateTime().equals(wall)) {
    throw invalid(field, `does not occur in ${timeZone}: the clocks are put forward past it`, 'skipped_by_clock_change');
  }
  return first;
}

function wallClock(wall: Temporal.PlainDateTime): Date {
  return new Date(wall.toZonedDateTime('UTC').epochMilliseconds);
}

/** `2026-03-08T14:30:00Z`: how every instant is written. Null stays null. */
export function writeInstant(instant: Date): string;
export function writeInstant(instant: Date | null): string | null;
export function writeInstant(instant: Date | null): string | null {
  return instant === null ? null : `${instant.toISOString().slice(0, 19)}Z`;
}

/** `2026-03-08T09:30:00`: how every wall clock is written; its zone stands beside it. */
export function writeLocal(local: Date | null): string | null {
  return local === null ? null : local.toISOString().slice(0, 19);
}

/** `2026-03-08`: how a calendar day is written in ISO dialects. */
export function writeDay(day: Date | null): string | null {
  return day === null ? null : day.toISOString().slice(0, 10);
}

/**
 * Reads a calendar day, `YYYY-MM-DD`.
 * @throws Failure naming the field
 */
export function readDay(text: string, field: string): Date {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim());
  if (!match) throw invalid(field, 'must be a day such as 1980-02-29', 'invalid_date');
  const [, year, month, day] = match;
  return calendarDay(Number(year), Number(month), Number(day), field);
}

/**
 * A calendar day, as the Date that Prisma writes into a date column.
 * @throws Failure when there is no such day, or it lies outside 1850 to 2199
 */
export function calendarDay(year: number, month: number, day: number, field: string): Date {
  try {
    const date = Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
    if (year >= 1850 && year <= LATEST_YEAR) return new Date(`${date.toString()}T00:00:00Z`);
  } catch {
    // falls through to the one message
  }
  throw invalid(field, 'is no day that exists', 'invalid_date');
}
