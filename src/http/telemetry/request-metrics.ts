import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram } from 'prom-client';
import { findPathTemplate, nameOperation } from '../errors/error-mapping.ts';
import type { ServerRegistry } from './process-metrics.ts';

/** Characters of a request id that an exemplar can have: OpenMetrics allows 128 with the name of its label. */
const LONGEST_EXEMPLAR = 128 - 'request_id'.length;

/** The metrics of requests. An operation is named by its documented path, never by the one requested. */
export function createRequestMetrics(registry: ServerRegistry) {
  const registers = [registry];
  const durations = new Histogram<string>({
    name: 'http_request_duration_seconds',
    help: 'Response time, by operation and status class (2xx)',
    labelNames: ['operation', 'class'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    enableExemplars: true,
    registers,
  });
  const responses = new Counter({
    name: 'http_responses_total',
    help: 'Responses, by operation and status',
    labelNames: ['operation', 'status'],
    registers,
  });
  let underWay = 0;
  new Gauge({
    name: 'http_requests_under_way',
    help: 'Requests without a response yet, including streams and sockets',
    registers,
    collect() {
      this.set(underWay);
    },
  });
  return {
    begin(): void {
      underWay += 1;
    },
    end(): void {
      underWay -= 1;
    },
    answered(request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
      const operation = toLabel(request);
      responses.inc({ operation, status: String(statusCode) });
      durations.observe({
        labels: { operation, class: `${Math.trunc(statusCode / 100)}xx` },
        value: elapsedTime / 1000,
        exemplarLabels: request.id.length > LONGEST_EXEMPLAR ? {} : { request_id: request.id },
      });
    },
  };
}

/** All unknown paths share one label, so that scans do not create new ones. */
function toLabel(request: FastifyRequest): string {
  return findPathTemplate(request) === null ? '(no such path)' : nameOperation(request);
}
