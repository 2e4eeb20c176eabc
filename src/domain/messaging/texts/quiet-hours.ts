import { Temporal } from 'temporal-polyfill';

/** Wall clock at the patient's place, `HH:MM`. Where both are the same there are none. */
export interface QuietHours {
  start: string;
  end: string;
}

/** What US law accepts (47 CFR 64.1200): calls and texts from 8 am to 9 pm where the called party is. */
const DEFAULT: QuietHours = { start: '21:00', end: '08:00' };
const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/**
 * The end of the quiet hours that an instant lies in, or null where it lies in none. Their start belongs to them, their
 * end does not. An end that a clock change skips is when the clocks go on; hours that are not written as `HH:MM` are the
 * default ones.
 */
export function endOfQuietHours(now: Date, timeZone: string, hours: QuietHours): Date | null {
  const { start, end } = CLOCK_TIME.test(hours.start) && CLOCK_TIME.test(hours.end) ? hours : DEFAULT;
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const clock = here.toPlainTime().toString({ smallestUnit: 'minute' });
  const isQuiet = start <= end ? clock >= start && clock < end : clock >= start || clock < end;
  if (!isQuiet) return null;
  const day = clock < end ? here.toPlainDate() : here.toPlainDate().add({ days: 1 });
  const until = day.toPlainDateTime(end).toZonedDateTime(timeZone, { disambiguation: 'later' });
  return new Date(until.epochMilliseconds);
}
