import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/domain/messaging/answers/answers.ts';
import { readConsent } from '../../../src/domain/messaging/answers/consent-reading.ts';
import { parseAnswers } from '../../../src/domain/messaging/check-ins/check-in-answers.ts';
import { readQuestions } from '../../../src/domain/messaging/check-ins/surveys.ts';
import { readPhone } from '../../../src/domain/values/phone-numbers.ts';
import { asSeen, foldComparedName, hasWords } from '../../../src/domain/values/same-text.ts';
import { recordNumber } from '../../../src/domain/values/text-form.ts';
import { sharedTestApp } from '../../support/app.ts';
import { codePoint } from '../../support/code-point.ts';

const test = await sharedTestApp();

/** Other ways to write a character that a person does not tell apart from it. */
const DISGUISES: Readonly<Record<string, readonly string[]>> = {
  "'": ['’', '‘', 'ʼ', '`', '＇'],
  '-': ['‐', '‑', '–', '—', '－'],
  ' ': ['\u00a0', '\u3000', '\u2009'],
  f: ['ｆ', '𝐟'],
  o: ['ｏ', '\u200bo', 'o\u2060'],
  e: ['ｅ', '\u00ade', 'e\u{e0061}'],
  ...Object.fromEntries(
    [...'0123456789'].map((digit, at) => [
      digit,
      ['٠', '०', '０', '𝟎'].map((zero) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + at)),
    ]),
  ),
};

/** A text in one of its disguises. */
const disguised = (text: string) =>
  fc
    .tuple(...[...text].map((character) => fc.constantFrom(character, ...(DISGUISES[character] ?? []))))
    .map((characters) => characters.join(''));

const measured = (written: string) => {
  const question = { key: 'it', kind: 'number', text: 'How much?', itemId: 1 };
  return parseAnswers(
    readQuestions([question]).map((one) => ({
      question: one,
      item: { id: 1, name: 'Weight', unit: 'lb', plausibleMin: -1e9, plausibleMax: 1e9 },
    })),
    { it: written },
  ).answers;
};

describe('what is the same to a person', () => {
  it.each<[string, (text: string) => unknown, readonly string[]]>([
    ['names', foldComparedName, ["O'Brien", 'Smith-Jones', 'de la Cruz']],
    ['urgent words', (text) => hasWords(`I ${text} today`, "can't breathe"), ["can't breathe", 'cannot breathe']],
    ['consent', (text) => readConsent(text), ['stop', "don't text me again", 'no more texts', 'remove me', 'hello there']],
    ['answers', (text) => readAnswer(text), ["can't come", 'ok see you then', 'no', '1', '12 and 2', 'the moon']],
    ['numbers', measured, ['180', '98.6 lb', '-5', 'none']],
    ['telephone numbers', readPhone, ['910-555-0123', '+1 910 555 0123', '910 555']],
    ['record numbers', recordNumber, ['HV-1000', 'of 77 e']],
    ['itself', asSeen, ["Offer: 5 - 'one'"]],
  ])('is the same to the reader of %s', (_, reader, texts) => {
    for (const text of texts)
      fc.assert(
        fc.property(disguised(text), (written) => {
          expect(reader(written)).toEqual(reader(text));
        }),
        { numRuns: 60 },
      );
  });

  it('is settled by one reading', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(foldComparedName(foldComparedName(text))).toBe(foldComparedName(text));
      }),
    );
  });

  it('is the same in the database, for each character that a name may have', async () => {
    const characters = Array.from({ length: 0xffff }, (_, at) => at + 1)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      // Names have no digits; the last letters are newer than the Unicode of some databases.
      .filter((character) => !/[\p{Nd}\p{Cc}\p{Cn}\p{Co}\u1c89\u1c8a\ua7cb-\ua7ff]/u.test(character));
    const rows = await test.database.prisma.$queryRaw<{ key: string }[]>`
      SELECT without_separators(fold('x' || c || 'Y')) AS key FROM unnest(${characters}::text[]) WITH ORDINALITY AS u (c, at) ORDER BY at`;
    const differing = characters.filter((character, at) => rows[at]?.key !== foldComparedName(`x${character}Y`));
    expect(differing.map((character) => `${character.codePointAt(0)?.toString(16)} ${character}`)).toEqual([]);
  });
});
