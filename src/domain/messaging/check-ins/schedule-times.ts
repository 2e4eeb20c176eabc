import { Temporal } from 'temporal-polyfill';
import { onClocks } from '../../values/date-range.ts';

export const PERIODS = ['daily', 'weekly', 'monthly'] as const;
export type Period = (typeof PERIODS)[number];

/** When something recurs, by the clocks of a place. */
export interface Recurrence {
  period: Period;
  /** `HH:MM` */
  time: string;
  /** The first day, a Date at midnight UTC; a week repeats its weekday, a month its day or, where that is missing, the last. */
  startsOn: Date;
}

/** One time that something recurs. */
export interface Occurrence {
  /** Whose turn it is: the day as it is counted, a Date at midnight UTC. */
  on: Date;
  /** A time that the clocks skip is when they do; one that they show twice is the first. */
  at: Date;
}

const UNITS = { daily: 'days', weekly: 'weeks', monthly: 'months' } as const;

/** The first occurrence after an instant. */
export function nextOccurrence(rhythm: Recurrence, timeZone: string, after: Date): Occurrence {
  let index = Math.max(0, approximateIndex(rhythm, timeZone, after));
  for (;;) {
    const occurrence = occurrenceAt(rhythm, timeZone, index);
    if (occurrence.at > after) return occurrence;
    index += 1;
  }
}

/** The newest occurrence until an instant, that instant included; null where the first is still to come. */
export function lastOccurrence(rhythm: Recurrence, timeZone: string, until: Date): Occurrence | null {
  // Two further than the rough one: it is never more than one too low.
  for (let index = approximateIndex(rhythm, timeZone, until) + 2; index >= 0; index -= 1) {
    const occurrence = occurrenceAt(rhythm, timeZone, index);
    if (occurrence.at <= until) return occurrence;
  }
  return null;
}

/** Of the occurrence about an instant, a day or a period too low at most; below zero before the first. */
function approximateIndex({ period, startsOn }: Recurrence, timeZone: string, instant: Date): number {
  const today = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  const unit = UNITS[period];
  return Math.floor(dayOf(startsOn).until(today, { largestUnit: unit })[unit]) - 1;
}

function occurrenceAt({ period, time, startsOn }: Recurrence, timeZone: string, index: number): Occurrence {
  // Always from the first day, so that the 31st comes back after a month of thirty days.
  const day = dayOf(startsOn).add({ [UNITS[period]]: index });
  const moment = onClocks(day.toPlainDateTime(time), timeZone, 'earlier');
  return { on: new Date(`${day.toString()}T00:00:00Z`), at: new Date(moment.epochMilliseconds) };
}

const dayOf = (date: Date) => Temporal.PlainDate.from(date.toISOString().slice(0, 10));
