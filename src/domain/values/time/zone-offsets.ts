import { Temporal } from 'temporal-polyfill';

/** UTC offsets of a zone in whole hours, rounded down. */
export interface ZoneOffsets {
  /** At the given moment. */
  today: number;
  /** Without daylight saving time. */
  standard: number;
  /** The clocks are changed at least once in the twelve months to come. */
  observesDaylightSaving: boolean;
}

const HOUR_NS = 3_600_000_000_000;

/**
 * The offsets of a zone as of a moment. The standard one is the smallest of the twelve months to come: south of the equator
 * that of their winter too, and in Ireland and Morocco also, whose laws call the smaller one the exception. Looking ahead, a
 * country that has given up changing its clocks is right from its last change on.
 */
export function zoneOffsets(timeZone: string, now: Date): ZoneOffsets {
  const moment = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const end = moment.add({ years: 1 });
  const offsets = [moment.offsetNanoseconds];
  let change = moment.getTimeZoneTransition('next');
  while (change && Temporal.ZonedDateTime.compare(change, end) < 0) {
    offsets.push(change.offsetNanoseconds);
    change = change.getTimeZoneTransition('next');
  }
  return {
    today: wholeHours(moment.offsetNanoseconds),
    standard: wholeHours(Math.min(...offsets)),
    observesDaylightSaving: new Set(offsets).size > 1,
  };
}

/** Down and not to the nearest: so today's and the standard one differ where the clocks are changed by half an hour. */
const wholeHours = (nanoseconds: number) => Math.floor(nanoseconds / HOUR_NS);
