import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, it } from 'vitest';
import { type Period, periodBorders } from '../../../../src/domain/values/time/periods.ts';
import { dayAt, momentAt, writeDay } from '../../../../src/domain/values/time/time.ts';

/** Both changes of the clocks of a year by day, by night at midnight, by half an hour, and where there are none. */
const ZONES = [
  ...[
    'America/New_York',
    'America/Edmonton',
    'Europe/Berlin',
    'America/Havana',
    'Africa/Cairo',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'UTC',
  ],
];
const zone = fc.constantFrom(...ZONES);
const instant = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }).map((at) => new Date(at));
const toDay = (at: Date, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();

it('the day of an instant is that of the calendar, in whatever order instants are asked for', () => {
  fc.assert(
    fc.property(zone, fc.array(instant, { minLength: 1, maxLength: 8 }), (timeZone, instants) => {
      for (const at of instants) expect(writeDay(dayAt(at, timeZone))).toBe(toDay(at, timeZone).toString());
    }),
  );
});

it('periods follow each other without a gap, and each instant of the span is in the one whose first day is its own', () => {
  const periods = fc.constantFrom<Period>('day', 'week', 'month');
  fc.assert(
    fc.property(zone, periods, instant, fc.integer({ min: 0, max: 100 * 86_400_000 }), (timeZone, period, first, length) => {
      const last = new Date(first.getTime() + length);
      const borders = periodBorders(period, { first, last }, timeZone);
      expect(borders.at(0)?.getTime()).toBeLessThanOrEqual(first.getTime());
      expect(borders.at(-2)?.getTime()).toBeLessThanOrEqual(last.getTime());
      expect(borders.at(-1)?.getTime()).toBeGreaterThan(last.getTime());
      for (const border of borders) {
        expect(
          toDay(new Date(border.getTime() - 1), timeZone)
            .add({ days: 1 })
            .toString(),
        ).toBe(toDay(border, timeZone).toString());
        if (period === 'week') expect(toDay(border, timeZone).dayOfWeek).toBe(1);
        if (period === 'month') expect(toDay(border, timeZone).day).toBe(1);
      }
      const days = new Set(borders.map((border) => toDay(border, timeZone).toString()));
      expect(days.size).toBe(borders.length);
    }),
  );
});

it('a day has 23 hours where the clocks go forward, and 25 where they go back', () => {
  const hours = (day: string) => {
    const noon = new Date(`${day}T17:00:00Z`);
    const [from, to] = periodBorders('day', { first: noon, last: noon }, 'America/New_York');
    return ((to?.getTime() ?? 0) - (from?.getTime() ?? 0)) / 3_600_000;
  };
  expect(['2026-03-08', '2026-11-01', '2026-11-02'].map(hours)).toEqual([23, 25, 24]);
  expect(momentAt(new Date('2026-11-02T05:00:00Z'), 'America/New_York').local.toISOString()).toContain('T00:00:00');
});
