import { createHash } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';

/** Passes a stream on through a transform; an error on either side ends both. */
export async function* through(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Uint8Array> {
  const readable = Readable.from(source, { objectMode: false });
  readable.on('error', (error) => transform.destroy(error));
  try {
    for await (const chunk of readable.pipe(transform)) yield chunk;
  } finally {
    readable.destroy();
    transform.destroy();
  }
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
  async function* pass() {
    for await (const chunk of source) {
      hash.update(chunk);
      length += chunk.length;
      yield chunk;
    }
  }
  return { bytes: pass(), found: () => ({ bytes: length, sha256: hash.digest('base64url') }) };
}
