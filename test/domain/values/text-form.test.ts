import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlank, multiLine, oneLine } from '../../../src/domain/values/text-form.ts';
import { codePoint } from '../../support/code-point.ts';

describe('a single-line text', () => {
  it.each([
    [' Leading', 'Leading'],
    ['\u{e0000}', ''],
    ["O'Hara ", "O'Hara"],
    ['Mary \t Ann', 'Mary Ann'],
    ['Mary\u00a0Ann', 'Mary Ann'],
    ['Mary\r\nAnn\u2028Lee\u0085Kim', 'Mary Ann Lee Kim'],
    ['\u3000山田\u3000太郎\u3000', '山田 太郎'],
    ['\u200bHV-\u206010001\ufeff', 'HV-10001'],
    ['Nun\u0303ez', 'Núñez'.replace('ú', 'u')],
    ['e\u200b\u0301', 'é'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['Be\u0007ll\u009f\u007f', 'Bell'],
    ['\u0001 \u001f', ''],
    [' \u00a0\u200b', ''],
  ])('%j has the form %j', (written, form) => {
    expect(oneLine(written)).toBe(form);
  });

  it('in form stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (written) => {
        const form = oneLine(written);
        expect(oneLine(form)).toBe(form);
        expect(form).not.toMatch(/^\s|\s$|\s\s/);
        expect(isBlank(written)).toBe(form === '');
      }),
    );
  });
});

it('texts that are nearly blank are read as fast as others', () => {
  for (const blank of ['\t', '\ufeff', '\u0085', '\u2800', '\u00ad']) {
    const written = `${blank.repeat(10_000)}x`;
    expect([isBlank(written), oneLine(written).endsWith('x'), multiLine(written).endsWith('x')]).toEqual([false, true, true]);
  }
});

it('a text of several lines with nothing to see is empty', () => {
  for (const written of ['\u00ad\u2060', ' \u200b\u00ad', '\n\t', '\u2800\u3164', '\ufe0f']) expect(multiLine(written)).toBe('');
});

it('a text of several lines keeps them', () => {
  expect(multiLine('  Dear Ann,\r\n\n\t see\u0007  you\u0301 \n')).toBe('Dear Ann,\r\n\n\t see  yoú');
});
