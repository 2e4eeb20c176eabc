import { stripVTControlCharacters } from 'node:util';

export type Cell = string | number | boolean | null | readonly (string | number)[];
export type Row = Record<string, Cell>;

/** What a command answers: the same thing for a program and for a person. */
export interface Answer {
  json: unknown;
  /** Without the last line break. */
  text: string;
  /** A sentence for the person; with --json it goes to stderr, so that stdout is JSON and nothing else. */
  remark?: string;
  /** What is wrong, where the command did its work and found that something is: stderr, and exit code 1. */
  complaint?: string;
}

export const SHOWN_ONCE = 'Keep the secret now: it will not be shown again.';

/** Rows, or the sentence for none. */
export function list(rows: Row[], none: string): Answer {
  return { json: rows, text: rows.length === 0 ? none : table(rows) };
}

/** A part of a longer list; `hint` says how to read on, where there is more. */
export function page(json: object, rows: Row[], { none, hint }: { none: string; hint: string | null }): Answer {
  const text = rows.length === 0 ? none : table(rows);
  return { json, text: hint === null ? text : `${text}\n\n${hint}` };
}

/** A part of a list in the order of the ids, read on with --after. */
export function slice(rows: (Row & { id: number })[], { limit, none }: { limit: number; none: string }): Answer {
  const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  return page({ items: rows, next }, rows, { none, hint: next === null ? null : `For what follows, add: --after ${next}` });
}

/** One record, a field on each line. */
export function record(row: Row, remark?: string): Answer {
  const names = Object.keys(row).map(title);
  const width = Math.max(...names.map(visibleWidth));
  const text = Object.values(row).map((cell, index) => `${pad(names[index] ?? '', width)}  ${show(cell)}`.trimEnd());
  return { json: row, text: text.join('\n'), ...(remark === undefined ? {} : { remark }) };
}

/** Columns as wide as what stands in them, under the names of the first row's fields. */
export function table(rows: Row[]): string {
  const keys = Object.keys(rows[0] ?? {});
  const lines = [keys.map((key) => title(key).toUpperCase()), ...rows.map((row) => keys.map((key) => show(row[key] ?? null)))];
  const widths = keys.map((_, column) => Math.max(...lines.map((line) => visibleWidth(line[column] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Ids that a table shows of a long list; JSON has them all. */
const SHOWN_OF_LIST = 5;

function show(cell: Cell): string {
  if (cell === null) return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'string') return printable(cell);
  const more = cell.length > SHOWN_OF_LIST ? [`and ${cell.length - SHOWN_OF_LIST} more`] : [];
  return cell.length === 0 ? '-' : [...cell.slice(0, SHOWN_OF_LIST).map((part) => printable(String(part))), ...more].join(', ');
}

/** Stored text must not be able to steer the terminal. */
const printable = (text: string) => stripVTControlCharacters(text).replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');

const title = (key: string) => key.replaceAll('_', ' ');
const graphemes = new Intl.Segmenter('en');
const visibleWidth = (text: string) => [...graphemes.segment(text)].length;
const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - visibleWidth(text)));
