import type { Cell } from './csv.ts';
import { writeCsv, writeRows } from './csv.ts';

/** Records in pages of JSON lines, as the domain's exports have them. */
interface Records {
  /** The cursor of the log of events as of the records: the last line of each format. */
  cursor: string;
  /** The names of a record's fields, in order. */
  fields: readonly string[];
  pages: AsyncIterable<string>;
}

export const RECORD_FORMATS = ['ndjson', 'csv'] as const;
export type RecordFormat = (typeof RECORD_FORMATS)[number];

/** Records in a format, with its last line. */
export const writeRecords = (format: RecordFormat, records: Records): AsyncGenerator<string, void> =>
  format === 'csv' ? writeCsvLines(records) : writeNdjson(records);

async function* writeNdjson({ cursor, pages }: Records): AsyncGenerator<string, void> {
  for await (const page of pages) {
    // Not in one text: that would copy a page of megabytes.
    yield page;
    yield '\n';
  }
  yield `${JSON.stringify({ feed_cursor: cursor })}\n`;
}

/** The last line is a comment to readers that know comments, and as long as the others to those that count fields. */
async function* writeCsvLines({ cursor, fields, pages }: Records): AsyncGenerator<string, void> {
  yield writeCsv([fields]);
  for await (const page of pages) {
    const rows = page.split('\n').map((line) => {
      const row: Record<string, unknown> = JSON.parse(line);
      return fields.map((name) => toCell(row[name]));
    });
    yield writeRows(rows);
  }
  yield writeRows([[`# Feed-Cursor: ${cursor}`, ...fields.slice(1).map(() => null)]]);
}

/** A list or an object is its JSON. */
function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  return JSON.stringify(value);
}
