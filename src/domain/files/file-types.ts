import { fileTypeFromBuffer } from 'file-type';

/** What says what a file is stands at its beginning. */
const HEAD_BYTES = 16 * 1024;
const UNKNOWN = 'application/octet-stream';

/** Finds out what a file is while it flows by: from its content, whatever its name or its sender say. */
export interface TypeFinder {
  see(chunk: Buffer): void;
  /** The media type, once all was seen. */
  found(): Promise<string>;
}

export function createTypeFinder(): TypeFinder {
  const head: Buffer[] = [];
  let headLength = 0;
  const text = createTextWatch();
  return {
    see(chunk) {
      text.see(chunk);
      if (headLength >= HEAD_BYTES) return;
      // A copy: the chunk is a piece of a larger buffer, which should not be held for it.
      const piece = Buffer.from(chunk.subarray(0, HEAD_BYTES - headLength));
      head.push(piece);
      headLength += piece.length;
    },
    async found() {
      const beginning = Buffer.concat(head, headLength);
      // A beginning that is cut off, or made to deceive, may be unreadable for whoever knows its format.
      const known = await fileTypeFromBuffer(beginning).catch(() => undefined);
      if (known) return known.mime;
      if (headLength === 0 || !text.isText()) return UNKNOWN;
      return textType(beginning.toString('utf8'), headLength < HEAD_BYTES);
    },
  };
}

/** Whether all that is seen is text in UTF-8. */
function createTextWatch(): { see(chunk: Buffer): void; isText(): boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isText = true;
  const read = (chunk?: Buffer) => {
    try {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what no text has
      isText &&= !/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode());
    } catch {
      isText = false;
    }
  };
  return {
    see: read,
    isText() {
      read();
      return isText;
    },
  };
}

const TABLES = [
  [',', 'text/csv'],
  [';', 'text/csv'],
  ['\t', 'text/tab-separated-values'],
] as const;

/** Rows that all have one and the same number of fields, more than one, are a table. */
function textType(beginning: string, isWhole: boolean): string {
  const lines = beginning.split(/\r?\n/);
  const rows = (isWhole ? lines : lines.slice(0, -1)).filter((line) => line !== '').slice(0, 20);
  const table = TABLES.find(([separator]) => {
    const counts = new Set(rows.map((row) => separators(row, separator)));
    return rows.length > 1 && counts.size === 1 && !counts.has(0);
  });
  return table?.[1] ?? 'text/plain';
}

/** How many there are outside of quotes. */
const separators = (row: string, separator: string): number => row.replaceAll(/"(?:[^"]|"")*"/g, '').split(separator).length - 1;
