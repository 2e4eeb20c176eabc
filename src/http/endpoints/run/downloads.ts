import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Failure, unavailable } from '../../../domain/errors.ts';
import type { Files } from '../../../gateways/files/files.ts';
import type { DownloadEndpoint, None, RunDeps, ServedFile } from '../endpoint-types.ts';
import { readParts } from './input-parts.ts';
import { hasTag } from './responses.ts';

/** The parts of RunDeps that send a file. */
interface SendDeps {
  store: { files: Files };
  /** Milliseconds after which a download that makes no progress is ended. */
  transferIdleMs: number;
}

/** Bytes of a file, both ends included. */
interface Range {
  start: number;
  end: number;
}

/** Looks the file up in a read with its audit row, and then sends its bytes as fast as the client takes them. */
export async function runDownload<P extends z.ZodType>(
  deps: RunDeps,
  endpoint: DownloadEndpoint<P>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const parts = readParts<P, None, None>(endpoint, request, reply);
  const file = await deps.unitOfWork.read(request.caller, (tx) => endpoint.handle({ ...parts, tx }));
  await sendFile(deps, file, request, reply);
}

/** Sends the bytes of a file, or the requested range of them, or 304 where the client has the file. */
export async function sendFile(
  { store, transferIdleMs }: SendDeps,
  file: ServedFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const etag = toEntityTag(file);
  if (isKnown(request, etag)) {
    if (!reply.sent) reply.code(304).header('etag', etag).send();
    return;
  }
  const range = readByteRange(request, file, etag);
  const content = await open(store.files, file, request.method === 'HEAD', range);
  if (reply.sent) {
    content.destroy();
    return;
  }
  // The deadline of the response ends here; from now on the transfer is limited by its progress.
  request.deadline.pause();
  reply.raw.setTimeout(transferIdleMs);
  reply.code(range ? 206 : 200).headers({ ...toHeaders(file, range), etag });
  reply.send(content);
  // Fastify ends the reading when the client disconnects.
  await finished(reply.raw).catch(() => content.destroy());
}

/**
 * Whether the request counts as a download: it asks for the beginning of a file that the client does not have.
 * @throws Failure range_not_satisfiable
 */
export function beginsFile(file: ServedFile, request: FastifyRequest): boolean {
  const etag = toEntityTag(file);
  return request.method !== 'HEAD' && !isKnown(request, etag) && (readByteRange(request, file, etag)?.start ?? 0) === 0;
}

const toEntityTag = ({ sha256 }: ServedFile): string => `"${Buffer.from(sha256).toString('base64url')}"`;

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && hasTag(known, etag, 'weak');
}

async function open(files: Files, { storageKey, byteLength }: ServedFile, isHead: boolean, range: Range | null): Promise<Readable> {
  if (isHead || byteLength === 0) return Readable.from([]);
  const content = await files.read(storageKey, range ?? undefined).catch((error: unknown) => {
    throw unavailable('The file cannot be read now. Try again in a moment.', error);
  });
  return Readable.from(takeExactly(range ? range.end - range.start + 1 : byteLength, content), { objectMode: false });
}

/** Exactly the promised number of bytes. Where the stored file has another length the stream fails, so that the client sees a broken transfer. */
async function* takeExactly(length: number, content: Readable): AsyncGenerator<Buffer, void> {
  let left = length;
  for await (const chunk of content) {
    const bytes = Buffer.from(chunk);
    left -= bytes.length;
    if (left < 0) break;
    yield bytes;
  }
  if (left !== 0) throw new Error('The stored file is not as long as its row says.');
}

/** The file is saved and not shown: it never runs as a page of this server, whatever its content. */
function toHeaders({ fileName, mediaType, byteLength }: ServedFile, range: Range | null): Record<string, string> {
  return {
    'content-type': mediaType === 'text/plain' || mediaType === 'text/csv' ? `${mediaType}; charset=utf-8` : mediaType,
    'content-length': String(range ? range.end - range.start + 1 : byteLength),
    'content-disposition': attachmentNamed(fileName),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'accept-ranges': 'bytes',
    ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${byteLength}` } : {}),
  };
}

/** Content-Disposition (RFC 6266): the name in ASCII for old clients, and as it is where that is not the same (RFC 8187). */
export function attachmentNamed(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["\\%]/g, '_');
  if (plain === name) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * The one requested range; null for the whole file: for HEAD, for several ranges, for a malformed
 * range, and where the file is not the one that If-Range names (RFC 9110 14.2).
 * @throws Failure range_not_satisfiable
 */
function readByteRange({ headers, method }: FastifyRequest, { byteLength }: ServedFile, etag: string): Range | null {
  if (method === 'HEAD') return null;
  const ifRange = headers['if-range'];
  if (typeof ifRange === 'string' && ifRange !== etag) return null;
  const [, from = '', to = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(headers.range ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const start = from === '' ? Math.max(0, byteLength - Number(to)) : Number(from);
  const end = from === '' || to === '' ? byteLength - 1 : Math.min(Number(to), byteLength - 1);
  if (start < byteLength && (from !== '' || Number(to) > 0)) return { start, end };
  throw new Failure('range_not_satisfiable', 'range_not_satisfiable', `The file has ${byteLength} bytes.`, {
    headers: { 'content-range': `bytes */${byteLength}` },
  });
}
