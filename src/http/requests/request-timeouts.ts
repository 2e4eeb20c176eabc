import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Milliseconds for a whole request to arrive; one with a file takes as long as it makes progress. */
const ARRIVES_WITHIN_MS = 30_000;

/** The limit of every request in milliseconds, also on a slow connection: 25 MiB at 120 kbit/s. */
export const LONGEST_REQUEST_MS = 1_800_000;

/**
 * Ends requests that do not arrive in time: those with a file when they make no progress for a while, all others after 30 s.
 * (Node itself has one limit for all requests.)
 */
export function limitRequestTime(app: FastifyInstance, idleMs: number): void {
  app.addHook('onRequest', async (request) => {
    if (!hasBody(request) || isInjected(request)) return;
    if (request.routeOptions.config.carriesFile) {
      request.raw.setTimeout(idleMs, () => endLate(request));
      return;
    }
    const limit = setTimeout(() => endLate(request), ARRIVES_WITHIN_MS);
    request.raw.once('close', () => clearTimeout(limit));
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');
}

/** A request injected by the process itself comes over no socket, and is complete. */
const isInjected = ({ raw }: FastifyRequest): boolean => !(raw.socket instanceof Socket);

/** Ends a request as Node does: with an error response, and the end of the connection. */
function endLate({ raw, server }: FastifyRequest): void {
  const error = Object.assign(new Error('The request did not arrive in time.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  server.server.emit('clientError', error, raw.socket);
}
