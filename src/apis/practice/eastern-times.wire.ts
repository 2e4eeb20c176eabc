import { invalid } from '../../domain/errors.ts';
import { checkBound, type DateRange, readRange } from '../../domain/values/time/date-range.ts';
import { momentAt } from '../../domain/values/time/time.ts';
import { checkedText } from '../../http/wire/wire-types.ts';

/** Clients of practice systems write points in time on the clocks of the eastern United States, wherever the practice is. */
const EASTERN = 'America/New_York';

const WRITTEN = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?: +(?<hour>\d{1,2})(?<rest>:\d{2}(?::\d{2})?))?$/;

/** The longest text of a time, with some room. */
const LONGEST = 40;

/** `mm/dd/yyyy hh24:mi:ss`, or a day. */
export const easternTime = () =>
  checkedText(LONGEST, (written) => checkBound(inIso(written), 'time', { offsets: false })).meta({
    pattern: '^\\d{1,2}/\\d{1,2}/\\d{4}( \\d{1,2}:\\d{2}(:\\d{2})?)?$',
  });

/** @throws Failure invalid for another form */
function inIso(written: string): string {
  const { month = '', day = '', year, hour, rest } = WRITTEN.exec(written.trim())?.groups ?? {};
  if (year === undefined) throw invalid('time', 'must be a time such as 04/14/2027 09:30:00 (mm/dd/yyyy hh24:mi:ss)', 'invalid_date_time');
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${hour === undefined ? '' : `T${hour.padStart(2, '0')}${rest}`}`;
}

type Bound = string | null | undefined;

const toIso = (bound: Bound): string | undefined => (typeof bound === 'string' ? inIso(bound) : undefined);

/**
 * The time between two bounds, both included, to the second and with the whole of a last day. In the hour that comes twice the first
 * bound is the earlier and the last the later; a time that the clocks skip is when they do.
 * @param fields the names of the bounds
 * @throws Failure invalid where the first is after the last
 */
export const readEasternRange = (min: Bound, max: Bound, fields: { min: string; max: string }): Promise<DateRange> =>
  readRange({ min: toIso(min), max: toIso(max), fields }, async () => EASTERN, { offsets: false });

/** `mm/dd/yyyy hh24:mi:ss` of an instant. @param instant such as `2026-03-08T14:30:00Z` */
export function writeEasternTime(instant: string): string {
  const local = momentAt(new Date(instant), EASTERN).local.toISOString();
  return `${local.slice(5, 7)}/${local.slice(8, 10)}/${local.slice(0, 4)} ${local.slice(11, 19)}`;
}

/** Days of hours that were asked for, most of them of many records. */
const days = new Map<string, string>();
const MOST_DAYS = 20_000;

/** `mm/dd/yyyy` of an instant. @param instant such as `2026-03-08T14:30:00Z` */
export function writeEasternDay(instant: string): string {
  const hour = instant.slice(0, 13);
  const known = days.get(hour);
  if (known !== undefined) return known;
  if (days.size >= MOST_DAYS) days.clear();
  const day = writeEasternTime(instant).slice(0, 10);
  days.set(hour, day);
  return day;
}
