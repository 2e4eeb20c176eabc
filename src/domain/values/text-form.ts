import { normalize } from './normalize.ts';
import { asSeen } from './same-text.ts';

/** ASCII words with single blanks between them: already in form, as nearly all texts are. */
const IN_FORM = /^(?:[!-~]+(?: [!-~]+)*)?$/;
/**
 * Characters without width that join nothing: soft hyphen, zero-width space, marks of direction, word joiner, byte order mark. The
 * zero-width joiners stay: they are letters' parts in Persian and in scripts of India.
 */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/** White space of Unicode, line breaks included; \s lacks U+0085. */
const WHITE_SPACE = /[\s\u0085]+/g;
/** Control characters, without line breaks, tabs, and NUL, which is refused where texts are read. */
const CONTROL = /(?![\0\t-\r\u0085])\p{Cc}/gu;
/**
 * White space, and what is drawn as nothing: ignorable characters, the blank of Braille, control characters except NUL. One class: alternatives
 * that share a character would be tried in all combinations.
 */
const BLANK = /^[\s\u2800\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;
/** Stands in a decoded text for bytes that were not UTF-8. */
const REPLACEMENT = '\u{fffd}';

/**
 * The one form of a single-line text such as a name, a record number, an address or a title: NFC, without white space at its ends,
 * each run of white space inside one blank, without invisible and control characters. A text with nothing to see in it is empty.
 */
export const oneLine = (text: string): string => {
  if (IN_FORM.test(text)) return text;
  if (isBlank(text)) return '';
  return normalize(text.replaceAll(INVISIBLE, '').replaceAll(CONTROL, ''), 'NFC').replaceAll(WHITE_SPACE, ' ').trim();
};

/** The one form of a record number: as a person sees it. Its case stays. */
export const recordNumber = (text: string): string => oneLine(asSeen(text));

/**
 * The one form of a text that may have several lines, such as a message: NFC, without white space at its ends, and without control
 * characters other than line breaks and tabs. A text with nothing to see in it is empty.
 */
export const multiLine = (text: string): string => (isBlank(text) ? '' : normalize(text.replaceAll(CONTROL, ''), 'NFC').trim());

/** True for a text with nothing to see in it. */
export const isBlank = (text: string): boolean => BLANK.test(text) && !text.includes('\0');

/** False for a text that has the character for bytes that were not UTF-8. */
export const isUtf8 = (text: string): boolean => !text.includes(REPLACEMENT);

/** Characters of a text as people count them, and as `maxLength` of a document does: code points. */
export const countCharacters = (text: string): number => [...text].length;
