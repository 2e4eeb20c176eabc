import { Temporal } from 'temporal-polyfill';
import { onClocks } from '../../values/time/date-range.ts';

export const PERIODS = ['daily', 'weekly', 'monthly'] as const;
export type Period = (typeof PERIODS)[number];

/** A recurrence rule in the local time of a zone. */
export interface Recurrence {
  period: Period;
  /** `HH:MM`, local time. */
  time: string;
  /**
   * First day, a Date at midnight UTC. Weekly rules repeat its weekday, monthly rules its day of the month or the last
   * day of a shorter month.
   */
  startsOn: Date;
  /** 1 for Monday to 7: of a daily or a weekly rule, the days that it has. Empty: all of its days. */
  weekdays: readonly number[];
  /** Last day, a Date at midnight UTC; null for none. */
  endsOn: Date | null;
}

const CLOCK_TIME = /^(\d{1,2}):([0-5]\d)(?::00)?(?:\s?([ap])\.?m\.?)?$/i;

/** Reads a time of day as `HH:MM`: `9:00`, `09:00:00` and `9:00 AM` are `09:00`. Null for what is none, such as `24:00`. */
export function readClockTime(written: string): string | null {
  const [, hours, minutes, half] = CLOCK_TIME.exec(written.trim()) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const hour = Number(hours);
  if (half !== undefined && (hour < 1 || hour > 12)) return null;
  const ofDay = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return ofDay > 23 ? null : `${String(ofDay).padStart(2, '0')}:${minutes}`;
}

export interface Occurrence {
  /** Nominal day, a Date at midnight UTC. */
  on: Date;
  /** A local time that a clock change skips moves to the end of the gap; one that occurs twice is the earlier. */
  at: Date;
}

const UNITS = { daily: 'days', weekly: 'weeks', monthly: 'months' } as const;

/** Days of the week are days that a rule leaves out. */
const findUnit = ({ period, weekdays }: Recurrence) => UNITS[weekdays.length > 0 ? 'daily' : period];

/** First occurrence after an instant; null where there is none any more. */
export function nextOccurrence(recurrence: Recurrence, timeZone: string, after: Date): Occurrence | null {
  let index = Math.max(0, approximateIndex(recurrence, timeZone, after));
  for (;;) {
    const occurrence = occurrenceAt(recurrence, timeZone, index);
    if (recurrence.endsOn !== null && occurrence.on > recurrence.endsOn) return null;
    if (occurrence.at > after && isOnDay(recurrence, occurrence)) return occurrence;
    index += 1;
  }
}

/** Latest occurrence at or before an instant; null where the first is still to come. */
export function lastOccurrence(recurrence: Recurrence, timeZone: string, until: Date): Occurrence | null {
  // The approximate index is at most one too low, so starting two above it is enough.
  for (let index = approximateIndex(recurrence, timeZone, until) + 2; index >= 0; index -= 1) {
    const occurrence = occurrenceAt(recurrence, timeZone, index);
    const hasEnded = recurrence.endsOn !== null && occurrence.on > recurrence.endsOn;
    if (!hasEnded && occurrence.at <= until && isOnDay(recurrence, occurrence)) return occurrence;
  }
  return null;
}

const isOnDay = ({ weekdays }: Recurrence, { on }: Occurrence): boolean => weekdays.length === 0 || weekdays.includes(on.getUTCDay() || 7);

/** Index of the occurrence near an instant, at most a day or a period too low; negative before the first. */
function approximateIndex(recurrence: Recurrence, timeZone: string, instant: Date): number {
  const today = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  const unit = findUnit(recurrence);
  return Math.floor(toDay(recurrence.startsOn).until(today, { largestUnit: unit })[unit]) - 1;
}

function occurrenceAt(recurrence: Recurrence, timeZone: string, index: number): Occurrence {
  const { time, startsOn } = recurrence;
  // Counted from the first day, so that a rule on the 31st returns to it after a shorter month.
  const day = toDay(startsOn).add({ [findUnit(recurrence)]: index });
  const moment = onClocks(day.toPlainDateTime(time), timeZone, 'earlier');
  return { on: new Date(`${day.toString()}T00:00:00Z`), at: new Date(moment.epochMilliseconds) };
}

const toDay = (date: Date) => Temporal.PlainDate.from(date.toISOString().slice(0, 10));
