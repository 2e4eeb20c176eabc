import { fileTypeFromBuffer } from 'file-type';

/** Signatures of file types are within this many bytes at the start. */
const HEAD_BYTES = 16 * 1024;
const UNKNOWN = 'application/octet-stream';

/** Detects the media type of a stream from its content; its name and its declared type are ignored. */
export interface TypeDetector {
  add(chunk: Buffer): void;
  /** The media type; called after the last chunk. */
  detect(): Promise<string>;
}

export function createTypeDetector(): TypeDetector {
  const head: Buffer[] = [];
  let headLength = 0;
  const text = createTextDetector();
  return {
    add(chunk) {
      text.add(chunk);
      if (headLength >= HEAD_BYTES) return;
      // A copy: the chunk is part of a larger buffer, which it would keep in memory.
      const piece = Buffer.from(chunk.subarray(0, HEAD_BYTES - headLength));
      head.push(piece);
      headLength += piece.length;
    },
    async detect() {
      const beginning = Buffer.concat(head, headLength);
      // The library may fail on truncated or malformed content.
      const known = await fileTypeFromBuffer(beginning).catch(() => undefined);
      if (known) return known.mime;
      if (headLength === 0 || !text.isText()) return UNKNOWN;
      return textType(beginning.toString('utf8'), headLength < HEAD_BYTES);
    },
  };
}

/** Tells whether all chunks together are text in UTF-8. */
function createTextDetector(): { add(chunk: Buffer): void; isText(): boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isText = true;
  const read = (chunk?: Buffer) => {
    try {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters never occur in text
      isText &&= !/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode());
    } catch {
      isText = false;
    }
  };
  return {
    add: read,
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

/** Text is a table if all its rows have the same number of fields, and more than one. */
function textType(beginning: string, isWhole: boolean): string {
  const lines = beginning.split(/\r?\n/);
  const rows = (isWhole ? lines : lines.slice(0, -1)).filter((line) => line !== '').slice(0, 20);
  const table = TABLES.find(([separator]) => {
    const counts = new Set(rows.map((row) => separators(row, separator)));
    return rows.length > 1 && counts.size === 1 && !counts.has(0);
  });
  return table?.[1] ?? 'text/plain';
}

/** The number of separators outside of quotes. */
const separators = (row: string, separator: string): number => row.replaceAll(/"(?:[^"]|"")*"/g, '').split(separator).length - 1;
