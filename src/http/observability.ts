import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../database.ts';
import { pendingMigrations } from '../migrations.ts';
import { operationOf } from './failures.ts';

/** `/healthz` (the process lives), `/readyz` (it can serve), `/metrics` (Prometheus), and a log line for each answer. */
export function observe(app: FastifyInstance, { pool }: Database): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by operation (the path as documented, never the one requested) and status',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool, by state',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'open' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waited_for' }, pool.waitingCount);
    },
  });

  // Only these fields are ever logged: no address, body, header, or anything of a record.
  app.addHook('onResponse', async (request, reply) => {
    const operation = operationOf(request);
    const seconds = reply.elapsedTime / 1000;
    durations.observe({ operation, status: String(reply.statusCode) }, seconds);
    const caller = request.caller ? { actor: request.caller.actor, organization: request.caller.organizationId } : {};
    request.log.info({ operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10, ...caller }, 'answered');
  });

  app.get('/healthz', { schema: { hide: true }, logLevel: 'warn' }, async () => ({ status: 'alive' }));
  app.get('/readyz', { schema: { hide: true }, logLevel: 'warn' }, async (_request, reply) => {
    const pending = await pendingMigrations(pool).catch(() => null);
    const state = pending === null ? 'database unreachable' : pending.length > 0 ? 'migrations pending' : 'ready';
    return reply.code(state === 'ready' ? 200 : 503).send({ status: state });
  });
  app.get('/metrics', { schema: { hide: true }, logLevel: 'warn' }, async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
}
