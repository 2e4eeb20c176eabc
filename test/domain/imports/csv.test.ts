import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CsvReader, findSeparator } from '../../../src/domain/imports/rows/csv.ts';

/** The cells that a reader finds in pieces of a text. */
function readAll(separator: string, pieces: readonly string[]): string[][] {
  const reader = new CsvReader(separator);
  return [...pieces.flatMap((piece) => reader.read(piece)), ...reader.end()].map(({ cells }) => cells);
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '"', ',', ';', '\n', '\r', "'") });
const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });

it('reads what was written, however the text is cut', () => {
  fc.assert(
    fc.property(
      rows,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(20)),
      (table, separator, end, cuts) => {
        const text = table.map((one) => `${one.map(quoted).join(separator)}${end}`).join('');
        const pieces: string[] = [];
        let from = 0;
        for (const length of cuts) {
          pieces.push(text.slice(from, from + length));
          from += length;
        }
        expect(readAll(separator, [...pieces, text.slice(from)])).toEqual(table);
      },
    ),
    { numRuns: 200 },
  );
});

it('names the line on which each row begins, of quoted cells with lines too', () => {
  const reader = new CsvReader(',');
  const found = [...reader.read('a,b\r\n\n"one\ntwo",x\r\nlast,"open'), ...reader.end()];
  expect(found).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 3, cells: ['one\ntwo', 'x'] },
    { line: 5, cells: ['last', 'open'], fault: 'has an unclosed quote' },
  ]);
});

it('finds the separator in the first row', () => {
  expect(['a,b', 'a;b', 'a\tb;c\td', '"x;y;z",b\n1;2;3;4', 'alone'].map(findSeparator)).toEqual([',', ';', '\t', ',', ',']);
});
