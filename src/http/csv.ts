/** The value of a cell; null is an empty cell. */
export type Cell = string | number | null;

/** The beginning of a text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A table in the format of RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe in front, so that text
 * from a name never runs on the machine of the person who opens the file.
 */
export const writeCsv = (rows: readonly (readonly Cell[])[]): string => rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
