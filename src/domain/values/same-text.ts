import { normalize } from './normalize.ts';

/**
 * Texts that look the same to a person are the same: all that people write is read and compared through this file. Names in the database are compared by
 * fold() and without_separators() of the schema, which agree with it.
 */

const APOSTROPHES = /['‘’‚‛`´ʹʻ-ʿˈ′＇]/g;
const DASHES = /[\p{Pd}\u2043\u2212]/gu;
const QUOTES = /["“”„‟«»‹›「」『』〝-〟＂]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/** Blanks other than line ends. */
const BLANKS = /[^\S\n]+/g;
/** Characters that are drawn as nothing, or only turn the direction. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;
/** ASCII without the grave accent, control characters and doubled blanks: already as it is seen, as nearly all texts are. */
const AS_SEEN = /^(?:[!-_a-~]+(?: [!-_a-~]+)*)?$/;

/**
 * A text as a person sees it: one kind of apostrophe, hyphen, quote, blank and line end, European digits, characters of one width, no ligatures
 * and nothing invisible. Case and accents stay.
 */
export const asSeen = (text: string): string =>
  AS_SEEN.test(text)
    ? text
    : normalize(
        text
          .replaceAll(INVISIBLE, '')
          .replaceAll(LINE_ENDS, '\n')
          .replaceAll(APOSTROPHES, "'")
          .replaceAll(DASHES, '-')
          .replaceAll(QUOTES, '"'),
        'NFKC',
      )
        .replaceAll(INVISIBLE, '')
        .replaceAll(/\p{Nd}/gu, toDigit)
        .replaceAll(BLANKS, ' ')
        .replaceAll(/^ | $/gm, '');

/** The digits of a script follow each other from its zero on. */
function toDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

/** Letters with a stroke, and pairs of letters, that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/** Accents, and the vowel signs of Hebrew and Arabic, which people leave out. The vowels of other scripts are marks too, and stay. */
const ACCENTS = /(?=[\p{sc=Inherited}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}])[\p{Mn}\p{Me}](?<![\u3099\u309a])/gu;

/** A text as it is seen, in lower case and without accents. */
export const fold = (text: string): string =>
  AS_SEEN.test(text)
    ? text.toLowerCase()
    : normalize(asSeen(text), 'NFKD')
        .replaceAll(ACCENTS, '')
        .toLowerCase()
        .replaceAll(ACCENTS, '')
        .replaceAll(SPECIAL, (letter) => LETTERS[letter] ?? letter)
        .normalize('NFC');

/** The words of a folded text with single blanks between them. Apostrophes are no part of a word, and hyphens divide words. */
export const foldWords = (text: string): string =>
  fold(text)
    .replaceAll("'", '')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();

const SEPARATORS = new RegExp(`[\\s\\u0085]|${[APOSTROPHES, DASHES, QUOTES].map(({ source }) => source).join('|')}`, 'gu');

/** A name as it is compared: folded, and without blanks, hyphens, apostrophes and quotes. */
export const foldComparedName = (name: string): string => fold(name).replaceAll(SEPARATORS, '');

const SHORT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:do not|donot|don t|dnt|do nt)\b/g, 'dont'],
  [/\b(?:can not|cannot|can t)\b/g, 'cant'],
  [/\bwill not\b/g, 'wont'],
  [/\bdid not\b/g, 'didnt'],
];

/** Folded words with `dont` for "do not" and its like. */
export const shorten = (words: string): string => SHORT_FORMS.reduce((text, [long, short]) => text.replaceAll(long, short), words);

/** Scripts that put no blanks between words, where words are found inside of others. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/**
 * Whether a text has one of several words, or of words that follow each other, whether or not there are blanks between them. Parts of words do
 * not count.
 */
export function hasWords(text: string, ...several: readonly string[]): boolean {
  const within = shorten(foldWords(text));
  const unspaced = within.replaceAll(' ', '');
  return several.some((words) => findMatcher(words)(within, unspaced));
}

type Matcher = (within: string, unspaced: string) => boolean;

/** Of the words that were looked for: each text and answer is asked for the same ones. */
const matchers = new Map<string, Matcher>();
const MOST_MATCHERS = 10_000;

function findMatcher(words: string): Matcher {
  const known = matchers.get(words);
  if (known) return known;
  if (matchers.size >= MOST_MATCHERS) matchers.clear();
  const made = createMatcher(shorten(foldWords(words)).replaceAll(' ', ''));
  matchers.set(words, made);
  return made;
}

function createMatcher(sought: string): Matcher {
  if (sought === '') return () => false;
  if (UNSPACED.test(sought)) return (_within, unspaced) => unspaced.includes(sought);
  const pattern = new RegExp(`(?:^| )${[...sought].join(' ?')}(?: |$)`, 'u');
  return (within) => pattern.test(within);
}
