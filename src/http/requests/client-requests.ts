import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLog } from '../../domain/identity/clients/request-log.ts';
import { nameOperation } from '../errors/error-mapping.ts';

/** Names of fields and parameters. What else a caller sends as a name may be a value, even of a patient. */
const NAME = /^[A-Za-z_][\w.[\]-]{0,59}$/;
const OTHER = '(other)';

/** Adds each answered request of an API client to the log that it can read: codes and names of fields, never a value. */
export function recordClientRequests(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (request.clientInPractice) log.add({ ...request.clientInPractice, ...toAnswered(request, reply) });
    done();
  });
  app.addHook('onClose', () => log.close());
}

function toAnswered(request: FastifyRequest, reply: FastifyReply) {
  const code = reply.getHeader('error-code');
  return {
    at: new Date(Date.now() - reply.elapsedTime),
    requestId: request.id,
    operation: nameOperation(request),
    status: reply.statusCode,
    code: typeof code === 'string' ? code : null,
    fields: namesIn(reply, 'error-fields'),
    warningFields: namesIn(reply, 'warning-fields'),
    latencyMs: Math.round(reply.elapsedTime * 10) / 10,
  };
}

function namesIn(reply: FastifyReply, header: 'error-fields' | 'warning-fields'): string[] {
  const written = reply.getHeader(header);
  if (typeof written !== 'string') return [];
  return [...new Set(written.split(', ').map((name) => (NAME.test(name) ? name : OTHER)))];
}
