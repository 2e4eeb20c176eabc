import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { areJobsRun, readiness } from '../../database/readiness.ts';
import { activeTracer, boundToSpan, type OpenSpan } from '../../tracing/spans.ts';
import { loggedOperation, nameOperation } from '../errors/error-mapping.ts';
import { type MetricsSettings, serveMetrics } from './metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';

interface Observed extends Pick<Database, 'pool'> {
  keyring: Keyring;
  /** Whether the process has its stop signal: balancers are to send requests elsewhere. */
  isStopping: () => boolean;
}

/** `/healthz` (the process lives), `/readyz` (it can serve), `/metrics` (Prometheus), and a log line for each response. */
export async function observe(
  app: FastifyInstance,
  { pool, keyring, isStopping }: Observed,
  config: MetricsSettings & Pick<Config, 'RUN_JOBS'>,
): Promise<void> {
  const { registry, metrics } = createProcessMetrics(pool);
  const requests = createRequestMetrics(registry);

  app.addHook('onRequest', async (request, reply) => {
    requests.begin();
    const onClose = boundToSpan(() => {
      requests.end();
      if (!reply.raw.writableFinished) request.log.info(toLogLine(request, reply), 'caller left');
    });
    reply.raw.once('close', onClose);
  });
  app.addHook('onResponse', async (request, reply) => {
    requests.answered(request, reply);
    request.log.info({ ...toLogLine(request, reply), status: reply.statusCode }, 'answered');
  });

  app.get('/healthz', { logLevel: 'warn' }, async () => ({ status: 'alive' }));
  app.get('/readyz', { logLevel: 'warn' }, async (_request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: 'stopping' });
    const answer = await readiness(pool, keyring);
    if (answer.status !== 'ready') return reply.code(503).send(answer);
    // While nobody runs jobs a process serves all requests: taken out of the balancer, it would serve none.
    return reply.send({ ...answer, jobs: (await areJobsRun(pool, config.RUN_JOBS)) ? 'running' : 'not running' });
  });
  await serveMetrics(app, config, metrics);
}

/** The only fields of a request that are logged: no body, header, or data of a record, and no path but its template or first segment. */
function toLogLine(request: FastifyRequest, reply: FastifyReply): object {
  const caller = request.caller ? { actor: request.caller.actor, organization: request.caller.organizationId } : {};
  return { ...loggedOperation(request), ms: Math.round(reply.elapsedTime * 10) / 10, ...caller };
}

/** Makes a span of each request, named by its documented operation. Where no traces are asked for, it adds nothing to requests. */
export function traceRequests(app: FastifyInstance): void {
  const tracer = activeTracer();
  if (!tracer) return;
  const spans = new WeakMap<object, OpenSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    const { traceparent } = request.headers;
    const span = tracer.open(typeof traceparent === 'string' ? traceparent : undefined);
    spans.set(request, span);
    // At its end, also of one whose caller has left.
    reply.raw.once('close', () => {
      const attributes = {
        'http.request.method': request.method,
        'http.response.status_code': reply.statusCode,
        'triptych.request_id': request.id,
      };
      span.end(nameOperation(request), attributes, reply.statusCode >= 500);
    });
    span.enter(done);
  });
  // After the body was read, the request goes on outside of the span.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.enter(done);
    else done();
  });
}
