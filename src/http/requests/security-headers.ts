import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';

/** Sets the security headers of every response. They are constant, and computed once: helmet costs more per request than checking a token. */
export function setSecurityHeaders(app: FastifyInstance, options: HelmetOptions): void {
  const headers = listHeaders(options);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}

/** The headers that helmet sets, read from a response that is never sent. */
function listHeaders(options: HelmetOptions) {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  helmet(options)(answer.req, answer, () => {});
  return answer.getHeaders();
}
