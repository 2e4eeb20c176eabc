import { Temporal } from 'temporal-polyfill';
import { onClocks } from './date-range.ts';

/** Calendar periods over which rows are summarized. A week begins on Monday. */
export type Period = 'day' | 'week' | 'month';

const LENGTHS = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const;

function firstDay(day: Temporal.PlainDate, period: Period): Temporal.PlainDate {
  if (period === 'month') return day.with({ day: 1 });
  return period === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day;
}

/**
 * The borders of the periods that a span of time touches, by the clocks of a zone: the first instant of each, and of the one after the last.
 * A day may have 23 or 25 hours. Statements take them as a parameter, since PostgreSQL has zone files of its own, which may differ.
 * @param span both instants included
 */
export function periodBorders(period: Period, span: { first: Date; last: Date }, timeZone: string): Date[] {
  const borders: Date[] = [];
  let day = firstDay(Temporal.Instant.fromEpochMilliseconds(span.first.getTime()).toZonedDateTimeISO(timeZone).toPlainDate(), period);
  let border: Date;
  do {
    border = new Date(onClocks(day.toPlainDateTime(), timeZone, 'earlier').epochMilliseconds);
    borders.push(border);
    day = day.add(LENGTHS[period]);
  } while (border <= span.last);
  return borders;
}
