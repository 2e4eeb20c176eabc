import { createGunzip } from 'node:zlib';
import { pipeThrough } from '../../../gateways/files/streams.ts';
import { invalid } from '../../errors.ts';
import { CsvReader, findSeparator } from './csv.ts';

/** Bytes that are unpacked at once. */
const UNPACKED_CHUNK = 128 * 1024;
/** Characters of one row, at most. */
const LONGEST_ROW = 1024 * 1024;

export type RowFormat = 'csv' | 'ndjson';

export interface SourceRow {
  /** The line on which it begins, from 1. */
  line: number;
  /** Values by the names of the file. */
  cells: Record<string, unknown>;
  /** Characters. */
  length: number;
  /** Set where the row as a whole is wrong. */
  fault?: string;
}

/** A file, once its first row was read. */
export interface RowFile {
  format: RowFormat;
  /** Of a table; the rows of NDJSON have names of their own. */
  columns: string[];
}

/** The unpacked bytes, of gzip where they begin so. @throws Failure invalid */
export async function* unpack(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  for (let next = await source.next(); head.length < 2 && !next.done; ) {
    head = Buffer.concat([head, next.value]);
    if (head.length < 2) next = await source.next();
  }
  const whole = (async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => source };
  })();
  try {
    yield* head[0] === 0x1f && head[1] === 0x8b ? pipeThrough(whole, createGunzip({ chunkSize: UNPACKED_CHUNK })) : whole;
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^Z_/.test(String(error.code)))
      throw invalid('file', 'is not a complete gzip file', 'malformed');
    throw error;
  } finally {
    await source.return?.();
  }
}

/**
 * Reads the rows of a file, in parts: a table with names in its first row, or NDJSON, one object a line; either packed by gzip.
 * @param found called before the first rows
 * @throws Failure invalid
 */
export async function* readRows(bytes: AsyncIterable<Uint8Array>, found: (file: RowFile) => void): AsyncGenerator<SourceRow[]> {
  const decoder = new TextDecoder();
  let reader: ReturnType<typeof createJsonReader> | undefined;
  let head = '';
  /** Index of the first character of the first row; -1 before it has arrived. */
  let from = -1;
  for await (const chunk of unpack(bytes)) {
    const text = decoder.decode(chunk, { stream: true });
    if (reader) {
      yield reader.read(text);
      if (reader.pending() > LONGEST_ROW)
        throw invalid('file', 'has a row of more than 1 MiB, perhaps because of an unclosed quote', 'row_too_long');
      continue;
    }
    head += text;
    // The separator is known from a whole line.
    if (from < 0) from = head.search(/\S/);
    const hasLine = from >= 0 && (head.includes('\n', from) || head.includes('\r', from));
    if (!hasLine && head.length < LONGEST_ROW) continue;
    reader = createReader(head, found);
    yield reader.read(head);
  }
  const rest = decoder.decode();
  if (!reader && (head + rest).trim() === '') throw invalid('file', 'has no rows', 'empty');
  const last = reader ?? createReader(head, found);
  yield last.read(reader ? rest : head + rest);
  yield last.end();
}

function createReader(head: string, found: (file: RowFile) => void) {
  if (
    head
      .trimStart()
      .split(/[\r\n]/, 1)[0]
      ?.includes('\0')
  )
    throw invalid('file', 'is not UTF-8. Save it in that encoding', 'not_utf_8');
  const [first] = head.trimStart();
  if (first === '[') throw invalid('file', 'must be CSV or NDJSON: one JSON object per line, without enclosing brackets', 'malformed');
  if (first !== '{') return createTableReader(findSeparator(head.trimStart()), found);
  found({ format: 'ndjson', columns: [] });
  return createJsonReader();
}

/** The beginning of the last line of an export, which has the cursor of the log of events. */
const CURSOR_LINE = /^# Feed-Cursor: /;
const isBlankRow = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** An apostrophe that keeps a spreadsheet from running a cell, as tables of this server have it. */
const GUARD = /^'(?=[=+\-@\t\r])/;

function cellsBy(columns: readonly string[], cells: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let at = 0; at < columns.length; at += 1) {
    const cell = cells[at] ?? '';
    named[columns[at] ?? ''] = cell.startsWith("'") ? cell.replace(GUARD, '') : cell;
  }
  return named;
}

function createTableReader(separator: string, found: (file: RowFile) => void) {
  const csv = new CsvReader(separator);
  let columns: string[] | undefined;
  const nameCells = (rows: ReturnType<CsvReader['read']>): SourceRow[] =>
    rows.flatMap(({ line, cells, fault }) => {
      if (columns === undefined) {
        // A report keeps columns without a name apart.
        columns = requireNames(cells.map((name, at) => name.trim() || ' '.repeat(at)));
        found({ format: 'csv', columns });
        return [];
      }
      if (CURSOR_LINE.test(cells[0] ?? '') && isBlankRow(cells.slice(1))) return [];
      if (isBlankRow(cells) && fault === undefined) return [];
      const length = cells.reduce((sum, cell) => sum + cell.length, 0);
      const row = { line, length, cells: cellsBy(columns, cells) };
      const isWhole = cells.length >= columns.length && isBlankRow(cells.slice(columns.length));
      const wrong = fault ?? (isWhole ? undefined : `has ${cells.length} cells, but the header row has ${columns.length}`);
      if (wrong === undefined) return [row];
      // Cells without a name are kept for the report, in the last column.
      const [last = ''] = columns.slice(-1);
      const rest = isWhole ? [] : cells.slice(columns.length);
      return [{ ...row, cells: { ...row.cells, [last]: [row.cells[last] ?? '', ...rest].join(separator) }, fault: wrong }];
    });
  return { read: (text: string) => nameCells(csv.read(text)), end: () => nameCells(csv.end()), pending: () => csv.pending };
}

const MOST_COLUMNS = 1_000;

function requireNames(columns: string[]): string[] {
  if (columns.length > MOST_COLUMNS) throw invalid('file', `has ${columns.length} columns; the maximum is ${MOST_COLUMNS}`, 'too_many');
  return columns;
}

function createJsonReader() {
  let rest = '';
  let line = 0;
  const readLine = (text: string): SourceRow[] => {
    line += 1;
    if (text.trim() === '') return [];
    const cells = parseObject(text);
    const { length } = text;
    if (cells && Object.keys(cells).join() === 'feed_cursor') return [];
    return [cells ? { line, length, cells } : { line, length, cells: { row: text.trim() }, fault: 'is not a JSON object' }];
  };
  return {
    read(text: string): SourceRow[] {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      return lines.flatMap(readLine);
    },
    pending: () => rest.length,
    end: (): SourceRow[] => readLine(rest),
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : null;
  } catch {
    return null;
  }
}
