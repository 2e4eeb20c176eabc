import { normalize } from '../../domain/values/normalize.ts';
/** The value of a cell; null is an empty cell. */
export type Cell = string | number | null;

/** Tells spreadsheets that the file is written in UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Characters at the beginning of a text that show nothing: white space of Unicode, control and format characters, fillers, and the
 * empty pattern of Braille.
 */
const NOTHING_SEEN = /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/u;

/**
 * A character with which a spreadsheet may begin a formula, in its decomposed compatible form: the four of ASCII, all dashes, the minus sign, the
 * modifier and hyphen bullet that look like it, the double hyphens that look like =, and signs of addition and subtraction.
 */
const BEGINS_FORMULA =
  /^[=+\-@\p{Pd}\u02d7\u06d4\u1428\u1429\u16ed\u2043\u207a-\u207c\u2212-\u2214\u2295\u2296\u229e\u229f\u2795\u2796\ua4ff\ua78a\u{1f7a1}-\u{1f7a7}]/u;

/** A text with a tab or a line break in front, whatever follows. */
const BEGINS_WITH_CONTROL = /^[\t\r\n]/;

/**
 * A table in the format of RFC 4180, in UTF-8 with a byte order mark. A text that a spreadsheet could run as a formula gets an
 * apostrophe in front, so that text from a name never runs on the machine of the person who opens the file. Numbers stay numbers.
 */
export const writeCsv = (rows: readonly (readonly Cell[])[]): string => BYTE_ORDER_MARK + writeRows(rows);

/** Further rows of such a table. */
export const writeRows = (rows: readonly (readonly Cell[])[]): string => rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');

/** A telephone number as charts hold it: a number to a spreadsheet, and no formula. */
const TELEPHONE = /^\+\d{8,15}$/;

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = !TELEPHONE.test(cell) && mayRun(cell) ? `'${cell}` : cell;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function mayRun(text: string): boolean {
  const shown = normalize(text.replace(NOTHING_SEEN, ''), 'NFKD').replace(NOTHING_SEEN, '');
  return BEGINS_WITH_CONTROL.test(text) || BEGINS_FORMULA.test(shown);
}
