import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSegments } from '../../../../src/domain/messaging/templates/sms-segments.ts';

const gsm = (segments: number) => ({ segments, encoding: 'GSM-7' });
const ucs = (segments: number) => ({ segments, encoding: 'UCS-2' });

describe('the segments of a text', () => {
  it.each([
    ['nothing', '', gsm(0)],
    ['a word', 'Hello', gsm(1)],
    ['160 letters', 'a'.repeat(160), gsm(1)],
    ['161 letters', 'a'.repeat(161), gsm(2)],
    ['306 letters', 'a'.repeat(306), gsm(2)],
    ['307 letters', 'a'.repeat(307), gsm(3)],
    ['1,600 letters', 'a'.repeat(1_600), gsm(11)],
    ['accents that GSM-7 has, and line ends', 'ñ è é ù ì ò Ç Ø å Δ Ω\r\n'.repeat(6), gsm(1)],
    ['80 euro signs, of two places each', '€'.repeat(80), gsm(1)],
    ['81 euro signs', '€'.repeat(81), gsm(2)],
    ['a euro sign that would be torn between two segments', `${'a'.repeat(152)}€${'a'.repeat(152)}`, gsm(3)],
    ['the same places without one', `${'a'.repeat(153)}${'a'.repeat(153)}`, gsm(2)],
    ['70 characters with one that GSM-7 lacks', `ê${'a'.repeat(69)}`, ucs(1)],
    ['71 characters with one that GSM-7 lacks', `ê${'a'.repeat(70)}`, ucs(2)],
    ['134 characters of UCS-2', 'ê'.repeat(134), ucs(2)],
    ['135 characters of UCS-2', 'ê'.repeat(135), ucs(3)],
    ['a curly apostrophe', 'It’s time', ucs(1)],
    ['35 emoji, of two places each', '😀'.repeat(35), ucs(1)],
    ['36 emoji', '😀'.repeat(36), ucs(2)],
    ['an emoji that would be torn', '😀'.repeat(67), ucs(3)],
    ['small ç, which GSM-7 lacks though it has Ç', 'ç', ucs(1)],
    ['a grave accent, which GSM-7 lacks', '`', ucs(1)],
    ['braces, brackets and the like', '{}[]~|^\\', gsm(1)],
  ])('of %s', (_, text, expected) => {
    expect(countSegments(text)).toEqual(expected);
  });

  it('never grow fewer when a text grows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.string({ unit: 'grapheme', maxLength: 50 }), (text, more) => {
        expect(countSegments(text + more).segments).toBeGreaterThanOrEqual(countSegments(text).segments);
      }),
    );
  });
});
