import { describe, expect, it } from 'vitest';
import { zoneOffsets } from '../../../../src/domain/values/time/zone-offsets.ts';

const JANUARY = '2026-01-15T12:00:00Z';
const JULY = '2026-07-15T12:00:00Z';

describe('the offsets of a zone', () => {
  it.each([
    // zone, January, July, standard, clocks are changed
    ['America/New_York', -5, -4, -5, true],
    ['US/Eastern', -5, -4, -5, true],
    ['America/Los_Angeles', -8, -7, -8, true],
    ['America/Phoenix', -7, -7, -7, false],
    ['Pacific/Honolulu', -10, -10, -10, false],
    ['America/Puerto_Rico', -4, -4, -4, false],
    ['Pacific/Guam', 10, 10, 10, false],
    ['UTC', 0, 0, 0, false],
    ['Asia/Kolkata', 5, 5, 5, false],
    ['Asia/Kathmandu', 5, 5, 5, false],
    ['America/St_Johns', -4, -3, -4, true],
    ['Europe/Berlin', 1, 2, 1, true],
    ['Europe/Dublin', 0, 1, 0, true],
    ['Australia/Sydney', 11, 10, 10, true],
    ['Australia/Brisbane', 10, 10, 10, false],
    ['Australia/Lord_Howe', 11, 10, 10, true],
    ['Pacific/Auckland', 13, 12, 12, true],
    ['Africa/Casablanca', 1, 1, 0, true],
    ['Pacific/Kiritimati', 14, 14, 14, false],
  ])('%s is %i hours from UTC in January, %i in July, %i by its standard', (zone, january, july, standard, observesDaylightSaving) => {
    expect(zoneOffsets(zone, new Date(JANUARY))).toEqual({ today: january, standard, observesDaylightSaving });
    expect(zoneOffsets(zone, new Date(JULY))).toEqual({ today: july, standard, observesDaylightSaving });
  });

  it.each([
    ['set forward', '2026-03-08T06:59:59Z', -5, '2026-03-08T07:00:00Z', -4],
    ['put back', '2026-11-01T05:59:59Z', -4, '2026-11-01T06:00:00Z', -5],
  ])('change at the second at which the clocks are %s, and the standard one stays', (_, before, earlier, after, later) => {
    expect(zoneOffsets('America/New_York', new Date(before))).toMatchObject({ today: earlier, standard: -5 });
    expect(zoneOffsets('America/New_York', new Date(after))).toMatchObject({ today: later, standard: -5 });
  });

  it('have a standard one on every day of a year, whatever today’s is', () => {
    for (let day = 0; day < 366; day += 1) {
      const now = new Date(Date.UTC(2026, 0, 1 + day));
      expect(zoneOffsets('America/New_York', now)).toMatchObject({ standard: -5, observesDaylightSaving: true });
      expect(zoneOffsets('Australia/Sydney', now)).toMatchObject({ standard: 10, observesDaylightSaving: true });
    }
  });

  it('are those of a country that gave up changing its clocks, from its last change on', () => {
    expect(zoneOffsets('Europe/Istanbul', new Date('2016-07-15T12:00:00Z'))).toEqual({
      today: 3,
      standard: 3,
      observesDaylightSaving: false,
    });
  });
});
