import { Temporal } from 'temporal-polyfill';

/** A step on the calendar and the clocks of a place. Weeks begin on Monday. */
export interface CalendarStep {
  unit: 'hour' | 'day' | 'week' | 'month';
  /** Of hours a divisor of 24, of months a divisor of 12. */
  count: number;
}

const HOURS = { hour: 1, day: 24, week: 168, month: 720 } as const;

/** The first step of which a range has no more than about `most`; whole years where each has more. @param steps from the shortest on */
export function stepFor({ from, before }: { from: Date; before: Date }, most: number, steps: readonly CalendarStep[]): CalendarStep {
  const hours = (before.getTime() - from.getTime()) / 3_600_000;
  return steps.find(({ unit, count }) => hours / (HOURS[unit] * count) <= most) ?? { unit: 'month', count: 12 };
}

/**
 * The instants at which steps begin in a zone: from the last at or before `from` to the first at or after `before`. A day is as long
 * as the clocks of the zone make it, so that steps of days, weeks and months begin at midnight also after a change of the clocks.
 * Hours that the clocks skip or repeat make a step longer or shorter, but for steps of one hour, which are hours of 60 minutes.
 */
export function calendarSteps(from: Date, before: Date, timeZone: string, step: CalendarStep): Date[] {
  const edges: number[] = [];
  for (let index = 0; ; index += 1) {
    const edge = edgeAt(from, timeZone, step, index);
    if (edge <= from.getTime()) edges.length = 0;
    if (edge !== edges.at(-1)) edges.push(edge);
    if (edge >= before.getTime()) return edges.map((instant) => new Date(instant));
  }
}

/** The instant, in milliseconds, of the step of this index; the first begins at or before `from`. */
function edgeAt(from: Date, timeZone: string, { unit, count }: CalendarStep, index: number): number {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timeZone);
  const day = start.toPlainDate();
  const midnight = (date: Temporal.PlainDate) => date.toZonedDateTime(timeZone).epochMilliseconds;
  switch (unit) {
    case 'hour': {
      if (count === 1) return start.round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds + index * 3_600_000;
      const hours = index * count;
      const wall = day.add({ days: Math.floor(hours / 24) }).toPlainDateTime({ hour: hours % 24 });
      return wall.toZonedDateTime(timeZone).epochMilliseconds;
    }
    case 'day':
      return midnight(day.add({ days: index * count }));
    case 'week':
      return midnight(day.subtract({ days: day.dayOfWeek - 1 }).add({ weeks: index * count }));
    case 'month': {
      const first = day.with({ day: 1 }).subtract({ months: (day.month - 1) % count });
      return midnight(first.add({ months: index * count }));
    }
  }
}
