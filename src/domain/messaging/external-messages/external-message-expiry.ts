import { Temporal } from 'temporal-polyfill';
import { invalid } from '../../errors.ts';
import { readRange } from '../../values/time/date-range.ts';
import { dayFault, ISO_DAY, readDay, readMoment } from '../../values/time/time.ts';

const DEFAULT_DAYS = 7;
const MAX_DAYS = 90;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Parses the expiry of a message that is sent now.
 * @param written a date and time, with an offset or in the given zone, or a day, which counts to its end; a week from
 *   now unless given
 * @throws Failure naming `expires` for a time that is past or more than 90 days away
 */
export async function parseExpiry(written: string | undefined, timeZone: string, now: Date): Promise<Date> {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  if (written === undefined) return new Date(today.add({ days: DEFAULT_DAYS }).epochMilliseconds);
  const isDay = DAY.test(written.trim());
  const expiry = isDay ? await endOfDay(written, timeZone) : readMoment(written, timeZone, 'expires').instant;
  if (expiry <= now) throw invalid('expires', 'must be in the future', 'in_the_past');
  const farthest = today.add({ days: MAX_DAYS });
  const latest = isDay ? farthest.toPlainDate().add({ days: 1 }).toZonedDateTime(timeZone) : farthest;
  if (expiry.getTime() > latest.epochMilliseconds)
    throw invalid('expires', `must be within ${MAX_DAYS} days, so that a forgotten link does not stay open`, 'too_far');
  return expiry;
}

/** @throws Failure naming `expires` for a day or time that no zone has */
export function checkExpiry(written: string): void {
  if (!DAY.test(written.trim())) readMoment(written, 'UTC', 'expires');
  else if (readDay(written) === null)
    throw invalid('expires', dayFault(ISO_DAY, 'must be a day such as 2026-03-08')(written), 'invalid_date');
}

/** The last second of the day, so that the displayed expiry names that day. */
async function endOfDay(day: string, timeZone: string): Promise<Date> {
  const fields = { min: 'expires', max: 'expires' };
  const { before } = await readRange({ min: undefined, max: day, fields }, async () => timeZone);
  if (before === null) throw invalid('expires', 'must be a day such as 2026-03-08', 'invalid_date');
  return new Date(before.getTime() - 1_000);
}
