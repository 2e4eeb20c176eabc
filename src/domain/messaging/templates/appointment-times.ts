import { Temporal } from 'temporal-polyfill';
import { toLocale } from '../../values/languages.ts';

/**
 * An instant on the clock of a zone, in a language: `Tue, Dec 29, 10:00 AM` or `mar, 29 de dic, 10:00 a.m.`. The zone's name follows
 * where the clock shows the same time twice that day, and where the patient's own clock shows another.
 * @param tag the language, as languageTag gives it
 * @param patientZone zone of the patient's own clock; null or undefined where it is not known
 */
export function shortAppointmentTime(startsAt: Date, timeZone: string, tag: string, patientZone?: string | null): string {
  const options = { weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZone } as const;
  return nameZoneWhereNeeded(formatInstant(startsAt, tag, options), startsAt, { timeZone, tag, patientZone });
}

/** The time of day alone, with the zone's name as shortAppointmentTime has it: `10:00 AM` or `10:00 a.m.`. */
export function appointmentTimeOfDay(startsAt: Date, timeZone: string, tag: string, patientZone?: string | null): string {
  return nameZoneWhereNeeded(timeOfDay(startsAt, timeZone, tag), startsAt, { timeZone, tag, patientZone });
}

/** The time of day without a zone. */
export const timeOfDay = (instant: Date, timeZone: string, tag: string): string =>
  formatInstant(instant, tag, { hour: 'numeric', minute: '2-digit', timeZone });

/** `November 28, 2026 at 11:59 PM EST` or `28 de noviembre de 2026 a las 11:59 p.m. EST`. */
export const longMoment = (instant: Date, timeZone: string, tag: string): string =>
  formatInstant(instant, tag, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });

/** An instant in a language. Some ICU versions write a narrow no-break space before AM and PM, which is not in GSM-7. */
export const formatInstant = (instant: Date, tag: string, options: Intl.DateTimeFormatOptions): string =>
  findFormat(tag, options).format(instant).replaceAll(/\s/g, ' ');

const MOST_KEPT = 100;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are kept: making one takes longer than using it. */
function findFormat(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([tag, options]);
  const known = formats.get(key);
  if (known) return known;
  if (formats.size === MOST_KEPT) formats.clear();
  const format = new Intl.DateTimeFormat(toLocale(tag), options);
  formats.set(key, format);
  return format;
}

/** The short name of a zone at an instant: `MST`. */
export const zoneName = (instant: Date, timeZone: string, tag: string): string =>
  findFormat(tag, { timeZone, timeZoneName: 'short' })
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;

interface Clock {
  timeZone: string;
  tag: string;
  patientZone: string | null | undefined;
}

function nameZoneWhereNeeded(written: string, instant: Date, { timeZone, tag, patientZone }: Clock): string {
  const there = wallTime(instant, timeZone);
  const differs = patientZone != null && !wallTime(instant, patientZone).equals(there);
  return differs || occursTwice(there, timeZone) ? `${written} ${zoneName(instant, timeZone, tag)}` : written;
}

const wallTime = (instant: Date, timeZone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();

function occursTwice(wall: Temporal.PlainDateTime, timeZone: string): boolean {
  const [first, second] = (['earlier', 'later'] as const).map((disambiguation) => wall.toZonedDateTime(timeZone, { disambiguation }));
  return first?.epochMilliseconds !== second?.epochMilliseconds;
}
