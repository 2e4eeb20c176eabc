import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, LogController } from 'fastify';
import { invalid, unavailable } from '../domain/errors.ts';
import { LONGEST_REQUEST_MS } from './request-timeouts.ts';

const MEBIBYTE = 1024 * 1024;

/** Where browsers in a video session open their socket. */
export const SIGNAL_PATH = '/v/signal';

/** How requests are received: bounded in size, number of parameters and time. */
export const REQUEST_RULES = {
  bodyLimit: MEBIBYTE,
  /** For the whole request to arrive; most are given less (arrival.ts). */
  requestTimeout: LONGEST_REQUEST_MS,
  http: {
    headersTimeout: 30_000,
    // Only the sockets of the rooms are upgraded. Some clients ask each server for HTTP/2 this way, and are answered as ever.
    shouldUpgradeCallback: ({ headers, url }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket' && url === SIGNAL_PATH,
  },
  forceCloseConnections: 'idle',
  logController: new LogController({ disableRequestLogging: true }),
  // Shapes bound the length of each part of an address, and say which is too long.
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16 * 1024 },
  genReqId: (request: IncomingMessage): string => {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  },
} as const;

/** What pages of other origins may do, where the operator names the origins: all that these APIs have, with a token in hand. */
export const crossOriginRules = (origins: string[]) => ({
  origin: origins,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  exposedHeaders: [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Range',
    'ETag',
    'Idempotent-Replayed',
    'RateLimit',
    'RateLimit-Policy',
    'Registration',
    'Retry-After',
    'Warning-Fields',
    'WWW-Authenticate',
    'X-Request-Id',
  ],
  maxAge: 600,
});

/** Every answer names its request. */
export function identifyRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
}

/** Every answer comes within 5 s; who would wait longer is told to try again. */
const ANSWER_WITHIN_MS = 4_700;

/** How long a request may still take, not counting the time in which its body arrives. */
export interface Deadline {
  /** Aborted once the caller was told that it took too long. */
  signal: AbortSignal;
  pause(): void;
  resume(): void;
}

/**
 * Answers 503 when there is no answer in time. Fastify's handlerTimeout would do, but takes the end of the body for the
 * end of the request (5.12), and so watches no request that has one.
 */
export function limitResponseTime(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    request.deadline = startDeadline(() => {
      if (!reply.sent) reply.send(unavailable('The service did not answer in time. Try again in a moment.'));
    });
    reply.raw.once('close', () => request.deadline.pause());
  });
  app.addHook('preParsing', async (request) => request.deadline.pause());
  app.addHook('preValidation', async (request) => request.deadline.resume());
}

function startDeadline(onExpiry: () => void): Deadline {
  const expiry = new AbortController();
  let left = ANSWER_WITHIN_MS;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  function resume(): void {
    since = performance.now();
    timer = setTimeout(() => {
      expiry.abort();
      onExpiry();
    }, left);
  }
  function pause(): void {
    clearTimeout(timer);
    left -= performance.now() - since;
  }
  resume();
  return { signal: expiry.signal, pause, resume };
}

/** No body of these APIs is nested deeper than a few levels. */
const DEEPEST = 100;

/** A JSON content type with no body counts as no body, so that an optional one may be left out by any client. */
export function acceptBodies(app: FastifyInstance): void {
  // The shapes are zod's, applied by the endpoints themselves (endpoints.ts); Fastify's own compilers have nothing to do.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') {
      done(null, undefined);
      return;
    }
    void parse(request, body.toString(), (error, value) => {
      if (error) done(error);
      else if (isDeeperThan(DEEPEST, value)) done(invalid('body', 'is nested too deeply', 'too_deep'));
      else done(null, value);
    });
  });
}

/** Level by level, because what is walked by recursion overflows the stack at some depth. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
    if (level.length === 0) return false;
  }
  return true;
}
