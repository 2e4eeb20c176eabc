import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/errors.ts';
import { errorHeaders } from '../errors/error-headers.ts';
import { type ErrorResponse, loggedOperation, logServerFailure, toFailure } from '../errors/error-mapping.ts';
import type { Limits } from '../requests/limits.ts';
import { bodyType, type Dialect } from './dialect.ts';

type Dialects = Record<Dialect['name'], Dialect>;

export function handleErrors(scope: FastifyInstance, dialect: Dialect): void {
  scope.setErrorHandler((error, request, reply) => writeError(dialect, error, request, reply));
}

/** Sends errors outside of all operations in the form of the dialect that the path resembles. To be called before any route is declared. */
export function handleOtherErrors(app: FastifyInstance, dialects: Dialects): void {
  app.setErrorHandler((error, request, reply) => writeError(dialectOfPath(dialects, request.url), error, request, reply));
}

/**
 * Refuses unknown paths in the form of the dialect that they resemble. A browser that opens an unknown path gets a page, unless the
 * path resembles one of another API than the mobile one.
 */
export function handleUnknownPaths(
  app: FastifyInstance,
  { dialects, sendPage }: { dialects: Dialects; sendPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> },
  limits: Limits,
): void {
  app.setNotFoundHandler(async (request, reply) => {
    await limits.spend('address', request, reply);
    const opensPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
    if (opensPage && dialectOfPath(dialects, request.url) === dialects.mobile) return sendPage(request, reply);
    throw new Failure('not_found', 'unknown_path', 'There is no such operation.');
  });
}

/** The dialect that an address resembles. */
const dialectOfPath = ({ integration, practice, platform, mobile }: Dialects, url: string): Dialect =>
  [integration, practice, platform].find(({ addresses }) => addresses.test(url)) ?? mobile;

/** The HTML pages beside the dialects, as far as an address that cannot be decoded concerns them. */
export interface PageErrors {
  /** Matches the addresses that look like one of a page. */
  addresses: RegExp;
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

/** Sends errors before routing, such as a path that cannot be decoded. No hook runs for them. */
export const frameworkErrors =
  (dialects: Dialects, pages: PageErrors) => (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (pages.addresses.test(request.url)) pages.send(request, reply);
    else void writeError(dialectOfPath(dialects, request.url), error, request, reply);
    request.log.info({ ...loggedOperation(request), status: reply.statusCode }, 'answered');
  };

function writeError(dialect: Dialect, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request.routeOptions.schema?.consumes?.[0] ?? bodyType(dialect));
  logServerFailure(failure, request);
  const answer = dialect.writeError(failure, request);
  reply.headers(errorHeaders(failure.code, answer.fields));
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  // RFC 9110 requires a challenge of every 401; a failure may bring a better one.
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer realm="triptych"');
  return reply.code(answer.status).headers(failure.headers).header('content-type', toContentType(answer)).send(JSON.stringify(answer.body));
}

const toContentType = ({ contentType = 'application/json' }: ErrorResponse): string => `${contentType}; charset=utf-8`;

const UNREADABLE: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: 'The headers are too large.',
};

/** Sends an error for a request that is not HTTP, in the form of the dialect that its first line resembles, and ends the connection. */
export const unreadableRequests = (dialects: Dialects, logger: FastifyBaseLogger) => (error: ConnectionError, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const sent = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '';
  const [, method = '', path = ''] = /^([A-Z]{1,20}) (\/\S*)/.exec(sent) ?? [];
  const failure = new Failure('invalid', 'malformed_request', UNREADABLE[error.code] ?? 'The request cannot be read.');
  const answer = dialectOfPath(dialects, path).writeError(failure, { id, method, routeOptions: { url: undefined } });
  const body = JSON.stringify(answer.body);
  logger.info({ reqId: id, operation: '(unreadable)', status: answer.status }, 'answered');
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    `content-type: ${toContentType(answer)}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    `error-code: ${failure.code}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
};
