import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** For the whole of a request to arrive; one that carries a file takes as long as it makes progress. */
const ARRIVES_WITHIN_MS = 30_000;

/** What no request takes longer than, however slow its line: 25 MiB at 120 kbit/s. */
export const LONGEST_REQUEST_MS = 1_800_000;

/**
 * Ends requests that do not arrive in time: what carries a file when nothing of it has come for a while, all others
 * after 30 s. (Node itself knows one limit for all requests.)
 */
export function limitRequestTime(app: FastifyInstance, idleMs: number): void {
  app.addHook('onRequest', async (request) => {
    if (!hasBody(request) || isOwn(request)) return;
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

/** What the server asks itself comes over no line, and is there as a whole. */
const isOwn = ({ raw }: FastifyRequest): boolean => !(raw.socket instanceof Socket);

/** As Node ends it: its answer says why, and the connection ends with it. */
function endLate({ raw, server }: FastifyRequest): void {
  const error = Object.assign(new Error('The request did not arrive in time.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  server.server.emit('clientError', error, raw.socket);
}
