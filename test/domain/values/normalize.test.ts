import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLongRun, normalize } from '../../../src/domain/values/normalize.ts';
import { asSeen, fold } from '../../../src/domain/values/same-text.ts';
import { multiLine, oneLine } from '../../../src/domain/values/text-form.ts';
import { codePoint } from '../../support/code-point.ts';

const form = fc.constantFrom('NFC' as const, 'NFKC' as const, 'NFKD' as const);
const marks = fc.stringMatching(/^[\u0301\u0323\u0327\u0f73\u3099\uff9e\uff9f]{31,200}$/u);

describe('a text', () => {
  it('without long runs of marks is normalized as Unicode says', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), form, (text, name) => {
        fc.pre(!hasLongRun(text));
        expect(normalize(text, name)).toBe(text.normalize(name));
      }),
    );
  });

  it('keeps the first thirty marks of a longer run', () => {
    fc.assert(
      fc.property(marks, form, (run, name) => {
        expect(hasLongRun(`a${run}`)).toBe(true);
        expect(normalize(`a${run}b`, name)).toBe(`a${run.slice(0, 30)}b`.normalize(name));
      }),
    );
  });

  it.each([oneLine, asSeen, fold])('has no more of them in any form: %s', (toForm) => {
    for (const run of ['\u0301\u0323', '\uff9e', '\u0323\u200b', '\u0301\u00ad\u0323'])
      expect(toForm(`a${run.repeat(10_000)}`).length).toBeLessThan(100);
    expect(multiLine(`a${'\u0301\u0323'.repeat(10_000)}`).length).toBeLessThan(100);
  });
});
