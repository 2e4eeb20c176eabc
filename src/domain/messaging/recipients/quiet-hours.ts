import { Temporal } from 'temporal-polyfill';

/** Local time of the patient, `HH:MM`. Equal values mean no quiet hours. */
export interface QuietHours {
  start: string;
  end: string;
}

/** US law allows calls and texts from 8 am to 9 pm local time of the called party (47 CFR 64.1200). */
const DEFAULT: QuietHours = { start: '21:00', end: '08:00' };
const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/**
 * End of the quiet hours that an instant lies in; null outside of them. The start is inclusive, the end exclusive. An
 * end that a clock change skips moves to the end of the gap. Hours that are not `HH:MM` are replaced by the defaults.
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
