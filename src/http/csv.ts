/** A cell: numbers are written as they are, and nothing is an empty cell. */
export type Cell = string | number | null;

/** What a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A table as RFC 4180 writes it. A text that a spreadsheet would take for a formula has an apostrophe in front, so that what
 * somebody wrote into a name never runs on the machine of who opens the file.
 */
export const writeCsv = (rows: readonly (readonly Cell[])[]): string => rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
