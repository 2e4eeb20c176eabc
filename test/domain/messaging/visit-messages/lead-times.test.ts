import { describe, expect, it } from 'vitest';
import { momentFrom, readLeadTime } from '../../../../src/domain/messaging/visit-messages/lead-times.ts';

describe('a time before or after a visit', () => {
  it.each([
    ['7d', '7d'],
    ['7 days', '7d'],
    [' 1 Day ', '1d'],
    ['P7D', '7d'],
    ['PT2H', '2h'],
    ['2 hours', '2h'],
    ['24h', '24h'],
    ['90m', '90m'],
    ['120 minutes', '2h'],
    ['365d', '365d'],
  ])('%s is read as %s', (written, lead) => expect(readLeadTime(written)).toBe(lead));

  it.each(['', '7', '0d', '-1d', '366d', '9000h', '1w', '1.5h', 'P1DT2H', '7d2h', 'tomorrow'])('%j is none', (written) =>
    expect(readLeadTime(written)).toBeNull(),
  );

  it.each([
    ['a day ahead, over the hour that is left out', '2031-03-09T13:30:00Z', '1d', true, '2031-03-08T14:30:00Z'],
    ['a day ahead, over the hour that comes twice', '2031-11-02T14:30:00Z', '1d', true, '2031-11-01T13:30:00Z'],
    ['hours ahead, over the hour that is left out', '2031-03-09T13:30:00Z', '24h', true, '2031-03-08T13:30:00Z'],
    ['hours ahead, over the hour that comes twice', '2031-11-02T14:30:00Z', '24h', true, '2031-11-01T14:30:00Z'],
    ['a wall clock that is left out a day ahead', '2031-03-10T06:30:00Z', '1d', true, '2031-03-09T07:00:00Z'],
    ['a wall clock that comes twice a day ahead', '2031-11-03T06:30:00Z', '1d', true, '2031-11-02T05:30:00Z'],
    ['a day after the second hour of two', '2031-11-02T06:30:00Z', '1d', false, '2031-11-03T06:30:00Z'],
    ['the last day of a shorter month', '2031-03-31T13:30:00Z', '31d', true, '2031-02-28T14:30:00Z'],
  ])('%s', (_, instant, lead, before, expected) => {
    expect(momentFrom(new Date(instant), 'America/New_York', { lead, before })).toEqual(new Date(expected));
  });
});
