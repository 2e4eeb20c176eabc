import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RETRY_SECONDS, readRetryAfter, secondsToNextAttempt } from '../../../src/domain/webhooks/schedule.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it('a delivery is attempted ten times: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, each a tenth more or less', () => {
  expect(RETRY_SECONDS.map((_, index) => secondsToNextAttempt(index + 1, null, () => 0.5))).toEqual([
    ...[5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), random, (attempts, drawn) => {
      const planned = RETRY_SECONDS[attempts - 1] ?? 0;
      const seconds = secondsToNextAttempt(attempts, null, () => drawn) ?? 0;
      expect(seconds).toBeGreaterThanOrEqual(planned * 0.9 - 1e-9);
      expect(seconds).toBeLessThanOrEqual(planned * 1.1 + 1e-9);
    }),
  );
  expect(secondsToNextAttempt(10, 60)).toBeNull();
});

it('a receiver may ask for longer, up to a day, and not for shorter', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 10_000_000 }), random, (attempts, asked, drawn) => {
      const without = secondsToNextAttempt(attempts, null, () => drawn) ?? 0;
      expect(secondsToNextAttempt(attempts, asked, () => drawn)).toBe(Math.max(without, Math.min(asked, 86_400)));
    }),
  );
});

it('Retry-After is a number of seconds or a date; anything else is nothing', () => {
  const now = new Date('2026-11-01T05:30:00Z');
  expect(readRetryAfter('120', now)).toBe(120);
  expect(readRetryAfter('Sun, 01 Nov 2026 05:31:00 GMT', now)).toBe(60);
  expect(readRetryAfter('Sun, 01 Nov 2020 05:31:00 GMT', now)).toBe(0);
  expect(readRetryAfter('soon', now)).toBeNull();
  expect(readRetryAfter(undefined, now)).toBeNull();
  fc.assert(
    fc.property(fc.string(), (header) => {
      const seconds = readRetryAfter(header, now);
      expect(seconds === null || seconds >= 0).toBe(true);
    }),
  );
});
