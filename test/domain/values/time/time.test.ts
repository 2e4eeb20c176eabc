import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/domain/errors.ts';
import { momentAt, readDay, readMoment, writeDay, writeInstant, writeLocal } from '../../../../src/domain/values/time/time.ts';
import { pageOfTimeZones, readTimeZone } from '../../../../src/domain/values/time/time-zones.ts';
import { codePoint } from '../../../support/code-point.ts';

const ZONES = [
  'America/New_York',
  'America/Phoenix',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Europe/London',
  'Pacific/Apia',
  'UTC',
];
const zone = fc.constantFrom(...ZONES);
const seconds = (from: string, to: string) =>
  fc.integer({ min: Date.parse(from) / 1000, max: Date.parse(to) / 1000 }).map((second) => new Date(second * 1000));
const instant = seconds('1901-01-01T00:00:00Z', '2199-12-30T00:00:00Z');
/** Hours around clock changes, where mistakes live. */
const nearClockChange = fc
  .tuple(
    fc.constantFrom('2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z', '2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z', '2011-12-30T10:00:00Z'),
    fc.integer({ min: -7200, max: 7200 }),
  )
  .map(([change, second]) => new Date(Date.parse(change) + second * 1000));
const anyInstant = fc.oneof(instant, nearClockChange);

/** Anything at all, and what nearly is a date. */
const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'0123456789-:TtZz+., '), maxLength: 40 }),
  fc
    .tuple(
      fc.nat(99_999),
      fc.nat(99),
      fc.nat(99),
      fc.nat(99),
      fc.nat(99),
      fc.nat(99),
      fc.constantFrom('', 'Z', '+99:00', '-05:00', '+0530', '+05', '+14:01'),
    )
    .map(([year, ...rest]) => {
      const [month, day, hour, minute, second] = rest.map((part) => String(part).padStart(2, '0'));
      return `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}${rest[5]}`;
    }),
);

describe('a moment', () => {
  it('comes back as the same instant from its own wall clock, or as the earlier of the two that show it', () => {
    fc.assert(
      fc.property(anyInstant, zone, (at, timeZone) => {
        const wall = writeLocal(momentAt(at, timeZone).local);
        if (wall === null) throw new Error('no wall clock');
        const read = readMoment(wall, timeZone, 'date');
        expect(writeLocal(read.local)).toBe(wall);
        expect(read.instant.getTime()).toBeLessThanOrEqual(at.getTime());
        expect(writeLocal(momentAt(read.instant, timeZone).local)).toBe(wall);
        if (timeZone === 'UTC' || timeZone === 'Asia/Kolkata') expect(at.getTime() - read.instant.getTime()).toBeLessThan(3_600_000);
        if (timeZone === 'UTC') expect(read.instant).toEqual(at);
      }),
      { numRuns: 500 },
    );
  });

  it('is the instant that its offset says, whatever the zone and however the offset is written', () => {
    const offset = fc.tuple(fc.constantFrom(1, -1), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 59 }));
    fc.assert(
      fc.property(instant, zone, offset, fc.boolean(), (at, timeZone, [sign, hours, minutes], colon) => {
        const shifted = new Date(at.getTime() + sign * (hours * 60 + minutes) * 60_000).toISOString().slice(0, 19);
        const digits = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(colon ? ':' : '');
        const read = readMoment(`${shifted}${sign < 0 ? '-' : '+'}${digits}`, timeZone, 'date');
        expect(read.instant).toEqual(at);
        expect(read.local).toEqual(momentAt(at, timeZone).local);
        expect(readMoment(writeInstant(at), timeZone, 'date')).toEqual(read);
      }),
    );
  });

  it('shows the wall clock that was written, or is refused', () => {
    const wall = seconds('1950-01-01T00:00:00Z', '2100-01-01T00:00:00Z').map((date) => date.toISOString().slice(0, 19));
    fc.assert(
      fc.property(
        fc.oneof(
          wall,
          nearClockChange.map((date) => date.toISOString().slice(0, 19)),
        ),
        zone,
        (written, timeZone) => {
          const outcome = attempt(() => readMoment(written, timeZone, 'date'));
          if (outcome instanceof Failure) expect(outcome.issues).toMatchObject([{ field: 'date', code: 'skipped_by_clock_change' }]);
          else expect(writeLocal(outcome.local)).toBe(written);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is read from any text or refused by name, and nothing else happens', () => {
    fc.assert(
      fc.property(anyText, zone, (text, timeZone) => {
        const outcome = attempt(() => readMoment(text, timeZone, 'date'));
        if (outcome instanceof Failure) expect(outcome).toMatchObject({ kind: 'invalid', issues: [{ field: 'date' }] });
        else expect(Number.isFinite(outcome.instant.getTime()) && Number.isFinite(outcome.local.getTime())).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('drops fractions of a second and takes a space or a small letter for the T', () => {
    const plain = readMoment('2026-03-09T09:30:15', 'America/New_York', 'date');
    for (const written of [
      '2026-03-09 09:30:15',
      '2026-03-09t09:30:15.999',
      '2026-03-09T09:30:15,5',
      ' 2026-03-09T09:30:15 ',
      '2026-03-09T09:30:15-04',
    ]) {
      expect(readMoment(written, 'America/New_York', 'date')).toEqual(plain);
    }
  });

  it('has whole years from 1900 to 2199, and no leap second', () => {
    for (const written of [
      '1899-12-31T23:59:59',
      '2200-01-01T00:00:00',
      '0000-01-01T00:00:00',
      '2016-12-31T23:59:60Z',
      '2026-01-01T24:00:00',
    ]) {
      expect(attempt(() => readMoment(written, 'UTC', 'date'))).toBeInstanceOf(Failure);
    }
    expect(writeLocal(readMoment('1900-01-01T00:00:00', 'America/New_York', 'date').local)).toBe('1900-01-01T00:00:00');
    expect(writeLocal(readMoment('2199-12-31T23:59:59', 'Asia/Kolkata', 'date').local)).toBe('2199-12-31T23:59:59');
  });
});

describe('a calendar day', () => {
  it('is read exactly when it exists, and written back as it came', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1850, max: 2199 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (year, month, day) => {
          const written = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
          const utc = new Date(Date.UTC(year, month - 1, day));
          const exists = utc.getUTCMonth() === month - 1 && utc.getUTCDate() === day;
          expect(writeDay(readDay(written))).toBe(exists ? written : null);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is null for any other text, and for years that nobody was born in', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const day = readDay(text);
        if (day !== null) expect(writeDay(day)).toBe(text.trim());
      }),
    );
    for (const written of [
      '1849-12-31',
      '2200-01-01',
      '0000-01-01',
      '10000-01-01',
      '2025-02-29',
      '1900-02-29',
      '1980-2-9',
      '1980-02-29T00:00:00Z',
      '',
    ]) {
      expect(readDay(written), written).toBeNull();
    }
  });
});

describe('a time zone', () => {
  it.each([
    ['america/new_york', 'America/New_York'],
    ['US/Eastern', 'America/New_York'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['US/East-Indiana', 'America/Indiana/Indianapolis'],
    ['PST8PDT', 'America/Los_Angeles'],
    ['Europe/Oslo', 'Europe/Oslo'],
    ['utc', 'UTC'],
    ['Zulu', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['est', 'EST'],
  ])('is known by any of its names in any spelling: %s is %s', (written, name) => {
    expect(readTimeZone(written)).toBe(name);
  });

  it('has a present name that stays, and that the list of zones has, but for fixed offsets', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const present = readTimeZone(name);
      expect(present).not.toBeNull();
      expect(readTimeZone(present ?? '')).toBe(present);
    }
    const listed = new Set(pageOfTimeZones(new Date(), { page: 1, limit: 1_000 }).items.map(({ name }) => name));
    for (const alias of ['US/Eastern', 'Asia/Calcutta', 'Europe/Kiev', 'GB', 'Japan', 'Zulu'])
      expect(listed).toContain(readTimeZone(alias));
  });

  it('is no offset, no date with a zone in it, and no other text', () => {
    expect(
      ['+05:00', '-05:00', 'Mars/Olympus', '', 'UTC\0', '2026-01-01T00:00[America/New_York]', 'America/New_York ', 'Z'].map(readTimeZone),
    ).toEqual(Array(8).fill(null));
    fc.assert(
      fc.property(anyText, (text) => {
        const name = readTimeZone(text);
        if (name !== null) expect(readTimeZone(name)).toBe(name);
      }),
    );
  });
});

function attempt<T>(read: () => T): T | Failure {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
