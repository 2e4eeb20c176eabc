import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { edgesOf } from '../../../src/domain/monitoring/readings/reading-buckets.ts';
import { convertReading, rounded } from '../../../src/domain/values/reading-units.ts';

describe('a value in another unit', () => {
  it.each([
    [220.462, 'lb', 'kg', 100],
    [1, 'kg', 'lb', 2.205],
    [98.6, '°F', '°C', 37],
    [36.6, 'Cel', '[degF]', 97.88],
    [-40, 'C', 'F', -40],
    [70, 'in', 'cm', 177.8],
    [180, 'CM', 'inches', 70.866],
    [120, 'mm[Hg]', 'kPa', 15.999],
    [16, 'kpa', 'mmHg', 120.01],
    [7.5, 'mmol/L', ' MMOL/L ', 7.5],
  ])('%s %s is in %s %s', (value, from, to, converted) => {
    expect(convertReading(value, from, to)).toBe(converted);
  });

  it.each([
    ['mg/dL', 'mmol/L'],
    ['kg', 'cm'],
    ['', 'kg'],
  ])('is not guessed: %s is not brought to %s', (from, to) => {
    expect(convertReading(5, from, to)).toBeNull();
  });

  it.each([
    ['lb', 'kg'],
    ['°F', '°C'],
    ['in', 'cm'],
    ['kPa', 'mmHg'],
  ])('comes back as it was, but for the rounding, and keeps its order: %s and %s', (one, other) => {
    let last = Number.NEGATIVE_INFINITY;
    for (let thousandths = -60_000; thousandths <= 400_000; thousandths += 737) {
      const value = thousandths / 1_000;
      const there = convertReading(value, one, other) ?? Number.NaN;
      expect(there).toBe(rounded(there));
      expect(there).toBeGreaterThanOrEqual(last);
      expect(Math.abs((convertReading(there, other, one) ?? Number.NaN) - value)).toBeLessThanOrEqual(0.0051);
      last = there;
    }
  });

  it('is rounded to three decimals as people round, the half away from zero', () => {
    expect([1.0005, 2.6745, -1.0005, 0.0004, -0.0004, 1e9].map(rounded)).toEqual([1.001, 2.675, -1.001, 0, 0, 1e9]);
  });
});

/** Both changes of the clocks of a year: by day, by night at midnight, and where there are none. */
const ZONES = ['America/New_York', 'America/Los_Angeles', 'Europe/Berlin', 'America/Havana', 'Africa/Cairo', 'Asia/Kathmandu', 'UTC'];

describe.each(ZONES)('the periods of a year in %s', (zone) => {
  it('follow each other without a gap, and hold each instant once', () => {
    for (const bucket of ['day', 'week', 'month'] as const) {
      const step = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } }[bucket];
      // A Monday, and the first day of a month.
      let start = Temporal.PlainDate.from('2026-06-01');
      let before: Date | null = null;
      while (start.year < 2028) {
        const { from, to } = edgesOf(bucket, start.toString(), zone);
        if (before) expect(from, `${bucket} ${start}`).toEqual(before);
        const last = Temporal.Instant.fromEpochMilliseconds(to.getTime() - 1)
          .toZonedDateTimeISO(zone)
          .toPlainDate();
        const first = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(zone).toPlainDate();
        expect([first.toString(), last.add({ days: 1 }).toString()]).toEqual([start.toString(), start.add(step).toString()]);
        before = to;
        start = start.add(step);
      }
    }
  });
});

it('a day has 23 hours where the clocks go forward, and 25 where they go back', () => {
  const hours = (day: string) => {
    const { from, to } = edgesOf('day', day, 'America/New_York');
    return (to.getTime() - from.getTime()) / 3_600_000;
  };
  expect(['2026-03-08', '2026-11-01', '2026-11-02'].map(hours)).toEqual([23, 25, 24]);
});
