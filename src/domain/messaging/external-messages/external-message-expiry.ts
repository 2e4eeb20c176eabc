import { Temporal } from 'temporal-polyfill';
import { invalid } from '../../errors.ts';
import { readRange } from '../../values/date-range.ts';
import { readMoment } from '../../values/time.ts';

const DEFAULT_DAYS = 7;
const MAX_DAYS = 90;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Until when a message can be opened.
 * @param written a moment, with an offset or on the clocks of the zone, or a day, which counts to its end there; without
 *   one it is a week from now
 * @throws Failure naming `expires` for what is past, or farther away than 90 days
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
    throw invalid('expires', `must be within ${MAX_DAYS} days: a link that is forgotten should not stay open`, 'too_far');
  return expiry;
}

/** Its last second, so that what is shown names that day. */
async function endOfDay(day: string, timeZone: string): Promise<Date> {
  const fields = { min: 'expires', max: 'expires' };
  const { before } = await readRange({ min: undefined, max: day, fields }, async () => timeZone);
  if (before === null) throw invalid('expires', 'must be a day such as 2026-03-08', 'invalid_date');
  return new Date(before.getTime() - 1_000);
}
