import { createHash } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';

/** Passes a stream on through a transform; an error on either side ends both. */
export async function* pipeThrough(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Uint8Array> {
  const readable = Readable.from(source, { objectMode: false });
  readable.on('error', (error) => transform.destroy(error));
  try {
    for await (const chunk of readable.pipe(transform)) yield chunk;
  } finally {
    readable.destroy();
    transform.destroy();
  }
}

/** Joins the chunks of a stream into ones of so many bytes at least, but for the last: each costs a transform as much as its bytes. */
export async function* splitChunks(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < bytes) continue;
    yield Buffer.concat(waiting, length);
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting, length);
}

/** The length of a stored object, and its SHA-256 in base64url. */
export interface Measure {
  bytes: number;
  sha256: string;
}

/** Measures a stream while it passes. */
export function measure(source: AsyncIterable<Uint8Array>): { bytes: AsyncIterable<Uint8Array>; found(): Measure } {
  const hash = createHash('sha256');
  let length = 0;
  async function* passOn() {
    for await (const chunk of source) {
      hash.update(chunk);
      length += chunk.length;
      yield chunk;
    }
  }
  return { bytes: passOn(), found: () => ({ bytes: length, sha256: hash.digest('base64url') }) };
}

const NEWLINE = 0x0a;

/** The lines of a stream, with their breaks. @throws RangeError where one is longer than `longest` bytes */
export async function* splitLines(source: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of source) {
    rest = Buffer.concat([rest, bytes]);
    for (let next = rest.indexOf(NEWLINE); next !== -1; next = rest.indexOf(NEWLINE)) {
      yield rest.subarray(0, next + 1);
      rest = rest.subarray(next + 1);
    }
    if (rest.length > longest) throw new RangeError(`a line is longer than ${longest} bytes`);
  }
  if (rest.length > 0) yield rest;
}
