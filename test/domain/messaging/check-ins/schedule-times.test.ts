import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { lastOccurrence, nextOccurrence, PERIODS, type Period } from '../../../../src/domain/messaging/check-ins/schedule-times.ts';

const day = (text: string) => new Date(`${text}T00:00:00Z`);
const rhythm = (period: Period, time: string, startsOn: string, more: { weekdays?: number[]; endsOn?: Date } = {}) => ({
  period,
  time,
  startsOn: day(startsOn),
  weekdays: [],
  endsOn: null,
  ...more,
});
const requireNext = (...of: Parameters<typeof nextOccurrence>) => {
  const found = nextOccurrence(...of);
  if (!found) throw new Error('it has ended');
  return found;
};

/** The next occurrences, as day and instant. */
function series(of: ReturnType<typeof rhythm>, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let at = new Date(after); found.length < count; ) {
    const next = requireNext(of, zone, at);
    found.push(`${next.on.toISOString().slice(0, 10)} ${next.at.toISOString().slice(0, 16)}`);
    at = next.at;
  }
  return found;
}

describe('what recurs', () => {
  it('every day keeps its time on the clocks when they go forward and back in New York', () => {
    expect(series(rhythm('daily', '09:00', '2031-01-01'), 'America/New_York', '2031-03-08T12:00:00Z', 3)).toEqual([
      '2031-03-08 2031-03-08T14:00',
      '2031-03-09 2031-03-09T13:00',
      '2031-03-10 2031-03-10T13:00',
    ]);
    expect(series(rhythm('daily', '09:00', '2031-01-01'), 'America/New_York', '2031-11-01T12:00:00Z', 3)).toEqual([
      '2031-11-01 2031-11-01T13:00',
      '2031-11-02 2031-11-02T14:00',
      '2031-11-03 2031-11-03T14:00',
    ]);
  });

  it('keeps it south of the equator too, where they go forward in October and back in April', () => {
    expect(series(rhythm('weekly', '18:30', '2031-03-23'), 'Australia/Sydney', '2031-03-29T00:00:00Z', 3)).toEqual([
      '2031-03-30 2031-03-30T07:30',
      '2031-04-06 2031-04-06T08:30',
      '2031-04-13 2031-04-13T08:30',
    ]);
    expect(series(rhythm('weekly', '18:30', '2031-09-28'), 'Australia/Sydney', '2031-09-28T00:00:00Z', 2)).toEqual([
      '2031-09-28 2031-09-28T08:30',
      '2031-10-05 2031-10-05T07:30',
    ]);
  });

  it.each([
    ['New York', 'America/New_York', '2031-03-09', '2031-03-09T07:00:00.000Z'],
    ['Sydney', 'Australia/Sydney', '2031-10-05', '2031-10-04T16:00:00.000Z'],
    ['Lord Howe, by half an hour', 'Australia/Lord_Howe', '2031-10-05', '2031-10-04T15:30:00.000Z'],
  ])('at a time that the clocks skip, is the moment after the gap: %s', (_, zone, date, at) => {
    const { on, at: found } = requireNext(rhythm('daily', '02:15', '2031-01-01'), zone, new Date(day(date).getTime() - 14 * 3_600_000));
    expect([on, found.toISOString()]).toEqual([day(date), at]);
  });

  it.each([
    ['New York', 'America/New_York', '2031-11-02', '2031-11-02T05:30:00.000Z', '2031-11-03'],
    ['Auckland', 'Pacific/Auckland', '2031-04-06', '2031-04-05T13:30:00.000Z', '2031-04-07'],
  ])('at a time that the clocks show twice, is the first of the two and only that: %s', (place, zone, date, at, following) => {
    const of = rhythm('daily', place === 'Auckland' ? '02:30' : '01:30', '2031-01-01');
    const first = requireNext(of, zone, new Date(day(date).getTime() - 15 * 3_600_000));
    expect([first.on, first.at.toISOString()]).toEqual([day(date), at]);
    expect(requireNext(of, zone, first.at).on).toEqual(day(following));
  });

  it('every month on the 31st is on the last day of shorter months, and on the 31st again', () => {
    expect(series(rhythm('monthly', '08:00', '2031-12-31'), 'UTC', '2031-12-31T09:00:00Z', 5).map((one) => one.slice(0, 10))).toEqual([
      '2032-01-31',
      '2032-02-29',
      '2032-03-31',
      '2032-04-30',
      '2032-05-31',
    ]);
    expect(series(rhythm('monthly', '08:00', '2030-11-30'), 'UTC', '2031-01-30T08:00:00Z', 2).map((one) => one.slice(0, 10))).toEqual([
      '2031-02-28',
      '2031-03-30',
    ]);
    expect(series(rhythm('monthly', '08:00', '2030-11-29'), 'UTC', '2031-01-29T08:00:00Z', 2).map((one) => one.slice(0, 10))).toEqual([
      '2031-02-28',
      '2031-03-29',
    ]);
  });

  it('runs on the days of the week that it has, every week of them, and ends with its last day', () => {
    const of = rhythm('weekly', '09:00', '2031-03-05', { weekdays: [1, 4], endsOn: day('2031-03-13') });
    expect(series(of, 'America/New_York', '2031-03-01T00:00:00Z', 3)).toEqual([
      '2031-03-06 2031-03-06T14:00',
      '2031-03-10 2031-03-10T13:00',
      '2031-03-13 2031-03-13T13:00',
    ]);
    expect(nextOccurrence(of, 'America/New_York', new Date('2031-03-13T13:00:00Z'))).toBeNull();
    expect(lastOccurrence(of, 'America/New_York', new Date('2031-04-01T00:00:00Z'))?.on).toEqual(day('2031-03-13'));
    expect(lastOccurrence(of, 'America/New_York', new Date('2031-03-06T13:00:00Z'))).toBeNull();
  });

  it('begins on its first day and not before, however far that is', () => {
    const of = rhythm('weekly', '10:00', '2035-05-05');
    expect(requireNext(of, 'UTC', new Date('2031-01-01T00:00:00Z')).at).toEqual(new Date('2035-05-05T10:00:00Z'));
    expect(lastOccurrence(of, 'UTC', new Date('2035-05-05T09:59:59Z'))).toBeNull();
    expect(lastOccurrence(of, 'UTC', new Date('2035-05-05T10:00:00Z'))?.on).toEqual(day('2035-05-05'));
  });

  const zones = [
    'America/New_York',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Pacific/Auckland',
    'America/Sao_Paulo',
    'Asia/Kathmandu',
    'UTC',
  ];
  const anyTime = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const within = { min: new Date('2009-01-01'), max: new Date('2033-01-01'), noInvalidDate: true };
  const anyDay = fc.date(within).map((date) => date.toISOString().slice(0, 10));
  const any = fc.tuple(fc.constantFrom(...PERIODS), anyTime, anyDay, fc.constantFrom(...zones), fc.date(within));

  it('never comes twice, and the next one after an instant is the one that no other lies before', () => {
    fc.assert(
      fc.property(any, ([period, time, startsOn, zone, after]) => {
        const of = rhythm(period, time, startsOn);
        const next = requireNext(of, zone, after);
        expect(next.at.getTime()).toBeGreaterThan(after.getTime());
        expect(next.on.getTime()).toBeGreaterThanOrEqual(of.startsOn.getTime());
        expect(lastOccurrence(of, zone, next.at)?.at).toEqual(next.at);
        const before = lastOccurrence(of, zone, new Date(next.at.getTime() - 1));
        if (before) expect(before.at.getTime()).toBeLessThanOrEqual(after.getTime());
        else expect(next.on).toEqual(of.startsOn);
      }),
      { numRuns: 300 },
    );
  });

  it('shows its time on the clocks of the place, or later where they skip it', () => {
    fc.assert(
      fc.property(any, ([period, time, startsOn, zone, after]) => {
        const { on, at } = requireNext(rhythm(period, time, startsOn), zone, after);
        const wall = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
        const meant = Temporal.PlainDate.from(on.toISOString().slice(0, 10)).toPlainDateTime(time);
        const hours = wall.since(meant).total('hours');
        expect(hours).toBeGreaterThanOrEqual(0);
        // Samoa skipped a whole day when it crossed the date line.
        expect(hours).toBeLessThanOrEqual(zone === 'Pacific/Apia' ? 24 : 1);
      }),
      { numRuns: 300 },
    );
  });
});
