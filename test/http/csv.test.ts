import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, writeCsv } from '../../src/http/wire/csv.ts';

const MARK = '\ufeff';
const fields = (csv: string): string[] => {
  const read = [...csv.slice(MARK.length).matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/gu)];
  return read.map(([, field = '']) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field));
};
const cell = (value: Cell) => fields(writeCsv([[value]]))[0];

const SIGNS = [...'=≠+-@＝＋－＠﹦﹢﹣﹫−‐‑‒–—―⁃˗⁺⁻₌➕➖゠﬩᠆⹀'];
const BLANKS = [
  '',
  ' ',
  '\u00a0',
  '\u3000',
  '\u2003',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u00ad',
  '\u2060',
  '\u0085',
  '\u3164',
  '\u2800',
  '\0',
];

describe('a table as CSV', () => {
  it('begins with the mark of UTF-8, and its lines end as RFC 4180 says', () => {
    expect(
      writeCsv([
        ['name', 'days'],
        ['Díaz', 3],
      ]),
    ).toBe(`${MARK}name,days\r\nDíaz,3\r\n`);
  });

  it('puts an apostrophe before a text that begins with a sign of a formula or its look-alike, also after blanks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...BLANKS), { maxLength: 4 }).map((blanks) => blanks.join('')),
        fc.constantFrom(...SIGNS),
        fc.string({ unit: 'binary' }),
        (blanks, sign, rest) => {
          expect(cell(`${blanks}${sign}${rest}`)).toBe(`'${blanks}${sign}${rest}`);
        },
      ),
      { numRuns: 500 },
    );
    for (const control of ['\t', '\r', '\n', '\t ', '=\u0338']) expect(cell(`${control}Ann`)).toBe(`'${control}Ann`);
  });

  it('has no field that begins with such a sign, and loses nothing of any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), (row) => {
        const read = fields(writeCsv([row]));
        expect(read.map((field, index) => (field === `'${row[index]}` ? row[index] : field))).toEqual(row);
        expect(read.every((field) => !/^[=+\-@\t\r]/.test(field.normalize('NFKD').trimStart()))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves numbers numbers, and other texts as they are', () => {
    expect([cell(-5), cell(2.5), cell(null)]).toEqual(['-5', '2.5', '']);
    for (const text of ['Ann', '120/80', '≥ 100', '<5', '90–140', 'a=b', '¿Cómo?', '李', '’s-Graven', '(+1) 212', '+19105550123'])
      expect(cell(text)).toBe(text);
  });
});
