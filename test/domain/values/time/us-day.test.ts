import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeUsDay as writeText } from '../../../../src/apis/practice/patients/record/patient-formats.wire.ts';
import { dayAt, readDay, readUsDay, writeDay } from '../../../../src/domain/values/time/time.ts';

const writeUsDay = (day: Date | null) => writeText(writeDay(day));

describe('a day as mm/dd/yyyy', () => {
  it('that was written is read as the same day, and is the same as YYYY-MM-DD', () => {
    const days = fc.date({ min: new Date('1850-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(days, (instant) => {
        const day = dayAt(instant, 'UTC');
        const written = writeUsDay(day) ?? '';
        expect(written).toMatch(/^\d\d\/\d\d\/\d{4}$/);
        expect(readUsDay(written)).toEqual(day);
        expect(readUsDay(written)).toEqual(readDay(writeDay(day) ?? ''));
      }),
    );
    expect(writeUsDay(null)).toBeUndefined();
  });

  it('is read from any three numbers only where there is such a day', () => {
    const number = (longest: number) => fc.stringMatching(new RegExp(`^\\d{1,${longest}}$`));
    fc.assert(
      fc.property(fc.tuple(number(2), number(2), number(4)), ([month, day, year]) => {
        const read = readUsDay(`${month}/${day}/${year}`);
        const padded = [month, day].map((digits) => digits.padStart(2, '0'));
        expect(read === null ? null : writeUsDay(read)).toBe(read === null ? null : `${padded.join('/')}/${year}`);
        expect(read).toEqual(readDay(`${year}-${padded.join('-')}`));
      }),
      { numRuns: 500 },
    );
  });

  it('is nothing in another order, of other digits or with words around', () => {
    for (const text of ['', '1980-02-29', '29/02/1980', '02/29/80', '02-29-1980', '٠٢/٢٩/١٩٨٠', 'on 02/29/1980', '02/29/1980 10:00']) {
      expect(readUsDay(text), text).toBeNull();
    }
  });
});

describe('the day at a place', () => {
  it.each([
    ['2026-03-08T04:59:59Z', '2026-03-07'],
    ['2026-03-08T05:00:00Z', '2026-03-08'],
    ['2026-03-09T03:59:59Z', '2026-03-08'],
    ['2026-03-09T04:00:00Z', '2026-03-09'],
    ['2026-11-02T04:59:59Z', '2026-11-01'],
    ['2026-11-02T05:00:00Z', '2026-11-02'],
  ])('changes at midnight there, before and after a clock change: %s is %s in New York', (instant, day) => {
    expect(writeDay(dayAt(new Date(instant), 'America/New_York'))).toBe(day);
  });
});
