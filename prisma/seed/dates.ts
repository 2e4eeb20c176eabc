import type { Faker } from '@faker-js/faker';
import { Temporal } from 'temporal-polyfill';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A calendar date, as the Date that Prisma stores in a date column. */
export function day(text: string): Date {
  return new Date(`${text}T00:00:00Z`);
}

/** A day between two, both counted, that does not depend on today. */
export function dayBetween(random: Faker, from: string, to: string): Date {
  const days = (day(to).getTime() - day(from).getTime()) / DAY;
  return new Date(day(from).getTime() + random.number.int(days) * DAY);
}

/** The calendar day that many days after today, in UTC. */
export function daysFromNow(now: Date, days: number): Date {
  return day(
    later(now, days * 24 * 60)
      .toISOString()
      .slice(0, 10),
  );
}

/** The instant that many minutes after another; earlier for negative ones. */
export function later(instant: Date, minutes: number): Date {
  return new Date(instant.getTime() + minutes * MINUTE);
}

/** The earlier of two instants. */
export function earliest(a: Date, b: Date): Date {
  return a < b ? a : b;
}

/** An instant between two. */
export function instantBetween(random: Faker, from: Date, to: Date): Date {
  const seconds = Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1_000));
  return new Date(from.getTime() + random.number.int(seconds) * 1_000);
}

/** Today where the practice is. */
export function todayIn(timeZone: string, now: Date): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** The weekdays between two days, both counted. */
export function weekdaysBetween(from: Temporal.PlainDate, to: Temporal.PlainDate): Temporal.PlainDate[] {
  const days: Temporal.PlainDate[] = [];
  for (let date = from; Temporal.PlainDate.compare(date, to) <= 0; date = date.add({ days: 1 })) {
    if (date.dayOfWeek <= 5) days.push(date);
  }
  return days;
}

/** A moment at a place. */
export interface WallClock {
  instant: Date;
  /** A Date whose UTC fields are the local time: Prisma's format of a timestamp without a zone. */
  local: Date;
}

/**
 * The instant of a local time.
 * @param minutes after midnight on the clock, whatever the day's length
 */
export function wallClock(date: Temporal.PlainDate, minutes: number, timeZone: string): WallClock {
  const wall = date.toPlainDateTime({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
  return { instant: new Date(wall.toZonedDateTime(timeZone).epochMilliseconds), local: new Date(`${wall.toString()}Z`) };
}

/** The second 01:30, or the like, of the next night in which the clocks are put back; null where they never are. */
export function secondOfTwo(timeZone: string, now: Date): WallClock | null {
  let moment = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).getTimeZoneTransition('next');
  while (moment && moment.subtract({ nanoseconds: 1 }).offsetNanoseconds < moment.offsetNanoseconds)
    moment = moment.getTimeZoneTransition('next');
  const start = moment?.add({ minutes: 30 });
  if (!start) return null;
  return { instant: new Date(start.epochMilliseconds), local: new Date(`${start.toPlainDateTime().toString()}Z`) };
}
