import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { StartError } from '../../config/start-errors.ts';
import { unauthenticated } from '../auth/authenticate.ts';
import type { Metrics } from './process-metrics.ts';

export type MetricsSettings = Pick<Config, 'NODE_ENV' | 'METRICS_TOKEN' | 'METRICS_PORT' | 'METRICS_HOST'>;

/**
 * Serves `/metrics`: on a port of its own where METRICS_PORT is set, else beside the APIs, in production only to who has
 * METRICS_TOKEN. Where that is set, it is asked for everywhere.
 */
export async function serveMetrics(app: FastifyInstance, config: MetricsSettings, metrics: Metrics): Promise<void> {
  const { NODE_ENV, METRICS_TOKEN: token, METRICS_PORT: port, METRICS_HOST: host } = config;
  if (port !== undefined) return listenApart(app, createMetricsServer(token, metrics), { port, host });
  if (token === undefined && NODE_ENV === 'production') return;
  app.get('/metrics', { logLevel: 'warn' }, async ({ headers }, reply) => {
    if (!isAllowed(token, headers.authorization)) throw unauthenticated('unauthenticated', 'Metrics require their own bearer token.');
    const { contentType, text } = await metrics.read(headers.accept);
    return reply.type(contentType).header('cache-control', 'no-store').send(text);
  });
}

/** Compares hashes, whose comparison tells neither the length nor the beginning of the token by its time. */
function isAllowed(token: string | undefined, authorization: string | undefined): boolean {
  if (token === undefined) return true;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(`Bearer ${token}`), hash((authorization ?? '').replace(/^bearer +/i, 'Bearer ')));
}

function createMetricsServer(token: string | undefined, metrics: Metrics): Server {
  return createServer((request, response) => {
    const isKnown = (request.method === 'GET' || request.method === 'HEAD') && request.url?.split('?', 1)[0] === '/metrics';
    if (isKnown) sendMetrics(request, response, token, metrics);
    else response.writeHead(404).end();
  });
}

/** Answers with all metrics, where a token is set only to who has it. */
export function sendMetrics(request: IncomingMessage, response: ServerResponse, token: string | undefined, metrics: Metrics): void {
  if (isAllowed(token, request.headers.authorization))
    metrics.read(request.headers.accept).then(
      ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  else response.writeHead(401, { 'www-authenticate': 'Bearer realm="triptych"' }).end();
}

/** Listens before the server of the APIs does, and closes with it. @throws StartError at the start, where the port is taken */
function listenApart(app: FastifyInstance, server: Server, { port, host }: { port: number; host: string }): void {
  app.addHook('onReady', async () => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    }).catch((cause: unknown) => {
      throw new StartError(`METRICS_PORT: cannot listen on ${port} of ${host}.`, { cause });
    });
    const bound = server.address();
    app.log.info(`metrics are served on port ${bound !== null && typeof bound === 'object' ? bound.port : port}`);
  });
  app.addHook('preClose', async () => {
    server.closeAllConnections();
    server.close();
  });
}
