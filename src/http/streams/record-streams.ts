import { pipeline, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { attachmentNamed } from '../endpoints/run/downloads.ts';

export const NDJSON = 'application/x-ndjson';

interface SentRecords {
  lines: AsyncIterable<string>;
  contentType: string;
  fileName: string;
  headers: Record<string, string>;
  /** Milliseconds after which a transfer that makes no progress is ended. */
  transferIdleMs: number;
}

/**
 * Sends lines as fast as the client takes them, compressed where it accepts that. Where reading them fails midway, or the client leaves, the
 * transfer breaks off, without its last chunk. Resolves when nothing more is read.
 */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  { lines, contentType, fileName, headers, transferIdleMs }: SentRecords,
): Promise<void> {
  if (reply.sent) return;
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/i.test(request.headers['accept-encoding'] ?? '');
  reply
    .type(`${contentType}; charset=utf-8`)
    .headers({ ...headers, vary: 'Accept-Encoding', 'content-disposition': attachmentNamed(fileName) });
  if (isCompressed) reply.header('content-encoding', 'gzip');
  if (request.method === 'HEAD') {
    reply.send('');
    return;
  }
  // The deadline of the response ends here; from now on the transfer is limited by its progress.
  request.deadline.pause();
  reply.raw.setTimeout(transferIdleMs);
  const text = Readable.from(lines, { objectMode: false });
  reply.send(isCompressed ? pipeline(text, createGzip(), () => {}) : text);
  // Fastify ends the reading when the client disconnects.
  await finished(reply.raw).catch(() => text.destroy());
  await finished(text).catch(() => {});
}
