import { createCipheriv, createDecipheriv } from 'node:crypto';

/** Plaintext bytes of a chunk; the last may have fewer. */
const CHUNK = 64 * 1024;
const TAG = 16;

/** The bytes of a stream do not open with their key: they were changed, cut off or encrypted under another. */
export class NotOpened extends Error {}

/**
 * Encrypts a stream in chunks with AES-256-GCM. The nonce of each is its number and whether it is the last, so chunks cannot be
 * moved, left out or cut off. A key is used for one stream.
 */
export async function* seal(source: AsyncIterable<Uint8Array>, key: Buffer): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { bytes, isLast } of splitChunks(source, CHUNK)) {
    const cipher = createCipheriv('aes-256-gcm', key, toNonce(number, isLast));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    number += 1;
  }
}

/** Decrypts what seal encrypted; no byte is passed on before its chunk was verified. @throws NotOpened */
export async function* unseal(source: AsyncIterable<Uint8Array>, key: Buffer): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { bytes, isLast } of splitChunks(source, CHUNK + TAG)) {
    yield openChunk(bytes, key, toNonce(number, isLast));
    number += 1;
  }
}

function openChunk(bytes: Buffer, key: Buffer, nonce: Buffer): Buffer {
  if (bytes.length < TAG) throw new NotOpened();
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  decipher.setAuthTag(bytes.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG)), decipher.final()]);
  } catch {
    throw new NotOpened();
  }
}

function toNonce(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** Chunks of equal length; the last, which may be shorter or empty, is marked. */
async function* splitChunks(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const part of source) {
    waiting.push(part);
    length += part.length;
    if (length <= size) continue;
    const all = Buffer.concat(waiting, length);
    let start = 0;
    // A whole chunk waits for more, because it may be the last.
    for (; length - start > size; start += size) yield { bytes: all.subarray(start, start + size), isLast: false };
    waiting = [all.subarray(start)];
    length -= start;
  }
  yield { bytes: Buffer.concat(waiting, length), isLast: true };
}
