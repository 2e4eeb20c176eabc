import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { type Busy, type FreeTimeQuery, findFreeTime } from '../../../src/domain/scheduling/free-time/free-time.ts';
import {
  findClosedReason,
  type Hours,
  type HoursException,
  type Timetable,
} from '../../../src/domain/scheduling/free-time/opening-hours.ts';

const MINUTE = 60_000;
const STEP = 5 * MINUTE;
const DAY = 86_400_000;
const utc = (written: string): number => Date.parse(`${written}Z`);

const weekly = (given: Partial<Hours>): Hours => ({
  providerId: 1,
  officeId: 1,
  weekday: 1,
  fromMinute: 9 * 60,
  untilMinute: 12 * 60,
  startsOn: null,
  endsOn: null,
  typeIds: [],
  capacity: null,
  bookableBy: ['staff'],
  ...given,
});

const halfHours = (given: Partial<FreeTimeQuery>): FreeTimeQuery => ({
  from: utc('2026-03-08T00:00'),
  until: utc('2026-03-09T12:00'),
  typeId: 5,
  length: 30 * MINUTE,
  bufferBefore: 0,
  bufferAfter: 0,
  capacity: 1,
  by: 'staff',
  most: 10_000,
  field: 'until',
  ...given,
});

const timetable = (hours: Hours[], exceptions: HoursException[] = [], zone = 'America/New_York'): Timetable => ({
  hours,
  exceptions,
  zones: new Map([[1, zone]]),
});

/** The clocks are asked once for each time of a zone. */
const clocks = new Map<string, { day: number; minute: number; weekday: number; wall: number }>();
function showing(at: number, zone: string) {
  const known = clocks.get(`${zone} ${at}`);
  if (known) return { at, ...known };
  const { year, month, day, hour, minute, dayOfWeek } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const midnight = Date.UTC(year, month - 1, day);
  const shown = { day: midnight, minute: hour * 60 + minute, weekday: dayOfWeek, wall: midnight + (hour * 60 + minute) * MINUTE };
  clocks.set(`${zone} ${at}`, shown);
  return { at, ...shown };
}

/** The free times of a clinic, step by step, by Temporal's clocks. */
function freeTimesByClock({ hours, exceptions, zones }: Timetable, busy: Busy[], query: FreeTimeQuery): string[] {
  const zone = zones.get(1) ?? 'UTC';
  const steps: ReturnType<typeof showing>[] = [];
  for (let at = query.from - 2 * DAY; at < query.until + 2 * DAY; at += STEP) steps.push(showing(at, zone));
  const wallAt = new Map(steps.map(({ at, wall }) => [at, wall]));
  const found = new Set<string>();
  for (const { weekday, fromMinute, untilMinute, typeIds } of hours) {
    if (typeIds.length > 0 && !typeIds.includes(query.typeId ?? 0)) continue;
    const open = steps.filter((one) => one.weekday === weekday && one.minute >= fromMinute && one.minute < untilMinute);
    let start = 0;
    for (const [index, { at }] of open.entries()) {
      if (open[index - 1]?.at !== at - STEP) start = at;
      if ((at - start) % query.length !== 0 || at < query.from || at >= query.until) continue;
      const visit = { from: at, until: at + query.length };
      const inside = open.filter((one) => one.at >= visit.from && one.at < visit.until);
      const isOpen = inside.length * STEP === query.length;
      const isClosed = inside.some((one) =>
        exceptions.some(({ from, until }) => from <= (wallAt.get(one.at) ?? 0) && (wallAt.get(one.at) ?? 0) < until),
      );
      const isBusy = busy.some((one) => one.from < visit.until + query.bufferAfter && visit.from - query.bufferBefore < one.until);
      if (isOpen && !isClosed && !isBusy) found.add(new Date(at).toISOString());
    }
  }
  return [...found].sort();
}

const CHANGES = [
  { zone: 'America/New_York', day: '2026-03-08' },
  { zone: 'America/New_York', day: '2026-11-01' },
  { zone: 'Australia/Lord_Howe', day: '2026-04-04' },
  { zone: 'Australia/Lord_Howe', day: '2026-10-03' },
  { zone: 'Asia/Kolkata', day: '2026-06-01' },
];
const fiveMinutes = (most: number) => fc.integer({ min: 0, max: most / 5 }).map((n) => n * 5);
const drawSpan = (day: number) =>
  fc.record({ begin: fiveMinutes(3 * 1440), length: fiveMinutes(300) }).map(({ begin, length }) => {
    const from = day + (begin - 1440) * MINUTE;
    return { from, until: from + (length + 5) * MINUTE };
  });
const hoursOfDay = fc
  .record({ weekday: fc.integer({ min: 1, max: 7 }), from: fiveMinutes(1_380), length: fiveMinutes(500), typed: fc.boolean() })
  .map(({ weekday, from, length, typed }) =>
    weekly({ weekday, fromMinute: from, untilMinute: Math.min(1440, from + length + 5), typeIds: typed ? [5] : [] }),
  );
const clinics = fc.constantFrom(...CHANGES).chain(({ zone, day }) =>
  fc.record({
    zone: fc.constant(zone),
    hours: fc.array(hoursOfDay, { maxLength: 6 }),
    closed: fc.array(drawSpan(utc(`${day}T00:00`)), { maxLength: 3 }),
    busy: fc.array(drawSpan(utc(`${day}T00:00`)), { maxLength: 6 }),
    from: drawSpan(utc(`${day}T00:00`)).map((span) => span.from),
    length: fc.constantFrom(5, 20, 30, 45),
    bufferBefore: fc.constantFrom(0, 10),
    bufferAfter: fc.constantFrom(0, 15),
  }),
);

describe('free time', () => {
  it('is what the hours, leave and visits of any clinic leave, over both changes of the clocks', () => {
    fc.assert(
      fc.property(clinics, ({ zone, hours, closed, busy: spans, from, length, bufferBefore, bufferAfter }) => {
        const query = halfHours({
          from,
          until: from + 2 * DAY,
          length: length * MINUTE,
          bufferBefore: bufferBefore * MINUTE,
          bufferAfter: bufferAfter * MINUTE,
        });
        const inOrder = spans.toSorted((a, b) => a.from - b.from);
        const busy = inOrder.map((span) => ({ ...span, providerId: 1, officeId: null, typeId: null, start: span.from }));
        const leave = closed.map((span) => ({ ...span, providerId: 1, officeId: null, available: false }));
        const clinic = timetable(hours, leave, zone);
        const found = findFreeTime(clinic, busy, query).map(({ start }) => new Date(start).toISOString());
        expect(found).toEqual(freeTimesByClock(clinic, busy, query));
      }),
    );
  });

  it('loses the hour that the clocks skip, and has the one that they repeat twice', () => {
    const nights = timetable([weekly({ weekday: 7, fromMinute: 0, untilMinute: 4 * 60 })]);
    const hour = { length: 60 * MINUTE };
    const spring = findFreeTime(nights, [], halfHours({ ...hour, from: utc('2026-03-08T00:00'), until: utc('2026-03-09T00:00') }));
    expect(spring.map(({ start }) => new Date(start).toISOString().slice(11, 16))).toEqual(['05:00', '06:00', '07:00']);
    const autumn = findFreeTime(nights, [], halfHours({ ...hour, from: utc('2026-11-01T00:00'), until: utc('2026-11-02T00:00') }));
    expect(autumn.map(({ start }) => new Date(start).toISOString().slice(11, 16))).toEqual(['04:00', '05:00', '06:00', '07:00', '08:00']);
  });

  it('counts the places of a group, and gives none beside another visit', () => {
    const query = halfHours({ capacity: 3, length: 60 * MINUTE });
    const nine = utc('2026-03-09T13:00');
    const visit = { providerId: 1, officeId: 1, typeId: 5, from: nine, until: nine + 60 * MINUTE, start: nine };
    const mondays = timetable([weekly({})]);
    expect(findFreeTime(mondays, [visit, visit], { ...query, until: nine + DAY }).map(({ left }) => left)).toEqual([1, 3, 3]);
    const other = { ...visit, typeId: 6 };
    expect(findFreeTime(mondays, [visit, other], { ...query, until: nine + DAY }).map(({ left }) => left)).toEqual([3, 3]);
  });

  it('says why a visit is not in the hours, and nothing where a provider has none', () => {
    const ten = { from: utc('2026-03-09T14:00'), until: utc('2026-03-09T14:30'), providerId: 1, officeId: 1 };
    const day = { from: utc('2026-03-09T00:00'), until: utc('2026-03-10T00:00'), available: false };
    const reason = (exceptions: HoursException[], visit = ten) => findClosedReason(timetable([weekly({})], exceptions), visit);
    expect(reason([])).toBeNull();
    expect(reason([{ ...day, providerId: null, officeId: null }])).toBe('holiday');
    expect(reason([{ ...day, providerId: null, officeId: 1 }])).toBe('office_closed');
    expect(reason([{ ...day, providerId: 1, officeId: null }])).toBe('outside_hours');
    expect(reason([], { ...ten, until: utc('2026-03-09T16:30') })).toBe('outside_hours');
    expect(reason([], { ...ten, providerId: 2 })).toBeNull();
    // Hours that were opened on a holiday are open.
    const opened = { ...day, providerId: 1, officeId: 1, available: true };
    expect(reason([{ ...day, providerId: null, officeId: null }, opened])).toBeNull();
    expect(reason([opened, { ...day, providerId: 1, officeId: null }])).toBe('outside_hours');
  });
});
