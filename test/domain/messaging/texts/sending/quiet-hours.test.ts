import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfQuietHours } from '../../../../../src/domain/messaging/recipients/quiet-hours.ts';

const NIGHT = { start: '21:00', end: '08:00' };
const end = (now: string, zone: string, hours = NIGHT) => endOfQuietHours(new Date(now), zone, hours)?.toISOString() ?? null;

describe('quiet hours', () => {
  it.each([
    ['before nine in the evening', '2031-01-15T20:59:59-05:00', null],
    ['from nine', '2031-01-15T21:00:00-05:00', '2031-01-16T13:00:00.000Z'],
    ['after midnight', '2031-01-16T00:30:00-05:00', '2031-01-16T13:00:00.000Z'],
    ['before eight', '2031-01-16T07:59:59-05:00', '2031-01-16T13:00:00.000Z'],
    ['from eight', '2031-01-16T08:00:00-05:00', null],
    ['into the night in which the clocks go forward', '2031-03-08T22:00:00-05:00', '2031-03-09T12:00:00.000Z'],
    ['into the night in which they go back', '2031-11-01T22:00:00-04:00', '2031-11-02T13:00:00.000Z'],
  ])('by the clocks of New York: %s', (_, now, until) => {
    expect(end(now, 'America/New_York')).toBe(until);
  });

  it('are by the clocks of the patient, not of the practice', () => {
    const now = '2031-01-15T21:30:00-05:00';
    expect(end(now, 'America/New_York')).not.toBeNull();
    expect(end(now, 'America/Los_Angeles')).toBeNull();
    expect(end('2031-01-15T08:30:00-05:00', 'Pacific/Honolulu')).toBe('2031-01-15T18:00:00.000Z');
  });

  it('may lie within one day', () => {
    const hours = { start: '01:00', end: '06:30' };
    expect(end('2031-01-15T00:59:00Z', 'UTC', hours)).toBeNull();
    expect(end('2031-01-15T01:00:00Z', 'UTC', hours)).toBe('2031-01-15T06:30:00.000Z');
  });

  it('end when the clocks go on, where they skip the end', () => {
    expect(end('2031-03-09T01:30:00-05:00', 'America/New_York', { start: '21:00', end: '02:30' })).toBe('2031-03-09T07:30:00.000Z');
  });

  it('are none where both are the same', () => {
    expect(end('2031-01-15T03:00:00Z', 'UTC', { start: '00:00', end: '00:00' })).toBeNull();
  });

  it.each(['', '9 pm', '25:00', '21:60', '21:00:00'])('are those that the law accepts where "%s" is written', (start) => {
    expect(end('2031-01-15T22:00:00Z', 'UTC', { start, end: '08:00' })).toBe('2031-01-16T08:00:00.000Z');
  });

  it('begin again at once where a clock change skips all that is not quiet', () => {
    const hours = { start: '03:00', end: '02:00' };
    expect(end('2032-03-13T20:00:00Z', 'America/New_York', hours)).toBe('2032-03-14T07:00:00.000Z');
    expect(end('2032-03-14T07:00:00Z', 'America/New_York', hours)).toBe('2032-03-15T06:00:00.000Z');
  });

  it('end later than now, within a day, and at a time that is not quiet, unless a clock change skips it', () => {
    const clock = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
    const zone = fc.constantFrom('America/New_York', 'Pacific/Honolulu', 'Australia/Lord_Howe', 'UTC', 'America/St_Johns');
    const now = fc.date({ min: new Date('2030-01-01'), max: new Date('2033-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(now, zone, clock, clock, (at, timeZone, start, stop) => {
        const hours = { start, end: stop };
        const until = endOfQuietHours(at, timeZone, hours);
        if (until === null) return;
        expect(until.getTime()).toBeGreaterThan(at.getTime());
        expect(until.getTime() - at.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
        const clockThen = until.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
        if (clockThen === stop) expect(endOfQuietHours(until, timeZone, hours)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});
