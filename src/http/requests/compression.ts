import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasTag } from '../endpoints/run/responses.ts';

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Bytes under which compressing saves no packet. */
const SMALLEST = 1_024;
const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|javascript|xml)\b|image\/svg\+xml)/;

/** Bytes from which an answer is compressed quickly instead of well: its request shares the processor with others. */
const LARGE = 256 * 1_024;

/** Synchronous, since handlers do not wait for the hook: a kilobyte takes some ten microseconds. */
const compressNow: Record<Encoding, (content: Buffer) => Buffer> = {
  br: (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: content.byteLength < LARGE ? 4 : 1 } }),
  gzip: (content) => gzipSync(content, { level: content.byteLength < LARGE ? 5 : 1 }),
};

/** For content that is kept. */
const compressOnce: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (content) => promisify(gzip)(content),
};

/** The first of the server's encodings that a client accepts (RFC 9110, 12.5.3); null for none. */
function acceptedEncoding(header: string | string[] | undefined): Encoding | null {
  if (header === undefined) return null;
  const weights = new Map(
    String(header)
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
        return [name, parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)) ? 0 : 1];
      }),
  );
  return ENCODINGS.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0) ?? null;
}

function varyByEncoding(reply: FastifyReply): void {
  const vary = String(reply.getHeader('vary') ?? '');
  if (!vary.includes('Accept-Encoding')) reply.header('vary', vary === '' ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
}

/**
 * Compresses pages, documents and JSON of more than a kilobyte. Only what a request reads: what a form or a body sends could otherwise be
 * reflected beside a secret, whose length would tell of it (BREACH). So is an answer with a cookie left as it is.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || !mayCompress(request, reply)) return done(null, payload);
    const content = Buffer.from(payload);
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (content.byteLength < SMALLEST) return done(null, payload);
    varyByEncoding(reply);
    if (encoding === null) return done(null, payload);
    reply.header('content-encoding', encoding).removeHeader('content-length');
    return done(null, compressNow[encoding](content));
  });
}

const mayCompress = ({ method }: FastifyRequest, reply: FastifyReply): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  reply.statusCode !== 206 &&
  COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? '')) &&
  !reply.hasHeader('content-encoding') &&
  !reply.hasHeader('set-cookie');

/** Content that is the same for every reader, with its compressed forms, which are made once. */
export interface StaticContent {
  /** Entity tag, without `W/`. */
  etag: string;
  read: () => Promise<Buffer>;
  encoded: Map<Encoding, Promise<Buffer>>;
}

/** @param read the content, which is not kept where it is read from a file each time */
export async function staticContent(read: () => Promise<Buffer>): Promise<StaticContent> {
  const hash = createHash('sha256')
    .update(await read())
    .digest('base64url');
  return { etag: `"${hash.slice(0, 22)}"`, read, encoded: new Map() };
}

/** Sends content with its entity tag, compressed as the reader accepts it. The caller has set its type and for how long it may be kept. */
export async function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, read, encoded }: StaticContent,
): Promise<FastifyReply> {
  reply.header('etag', `W/${etag}`);
  varyByEncoding(reply);
  const known = request.headers['if-none-match'];
  if (known !== undefined && hasTag(known, etag, 'weak')) return reply.code(304).send();
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null) return reply.send(await read());
  const compressed = encoded.get(encoding) ?? read().then(compressOnce[encoding]);
  encoded.set(encoding, compressed);
  return reply.header('content-encoding', encoding).send(await compressed);
}
