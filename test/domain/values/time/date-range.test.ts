import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/domain/errors.ts';
import { type DateRange, readRange } from '../../../../src/domain/values/time/date-range.ts';

const fields = { min: 'from', max: 'to' };
const read = (min: string | undefined, max: string | undefined, zone = 'America/New_York', offsets = true) =>
  readRange({ min, max, fields }, async () => zone, { offsets });
const written = ({ from, before }: DateRange) => [from?.toISOString() ?? null, before?.toISOString() ?? null];

describe('a range of dates', () => {
  it.each([
    ['America/New_York', undefined, undefined, null, null],
    ['America/New_York', '2026-03-08', undefined, '2026-03-08T05:00:00.000Z', null],
    ['America/New_York', undefined, '2026-03-08', null, '2026-03-09T04:00:00.000Z'],
    ['America/New_York', '2026-11-01', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['Asia/Kolkata', '2026-03-08', '2026-03-08', '2026-03-07T18:30:00.000Z', '2026-03-08T18:30:00.000Z'],
    ['America/Phoenix', '2026-03-08', '2026-03-08', '2026-03-08T07:00:00.000Z', '2026-03-09T07:00:00.000Z'],
    // A day that begins at one o'clock.
    ['America/Santiago', '2026-09-06', '2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    // The hour that comes twice belongs to the range twice.
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T01:30:00', '2026-11-01T05:30:00.000Z', '2026-11-01T06:30:01.000Z'],
    // The time that is skipped is when the clocks are changed.
    ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T02:30:00', '2026-03-08T07:00:00.000Z', '2026-03-08T07:00:01.000Z'],
    ['America/New_York', '2026-03-09T00:00:00', '2026-03-09T23:59:59.999', '2026-03-09T04:00:00.000Z', '2026-03-10T04:00:00.000Z'],
    ['America/New_York', '2026-03-09 00:00', '2026-03-09T23:59', '2026-03-09T04:00:00.000Z', '2026-03-10T03:59:01.000Z'],
    ['America/New_York', '2026-03-09T00:00:00Z', '2026-03-09T00:00:00+05:30', undefined, undefined],
    ['America/New_York', '2026-03-09T00:00:00+05:30', '2026-03-09T00:00:00 05:30', '2026-03-08T18:30:00.000Z', '2026-03-08T18:30:01.000Z'],
    ['America/New_York', '2026-03-09T00:00:00 0000', '2026-03-09T00:00:00z', '2026-03-09T00:00:00.000Z', '2026-03-09T00:00:01.000Z'],
  ])('in %s from %s to %s is from %s and before %s', async (zone, min, max, from, before) => {
    if (from === undefined) await expect(read(min, max, zone)).rejects.toThrow('from: must not be after to');
    else expect(written(await read(min, max, zone))).toEqual([from, before]);
  });

  it('asks for the zone only where a bound needs it', async () => {
    const ask = (min: string | undefined, max: string | undefined) =>
      readRange({ min, max, fields }, () => Promise.reject(new Error('asked')));
    await expect(ask('2026-03-08T00:00:00Z', '2026-03-09T00:00:00+01:00')).resolves.toBeDefined();
    await expect(ask('2026-03-08T00:00:00Z', '2026-03-09')).rejects.toThrow('asked');
  });

  it.each([
    '',
    ' ',
    'today',
    '2026-3-8',
    '2026-02-30',
    '2026-03-08T24:30',
    '1899-12-31',
    '2200-01-01',
    '2026-03-08T10:00:00+15:00',
    '20260308',
  ])('refuses %j and names the bound', async (text) => {
    for (const [min, max, field] of [[text, undefined, 'from'] as const, [undefined, text, 'to'] as const]) {
      await expect(read(min, max)).rejects.toMatchObject({ kind: 'invalid', issues: [{ field }] });
    }
  });

  it('never takes what it does not understand, whatever it is', async () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?( ?[+-]?\d\d:?\d\d|Z)?)?$/));
    const run = fc.asyncProperty(texts, texts, async (min, max) => {
      const range = await read(min, max).catch((error: unknown) => error);
      if (range instanceof Failure) expect(range.kind).toBe('invalid');
      else expect(range).toEqual({ from: expect.any(Date), before: expect.any(Date) });
    });
    await fc.assert(run, { numRuns: 500 });
  });

  it('of any two moments is refused exactly when the first is after the second', async () => {
    const moments = fc
      .date({ min: new Date('1950-01-01'), max: new Date('2150-01-01'), noInvalidDate: true })
      .map((date) => `${date.toISOString().slice(0, 19)}Z`);
    const run = fc.asyncProperty(moments, moments, async (min, max) => {
      const range = await read(min, max).catch(() => null);
      expect(range === null).toBe(min > max);
      if (range) expect(written(range)[0]).toBe(min.replace('Z', '.000Z'));
    });
    await fc.assert(run);
  });

  it('has no offset where none is allowed', async () => {
    for (const text of ['2026-03-08T10:00:00Z', '2026-03-08T10:00:00+00:00', '2026-03-08T10:00:00 00:00', '2026-03-08T10:00-05'])
      await expect(read(undefined, text, 'UTC', false)).rejects.toMatchObject({ issues: [{ field: 'to', code: 'offset_not_allowed' }] });
    expect(written(await read('2026-03-08', '2026-03-08T10:00:00', 'UTC', false))).toEqual([
      '2026-03-08T00:00:00.000Z',
      '2026-03-08T10:00:01.000Z',
    ]);
  });
});
