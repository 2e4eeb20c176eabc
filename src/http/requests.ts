import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, LogController } from 'fastify';

const MEBIBYTE = 1024 * 1024;

/** How requests are received: bounded in size, number of parameters and time. */
export const REQUEST_RULES = {
  bodyLimit: MEBIBYTE,
  /** Every answer comes within 5 s; what takes longer is told to try again. */
  handlerTimeout: 4_700,
  /** For the whole request to arrive. */
  requestTimeout: 30_000,
  forceCloseConnections: 'idle',
  logController: new LogController({ disableRequestLogging: true }),
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
  genReqId: (request: IncomingMessage): string => {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  },
} as const;

/** Every answer names its request. */
export function identifyRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
}

/** A JSON content type with no body counts as no body, so that an optional one may be left out by any client. */
export function acceptBodies(app: FastifyInstance): void {
  // The shapes are zod's, applied by the endpoints themselves (endpoints.ts); Fastify's own compilers have nothing to do.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body.toString(), done);
  });
}
