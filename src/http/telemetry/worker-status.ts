import { createServer, type ServerResponse } from 'node:http';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { StartError } from '../../config/start-errors.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { type Readiness, readiness } from '../../database/readiness.ts';
import { sendMetrics } from './metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';

/** Health and metrics of a worker, which answers no other requests. */
export interface WorkerStatus {
  /** From now on `/readyz` looks at this pool, and `/metrics` has it. */
  watch(pool: pg.Pool, keyring: Keyring): void;
  close(): void;
}

type Settings = Pick<Config, 'WORKER_PORT' | 'WORKER_HOST' | 'METRICS_TOKEN'>;

/**
 * Serves `/healthz`, `/readyz` and `/metrics` of a worker on WORKER_PORT; nothing where that is not set. Until the worker has a
 * database it is not ready. Where METRICS_TOKEN is set, `/metrics` asks for it.
 * @throws StartError where the port cannot be had
 */
export async function serveWorkerStatus({ WORKER_PORT, WORKER_HOST, METRICS_TOKEN }: Settings, logger: Logger): Promise<WorkerStatus> {
  if (WORKER_PORT === undefined) return { watch: () => undefined, close: () => undefined };
  let look: (() => Promise<Readiness>) | undefined;
  let metrics = createProcessMetrics().metrics;
  const server = createServer(async (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = isRead ? request.url?.split('?', 1)[0] : undefined;
    if (path === '/healthz') send(response, 200, { status: 'alive' });
    else if (path === '/readyz') {
      const answer = look ? await look() : { status: 'starting' };
      send(response, answer.status === 'ready' ? 200 : 503, answer);
    } else if (path === '/metrics') sendMetrics(request, response, METRICS_TOKEN, metrics);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(WORKER_PORT, WORKER_HOST, resolve);
  }).catch((cause: unknown) => {
    throw new StartError(`WORKER_PORT: cannot listen on ${WORKER_PORT} of ${WORKER_HOST}.`, { cause });
  });
  const bound = server.address();
  logger.info(
    `health and metrics of the worker are served on port ${bound !== null && typeof bound === 'object' ? bound.port : WORKER_PORT}`,
  );
  return {
    watch(opened, keyring) {
      look = () => readiness(opened, keyring);
      metrics = createProcessMetrics(opened).metrics;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
