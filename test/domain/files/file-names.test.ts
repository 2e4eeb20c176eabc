import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeFileName } from '../../../src/domain/files/file-names.ts';
import { attachmentNamed } from '../../../src/http/endpoints/run/downloads.ts';
import { codePoint } from '../../support/code-point.ts';

const hostile = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 700 }),
  fc.string({ unit: 'grapheme', maxLength: 700 }),
  fc.string({
    unit: fc.constantFrom('.', '/', '\\', ' ', '"', '\0', '\r', '\n', '\u202e', '\ud800', 'a', 'é', '😀', '%', ';', '='),
    maxLength: 700,
  }),
);

describe('a harmless name', () => {
  it('is one short line without a path, whatever was sent', () => {
    fc.assert(
      fc.property(hostile, (sent) => {
        const name = sanitizeFileName(sent);
        expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\<>:"|?*%]|^[. ]|[. ]$|^$/u);
        expect(name.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      }),
    );
  });

  it('is left alone once it is harmless', () => {
    fc.assert(
      fc.property(hostile, (sent) => {
        expect(sanitizeFileName(sanitizeFileName(sent))).toBe(sanitizeFileName(sent));
      }),
    );
  });

  it.each([
    ['report.pdf', 'report.pdf'],
    ['Müller 😀.pdf', 'Müller 😀.pdf'],
    ['  a \t b  .txt ', 'a b .txt'],
    ['con', '_con'],
    ['LPT1.tar.gz', '_LPT1.tar.gz'],
    ['.htaccess', 'htaccess'],
    ['a\u0000b.txt', 'ab.txt'],
    ['50%.csv', '50_.csv'],
    ['result.svg', 'result.txt'],
    [`${'x'.repeat(55)}.html${'y'.repeat(20)}`, `${'x'.repeat(55)}.txt`],
    ['', 'file'],
    [`${'x'.repeat(200)}.jpeg`, `${'x'.repeat(55)}.jpeg`],
    [`x.${'y'.repeat(200)}`, `x.${'y'.repeat(58)}`],
  ])('of %j is %j', (sent, harmless) => {
    expect(sanitizeFileName(sent)).toBe(harmless);
  });
});

describe('Content-Disposition', () => {
  it('is a header of ASCII in which the name ends no quotes, and that gives the name back', () => {
    fc.assert(
      fc.property(hostile, (sent) => {
        const name = sanitizeFileName(sent);
        const header = attachmentNamed(name);
        const [, plain = '', encoded] =
          /^attachment; filename="([\x20-\x7e]*?)"(?:; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*))?$/.exec(header) ?? [];
        expect(plain, header).toMatch(/^[^"\\%]+$/);
        expect(encoded === undefined ? plain : decodeURIComponent(encoded)).toBe(name);
      }),
    );
  });
});
