import type { FastifyInstance } from 'fastify';
import { activeTracer, type OpenSpan } from '../../tracing/spans.ts';
import { operationOf } from '../errors/error-mapping.ts';

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
      span.end(operationOf(request), attributes, reply.statusCode >= 500);
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
