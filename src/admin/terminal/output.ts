import { stripVTControlCharacters } from 'node:util';

export type Cell = string | number | boolean | null | readonly (string | number)[];
export type Row = Record<string, Cell>;

export interface CommandResult {
  json: unknown;
  /** The same for people, without the last line break. */
  text: string;
  /** A remark for people; with --json it goes to stderr, so that stdout is only JSON. */
  remark?: string;
  /** A problem that the command found: it goes to stderr, with exit code 1. */
  problem?: string;
  /** The exit code, where it is not 0, or 1 with a problem. */
  exitCode?: number;
}

export const SHOWN_ONCE = 'Keep the secret now: it will not be shown again.';

/** A table of rows, or the sentence `none`. */
export function list(rows: Row[], none: string): CommandResult {
  return { json: rows, text: rows.length === 0 ? none : table(rows) };
}

/** A part of a longer list; `hint` names the option for the next part, if there is one. */
export function page(json: object, rows: Row[], { none, hint }: { none: string; hint: string | null }): CommandResult {
  const text = rows.length === 0 ? none : table(rows);
  return { json, text: hint === null ? text : `${text}\n\n${hint}` };
}

/** One record, a field on each line. */
export function record(row: Row, remark?: string): CommandResult {
  const names = Object.keys(row).map(title);
  const width = Math.max(...names.map(measureWidth));
  const text = Object.values(row).map((cell, index) => `${pad(names[index] ?? '', width)}  ${show(cell)}`.trimEnd());
  return { json: row, text: text.join('\n'), ...(remark === undefined ? {} : { remark }) };
}

/** Aligned columns under the names of the first row's fields. */
export function table(rows: Row[]): string {
  const keys = Object.keys(rows[0] ?? {});
  const lines = [keys.map((key) => title(key).toUpperCase()), ...rows.map((row) => keys.map((key) => show(row[key] ?? null)))];
  const widths = keys.map((_, column) => Math.max(...lines.map((line) => measureWidth(line[column] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Ids of a long list that a table shows; JSON has all of them. */
const SHOWN_OF_LIST = 5;

function show(cell: Cell): string {
  if (cell === null) return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'string') return printable(cell);
  const more = cell.length > SHOWN_OF_LIST ? [`and ${cell.length - SHOWN_OF_LIST} more`] : [];
  return cell.length === 0 ? '-' : [...cell.slice(0, SHOWN_OF_LIST).map((part) => printable(String(part))), ...more].join(', ');
}

/** Removes control characters: stored text must not control the terminal. */
export const printable = (text: string) => stripVTControlCharacters(text).replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');

const title = (key: string) => key.replaceAll('_', ' ');
const graphemes = new Intl.Segmenter('en');
const measureWidth = (text: string) => [...graphemes.segment(text)].length;
const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - measureWidth(text)));
