import { createHmac, randomBytes } from 'node:crypto';

/** Types of requests (RFC 8489 and 8656), and what is added to them in an answer. */
export const REQUEST = { binding: 0x0001, allocate: 0x0003, refresh: 0x0004 } as const;
export const SUCCESS = 0x0100;

/** Types of attributes. */
export const ATTRIBUTE = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  lifetime: 0x000d,
  realm: 0x0014,
  nonce: 0x0015,
  requestedTransport: 0x0019,
} as const;

export type Attribute = readonly [type: number, value: Buffer];

export interface StunAnswer {
  type: number;
  attributes: ReadonlyMap<number, Buffer>;
}

const MAGIC_COOKIE = 0x2112a442;
const HEADER_BYTES = 20;
/** The attribute of a SHA-1 with its header. */
const INTEGRITY_BYTES = 24;

/** @param key of the credentials, with which the request is signed; null for one without */
export function writeRequest(type: number, attributes: readonly Attribute[], key: Buffer | null = null): Buffer {
  const body = Buffer.concat(attributes.map(writeAttribute));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(body.length + (key ? INTEGRITY_BYTES : 0), 2);
  header.writeUInt32BE(MAGIC_COOKIE, 4);
  randomBytes(12).copy(header, 8);
  const message = Buffer.concat([header, body]);
  if (!key) return message;
  return Buffer.concat([message, writeAttribute([ATTRIBUTE.messageIntegrity, createHmac('sha1', key).update(message).digest()])]);
}

/** The value is filled up to four bytes, which its length does not count. */
function writeAttribute([type, value]: Attribute): Buffer {
  const written = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  written.writeUInt16BE(type, 0);
  written.writeUInt16BE(value.length, 2);
  value.copy(written, 4);
  return written;
}

/** Bytes of the message at the start of what has arrived; null while its header is not whole. */
export const lengthOf = (bytes: Buffer): number | null => (bytes.length < HEADER_BYTES ? null : HEADER_BYTES + bytes.readUInt16BE(2));

/** @returns null for bytes that are no answer to this request */
export function readAnswer(bytes: Buffer, request: Buffer): StunAnswer | null {
  const length = lengthOf(bytes);
  if (length === null || bytes.length < length || !bytes.subarray(4, HEADER_BYTES).equals(request.subarray(4, HEADER_BYTES))) return null;
  const attributes = new Map<number, Buffer>();
  for (let at = HEADER_BYTES; at + 4 <= length; ) {
    const size = bytes.readUInt16BE(at + 2);
    attributes.set(bytes.readUInt16BE(at), bytes.subarray(at + 4, at + 4 + size));
    at += 4 + Math.ceil(size / 4) * 4;
  }
  return { type: bytes.readUInt16BE(0), attributes };
}

/** The code and the reason of a refusal: `401 Unauthorized`. */
export function refusalOf({ attributes }: StunAnswer): string {
  const error = attributes.get(ATTRIBUTE.errorCode);
  if (!error || error.length < 4) return 'no reason given';
  return `${error.readUInt8(2) * 100 + error.readUInt8(3)} ${error.subarray(4).toString('utf8')}`.trim();
}
