import { Temporal } from 'temporal-polyfill';
import { Failure, invalid, WrongFields } from '../../errors.ts';
import { hasMomentForm, readMoment } from './time.ts';

/** From one instant, included, to another, excluded; null where a side is open. */
export interface DateRange {
  from: Date | null;
  before: Date | null;
}

/** Bounds of a range as callers write them, and the names of their fields. */
export interface WrittenRange {
  min: string | undefined;
  max: string | undefined;
  fields: { min: string; max: string };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** A plus that was not encoded arrives as a space. */
const LOST_PLUS = /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?) (\d{2}(?::?\d{2})?)$/i;
const WITH_OFFSET = /:\d{2}(?:[.,]\d{1,9})?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)$/i;

/**
 * Reads a range of time. Each bound is a moment, with an offset or on the clocks of the zone, or a day there; both belong
 * to the range, to the second and with the whole of the last day. On the clocks of the zone, an hour that comes twice
 * belongs to it twice, and a time that they skip is when they do.
 * @param zone called only where a bound has no offset
 * @param offsets false where the source document allows none
 * @throws Failure naming the bound that is wrong, or that is after the other
 */
export async function readRange(
  { min, max, fields }: WrittenRange,
  zone: () => Promise<string>,
  { offsets = true }: { offsets?: boolean } = {},
): Promise<DateRange> {
  const bounds = { min: tidy(min), max: tidy(max) };
  const needsZone = [bounds.min, bounds.max].some((text) => text !== undefined && !WITH_OFFSET.test(text));
  const timeZone = needsZone ? await zone() : 'UTC';
  const wrong = new WrongFields();
  const check = (read: Reading, text: string | undefined, field: string) =>
    wrong.check(() => (text === undefined ? null : readBound(read, text, timeZone, field, offsets)));
  const from = (await check(readStart, bounds.min, fields.min)) ?? null;
  const before = (await check(readEnd, bounds.max, fields.max)) ?? null;
  wrong.throwIfAny();
  if (from !== null && before !== null && from >= before) throw invalid(fields.min, `must not be after ${fields.max}`, 'range_is_empty');
  return { from, before };
}

/** The bounds that a range has, as filters. */
export const toGiven = ({ from, before }: DateRange): { from: Date | undefined; before: Date | undefined } => ({
  from: from ?? undefined,
  before: before ?? undefined,
});

/** The bounds of a range as values of a statement. */
export const toBounds = (range: DateRange | undefined): [from: string, before: string] => [
  range?.from?.toISOString() ?? '-infinity',
  range?.before?.toISOString() ?? 'infinity',
];

/**
 * Checks the form of a bound, which depends on no zone, before the range is read: so that it is named beside other wrong fields.
 * @throws Failure naming the bound
 */
export function checkBound(written: string, field: string, { offsets = true }: { offsets?: boolean } = {}): void {
  readBound(readStart, tidy(written), 'UTC', field, offsets);
}

/** An instant that is written with its offset; null for anything else. */
export function readInstant(written: string): Date | null {
  try {
    return WITH_OFFSET.test(tidy(written)) ? readCached(readStart, tidy(written), 'UTC', 'instant') : null;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function readBound(read: Reading, text: string, timeZone: string, field: string, offsets: boolean): Date {
  if (!offsets && WITH_OFFSET.test(text))
    throw invalid(field, 'must have no offset: these dates are in the organization’s time zone', 'offset_not_allowed');
  return readCached(read, text, timeZone, field);
}

function tidy(text: string): string;
function tidy(text: string | undefined): string | undefined;
function tidy(text: string | undefined) {
  return text?.trim().replace(LOST_PLUS, '$1+$2');
}

type Reading = (text: string, timeZone: string, field: string) => Date;

/** Caches bounds: most requests name today, and reading a day in a zone takes as long as the shortest list. */
function readCached(read: Reading, text: string, timeZone: string, field: string): Date {
  const key = `${read.name} ${timeZone} ${text}`;
  const known = instants.get(key);
  if (known) return known;
  const instant = read(text, timeZone, field);
  if (instants.size >= MAX_CACHED) instants.clear();
  instants.set(key, instant);
  return instant;
}

const MAX_CACHED = 500;
const instants = new Map<string, Date>();

function readStart(text: string, timeZone: string, field: string): Date {
  if (WITH_OFFSET.test(text)) return readMoment(text, 'UTC', field).instant;
  if (DAY.test(text)) return toInstant(wallDay(text, field).toZonedDateTime(timeZone));
  return toInstant(onClocks(wallTime(text, field), timeZone, 'earlier'));
}

function readEnd(text: string, timeZone: string, field: string): Date {
  if (WITH_OFFSET.test(text)) return secondAfter(readMoment(text, 'UTC', field).instant);
  if (DAY.test(text)) return toInstant(wallDay(text, field).add({ days: 1 }).toZonedDateTime(timeZone));
  return secondAfter(toInstant(onClocks(wallTime(text, field), timeZone, 'later')));
}

const toInstant = ({ epochMilliseconds }: Temporal.ZonedDateTime) => new Date(epochMilliseconds);
const secondAfter = (instant: Date) => new Date(instant.getTime() + 1_000);

const NO_BOUND = 'must be a day such as 2027-04-14, or a date and time such as 2027-04-14T09:30:00';

/** The wall clock as it is written, without regard to clock changes. */
function wallTime(text: string, field: string): Temporal.PlainDateTime {
  if (!hasMomentForm(text)) throw invalid(field, NO_BOUND, 'invalid_date_time');
  const { local } = readMoment(text, 'UTC', field);
  return Temporal.PlainDateTime.from(local.toISOString().slice(0, 19));
}

const wallDay = (text: string, field: string) => wallTime(`${text}T00:00:00`, field).toPlainDate();

/** A wall clock in a zone: the earlier or the later of a time that occurs twice; of a time that is skipped, the instant of the clock change. */
export function onClocks(wall: Temporal.PlainDateTime, timeZone: string, disambiguation: 'earlier' | 'later'): Temporal.ZonedDateTime {
  const first = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const exists = first.toPlainDateTime().equals(wall);
  if (!exists) return first.getTimeZoneTransition('next') ?? first;
  return disambiguation === 'earlier' ? first : wall.toZonedDateTime(timeZone, { disambiguation });
}
