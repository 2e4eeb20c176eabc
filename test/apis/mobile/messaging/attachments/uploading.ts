import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { TestApp } from '../../../../support/app.ts';
import type { Person } from '../../people/people.ts';

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Bytes of no known media type, different at every offset. */
export const bytes = (length: number): Buffer => {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let at = 0; at < words.length; at += 1) words[at] = Math.imul(at, 2_654_435_761);
  return Buffer.from(words.buffer, 0, length);
};

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** An archive in which one file is stored as it is. */
export function zipped(name: string, content: string): Buffer {
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04', 'latin1');
  head.writeUInt16LE(20, 4);
  head.writeUInt32LE(crc32(content), 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt32LE(content.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(`${name}${content}`)]);
}

/** Uploads by a multipart form, as browsers do. */
export async function upload({ address }: TestApp, { token }: Person, content: Uint8Array | string, name = 'a.bin', headers: object = {}) {
  const form = new FormData();
  form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  const answer = await fetch(`${address}/attachment`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: form,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
}

/** Requests the content of an attachment. */
export async function getContent({ address }: TestApp, { token }: Person, id: number, headers: object = {}, method = 'GET') {
  const answer = await fetch(`${address}/attachment/${id}/body/x`, { method, headers: { authorization: `Bearer ${token}`, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Files in a test server's folder of an organization. */
export async function storedFiles({ config }: TestApp, { organizationId }: Person): Promise<string[]> {
  return readdir(join(config.DATA_DIR, 'files', String(organizationId))).catch(() => []);
}

/** A hand-written form, for requests that no client would send. */
export function rawForm(parts: { head: string; body: Uint8Array | string }[], boundary = 'edge'): Buffer {
  const written = parts.map(({ head, body }) =>
    Buffer.concat([Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')]),
  );
  return Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Beginning and end of a form with one file. */
export const START = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
export const END = '\r\n--edge--\r\n';

/** A connection on which an upload of this length has begun. */
export async function beginUpload(
  { address }: TestApp,
  { token }: Person,
  length: number,
): Promise<{ socket: Socket; answer: () => string }> {
  const { port } = new URL(address);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  let heard = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    heard += String(piece);
  });
  const head = [
    'POST /attachment HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${token}`,
    'content-type: multipart/form-data; boundary=edge',
    `content-length: ${START.length + length + END.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${START}`);
  return { socket, answer: () => heard };
}
