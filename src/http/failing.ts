import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../domain/errors.ts';
import type { Dialect } from './dialect.ts';
import { operationOf, toFailure } from './failures.ts';

/** Errors of one dialect's operations, in its words. */
export function answerFailures(scope: FastifyInstance, dialect: Dialect): void {
  scope.setErrorHandler((error, request, reply) => writeFailure(dialect, error, request, reply));
}

/** Errors outside all operations, and addresses that do not exist, in the words of the dialect they look like. */
export function answerUnknownPaths(app: FastifyInstance, dialects: Record<Dialect['name'], Dialect>): void {
  const dialectOf = (request: FastifyRequest) => dialectOfPath(dialects, request.url);
  app.setErrorHandler((error, request, reply) => writeFailure(dialectOf(request), error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    writeFailure(dialectOf(request), new Failure('not_found', 'unknown_path', 'There is no such operation.'), request, reply),
  );
}

/** The dialect that an address looks like. */
function dialectOfPath(dialects: Record<Dialect['name'], Dialect>, url: string): Dialect {
  if (/^\/api(\/|\?|$)/.test(url)) return dialects.integration;
  return /^\/[^/?]+\/\d+(\/|\?|$)/.test(url) ? dialects.practice : dialects.mobile;
}

/** Errors before any route is found: an address that cannot be decoded, say. */
export const frameworkErrors = (dialects: Record<Dialect['name'], Dialect>) => (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  void writeFailure(dialectOfPath(dialects, request.url), error, request, reply.header('x-request-id', request.id));
};

function writeFailure(dialect: Dialect, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error);
  if (failure.kind === 'internal' || failure.kind === 'unavailable') {
    const log = { err: failure.cause ?? failure, operation: operationOf(request) };
    if (failure.kind === 'internal') request.log.error(log, 'failed');
    else request.log.warn(log, 'unavailable');
  }
  const { status, body, contentType = 'application/json' } = dialect.writeFailure(failure, request);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  return reply.code(status).headers(failure.headers).header('content-type', `${contentType}; charset=utf-8`).send(JSON.stringify(body));
}
