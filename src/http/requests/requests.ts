import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, LogController } from 'fastify';
import { Failure, outcomeUnknown } from '../../domain/errors.ts';
import { parseParameters } from '../input/utf8.ts';
import { LARGEST_BODY } from './bodies.ts';
import { LONGEST_REQUEST_MS } from './request-timeouts.ts';

export const SIGNAL_PATH = '/v/signal';

/** Milliseconds within which the headers of a request arrive, and within which Node looks for those that have not. */
const HEADERS_WITHIN_MS = 30_000;
const CHECK_EVERY_MS = 1_000;

/** Node's two limits for headers that are to arrive in time: the time that it counts, and the interval at which it looks. */
function headerTimes(withinMs: number): { headersTimeout: number; connectionsCheckingInterval: number } {
  const interval = Math.min(CHECK_EVERY_MS, withinMs / 2);
  return { headersTimeout: withinMs - interval, connectionsCheckingInterval: interval };
}

/**
 * Fastify's options for receiving requests, bounded in size, number of parameters and time.
 * @param headersWithinMs milliseconds after which a connection ends that has not sent all headers of a request
 */
export const requestRules = (headersWithinMs = HEADERS_WITHIN_MS) => ({
  ...REQUEST_RULES,
  http: { ...REQUEST_RULES.http, ...headerTimes(headersWithinMs) },
});

const REQUEST_RULES = {
  /** Operations that have authorized their caller take more (declare-endpoints.ts). */
  bodyLimit: LARGEST_BODY.unknown,
  /** For the whole request to arrive; most have less time (request-timeouts.ts). */
  requestTimeout: LONGEST_REQUEST_MS,
  http: {
    // Only WebSockets of video sessions are upgraded. Some clients offer HTTP/2 this way, and get an ordinary response.
    shouldUpgradeCallback: ({ headers, url }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?', 1)[0] === SIGNAL_PATH,
  },
  forceCloseConnections: 'idle',
  // The version in the address of an asset says for how long it may be kept.
  rewriteUrl: ({ url = '/' }: IncomingMessage) => (url.startsWith('/assets/') ? url.replace(/^\/assets\/[\da-f]{12}\//, '/assets/') : url),
  logController: new LogController({ disableRequestLogging: true }),
  // The schemas limit the length of each path parameter, and their errors name it.
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16 * 1024, querystringParser: parseParameters },
  genReqId: (request: IncomingMessage): string => {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  },
} as const;

/** CORS rules for pages of the origins that the operator names: every operation, with a token. */
export const crossOriginRules = (origins: string[]) => ({
  origin: origins,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Range',
    'Deprecation',
    'ETag',
    'Error-Code',
    'Error-Fields',
    'Feed-Cursor',
    'Idempotent-Replayed',
    'Location',
    'Merged-Into',
    'Possible-Matches',
    'RateLimit',
    'RateLimit-Policy',
    'Registration',
    'Retry-After',
    'Sunset',
    'Upload-Length',
    'Upload-Offset',
    'Warning-Codes',
    'Warning-Fields',
    'WWW-Authenticate',
    'X-Request-Id',
  ],
  maxAge: 600,
});

/** Puts the request's id on every response. */
export function identifyRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
}

/**
 * Refuses a request that names two hosts, in two headers or in its target and a header (RFC 9112, 3.2): a proxy in front may have
 * understood the other one.
 */
export function requireOneHost(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const names = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    const [, target] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(raw.url ?? '') ?? [];
    const isOther = target !== undefined && target.toLowerCase() !== raw.headers.host?.toLowerCase();
    if (names.length > 1 || isOther) throw new Failure('invalid', 'malformed_request', 'The request names more than one host.');
  });
}

/** Milliseconds after which a request without a response gets a 503: every response comes within 5 s. */
const RESPOND_WITHIN_MS = 4_700;

/** The deadline of a response. It is paused while the body arrives; pausing and resuming again changes nothing. */
export interface Deadline {
  /** Aborted when the caller got a 503 because the deadline passed. */
  signal: AbortSignal;
  pause(): void;
  resume(): void;
}

/**
 * Sends a 503 where there is no response in time. Fastify's handlerTimeout would do, but takes the end of the body for the
 * end of the request (5.12), and so watches no request that has one.
 */
export function limitResponseTime(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    request.deadline = startDeadline(() => {
      if (!reply.sent) reply.send(outcomeUnknown('The service did not answer in time.'));
    });
    reply.raw.once('close', () => request.deadline.pause());
  });
  app.addHook('preParsing', async (request) => request.deadline.pause());
  app.addHook('preValidation', async (request) => request.deadline.resume());
}

function startDeadline(onExpiry: () => void): Deadline {
  const expiry = new AbortController();
  let left = RESPOND_WITHIN_MS;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  function resume(): void {
    if (timer) return;
    since = performance.now();
    timer = setTimeout(() => {
      expiry.abort();
      onExpiry();
    }, left);
  }
  function pause(): void {
    if (!timer) return;
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - since;
  }
  resume();
  return { signal: expiry.signal, pause, resume };
}
