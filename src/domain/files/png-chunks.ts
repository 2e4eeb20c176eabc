import { crc32 } from 'node:zlib';

interface Chunk {
  type: string;
  /** All of it: length, type, data and checksum. */
  bytes: Buffer;
}

/** Bytes from the start of a PNG in which its chunks before the pixels are looked for. */
export const PNG_HEAD_BYTES = 1024 * 1024;

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Bytes of a chunk beside its data: length, type and checksum. */
const FRAME = 12;
/** Bytes of the signature and of the chunk with the size of the picture, which is always the first. */
export const PNG_START_BYTES = SIGNATURE.length + FRAME + 13;

/** Chunks that tell which colours the numbers of the pixels mean, and the bytes of their data: nothing else fits into them. */
const COLOUR_CHUNKS = new Map([
  ['cICP', 4],
  ['sRGB', 1],
  ['gAMA', 4],
  ['cHRM', 32],
]);

/** @param head of a file. @returns the chunks before the pixels; none of another format */
function chunksBeforePixels(head: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  if (!head.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return chunks;
  for (let at = SIGNATURE.length; at + FRAME <= head.length; ) {
    const end = at + FRAME + head.readUInt32BE(at);
    const type = head.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT' || end > head.length) break;
    chunks.push({ type, bytes: head.subarray(at, end) });
    at = end;
  }
  return chunks;
}

/** Whether a file is a PNG that moves. The library of pictures reads only the first picture of one, and does not say so. */
export const isAnimatedPng = (head: Buffer): boolean => chunksBeforePixels(head).some(({ type }) => type === 'acTL');

/**
 * The chunks about colours that a PNG lost when the library of pictures encoded it anew: it keeps the profile, and neither gamma nor
 * primaries. They belong behind the first PNG_START_BYTES of the new file.
 * @param from the head of the uploaded file; one that is no PNG has none
 * @param to the head of the new PNG
 */
export function lostColours(from: Buffer, to: Buffer): Buffer {
  const present = new Set(chunksBeforePixels(to).map(({ type }) => type));
  // A PNG has either a profile or the note that its colours are sRGB.
  if (present.has('iCCP')) present.add('sRGB');
  const lost = chunksBeforePixels(from).filter(({ type, bytes }) => {
    const isLost = COLOUR_CHUNKS.get(type) === bytes.length - FRAME && isIntact(bytes) && !present.has(type);
    if (isLost) present.add(type);
    return isLost;
  });
  return Buffer.concat(lost.map(({ bytes }) => bytes));
}

const isIntact = (bytes: Buffer): boolean => crc32(bytes.subarray(4, -4)) === bytes.readUInt32BE(bytes.length - 4);
