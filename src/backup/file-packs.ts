import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { FileMissing, type Files } from '../gateways/files/files.ts';
import { type Manifest, unreadable } from './manifest.ts';
import type { NamedFile } from './snapshot.ts';

type Faulty = Manifest['files']['faulty'][number];

/** Bytes of content after which a pack ends and another begins. */
const PACK_BYTES = 1024 ** 3;
/** The longest head of a file; longer ones are no head. */
const HEAD_BYTES = 4_096;

/** The content of the packs of a backup so far. */
export interface Packing {
  count: number;
  faulty: Faulty[];
  /** Whether every file is packed. */
  done: boolean;
}

/**
 * A pack: for each file its head, its content in frames, and an empty frame. A frame is its length in four bytes, and so many
 * bytes; a head is a frame of JSON with the key, and the SHA-256 in hexadecimal that the database names.
 */
export async function* packFiles(named: AsyncIterator<NamedFile>, files: Files, packing: Packing): AsyncGenerator<Buffer> {
  let bytes = 0;
  while (bytes < PACK_BYTES) {
    const { value: file, done } = await named.next();
    if (done === true) {
      packing.done = true;
      return;
    }
    const content = await files.read(file.key).catch(nullIfMissing);
    if (content === null) {
      packing.faulty.push({ key: file.key, fault: 'missing' });
      continue;
    }
    yield frame(Buffer.from(JSON.stringify({ key: file.key, sha256: file.sha256 })));
    const hash = createHash('sha256');
    for await (const chunk of content) {
      if (chunk.length === 0) continue;
      hash.update(chunk);
      bytes += chunk.length;
      yield frame(chunk);
    }
    yield frame(Buffer.alloc(0));
    packing.count += 1;
    if (hash.digest('hex') !== file.sha256) packing.faulty.push({ key: file.key, fault: 'altered' });
  }
}

function frame(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function nullIfMissing(error: unknown): null {
  if (error instanceof FileMissing) return null;
  throw error;
}

/**
 * Reads a pack.
 * @param store receives each file with its content, and reads that to its end
 * @param faulty keys whose content need not be what the database names
 * @returns the number of files
 * @throws Failure backup_unreadable
 */
export async function unpackFiles(
  pack: AsyncGenerator<Uint8Array>,
  store: (key: string, content: Readable) => Promise<void>,
  faulty: ReadonlySet<string>,
): Promise<number> {
  const frames = splitFrames(pack);
  try {
    for (let count = 0; ; count += 1) {
      const { value: head, done } = await frames.next();
      if (done === true) return count;
      const { key, sha256 } = parseHead(head);
      const hash = createHash('sha256');
      await store(key, Readable.from(readContent(frames, hash), { objectMode: false }));
      if (hash.digest('hex') !== sha256 && !faulty.has(key)) throw unreadable(`The file ${key} differs from what was stored.`);
    }
  } finally {
    await frames.return(undefined);
  }
}

function parseHead(bytes: Buffer): { key: string; sha256: string } {
  if (bytes.length > HEAD_BYTES) throw unreadable('A pack of files is damaged.');
  return JSON.parse(bytes.toString());
}

/** The frames until an empty one. */
async function* readContent(frames: AsyncGenerator<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await frames.next();
    if (done === true) throw unreadable('A pack of files is cut off within a file.');
    if (value.length === 0) return;
    hash.update(value);
    yield value;
  }
}

async function* splitFrames(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting = Buffer.alloc(0);
  for await (const chunk of source) {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
      const end = 4 + waiting.readUInt32BE(0);
      yield waiting.subarray(4, end);
      waiting = waiting.subarray(end);
    }
  }
  if (waiting.length > 0) throw unreadable('A pack of files is cut off within a file.');
}
