import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram } from 'prom-client';
import type { Database } from '../database/database.ts';
import { readiness } from '../database/readiness.ts';
import { operationOf, templateOf } from './error-mapping.ts';
import { type MetricsSettings, serveMetrics } from './metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';

/** `/healthz` (the process lives), `/readyz` (it can serve), `/metrics` (Prometheus), and a log line for each response. */
export async function observe(app: FastifyInstance, { pool }: Pick<Database, 'pool'>, config: MetricsSettings): Promise<void> {
  const { registry, metrics } = createProcessMetrics(pool);
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by operation (the path as documented, never the one requested) and status',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) request.log.info(lineOf(request, reply), 'caller left');
    });
  });
  app.addHook('onResponse', async (request, reply) => {
    durations.observe({ operation: labelOf(request), status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    request.log.info({ ...lineOf(request, reply), status: reply.statusCode }, 'answered');
  });

  app.get('/healthz', { schema: { hide: true }, logLevel: 'warn' }, async () => ({ status: 'alive' }));
  app.get('/readyz', { schema: { hide: true }, logLevel: 'warn' }, async (_request, reply) => {
    const state = await readiness(pool);
    return reply.code(state === 'ready' ? 200 : 503).send({ status: state });
  });
  await serveMetrics(app, config, metrics);
}

/** The only fields of a request that are logged: no path, body, header, or data of a record. */
function lineOf(request: FastifyRequest, reply: FastifyReply): object {
  const caller = request.caller ? { actor: request.caller.actor, organization: request.caller.organizationId } : {};
  return { operation: operationOf(request), ms: Math.round(reply.elapsedTime * 10) / 10, ...caller };
}

/** All unknown paths share one label, so that scans do not create new ones. */
function labelOf(request: FastifyRequest): string {
  return templateOf(request) === null ? '(no such path)' : operationOf(request);
}
