import type { FastifyReply, FastifyRequest } from 'fastify';
import { logServerFailure, statusOf, toFailure } from '../../http/error-mapping.ts';

/** Sends a failure as JSON to the script of a page. */
export function sendScriptFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error);
  logServerFailure(failure, request);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  const ended = failure.code === 'session_ended';
  return reply
    .code(ended ? 410 : statusOf(failure))
    .headers(failure.headers)
    .send({ error: { code: failure.code, message: failure.message } });
}
