import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { forbidden } from '../../domain/errors.ts';
import { logServerFailure, toFailure, toStatus } from '../errors/error-mapping.ts';
import type { Limits } from '../requests/limits.ts';
import { isOwnOrigin } from '../wire/links.ts';
import { refuseFormsOfOthers } from './own-forms.ts';

interface OwnScriptDeps {
  config: Config;
  limits: Limits;
}

/** Rules for requests of the scripts of pages: only pages of this server may send them, and failures are JSON. */
export function answerOwnScripts(app: FastifyInstance, { config, limits }: OwnScriptDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    await limits.spend('address', request, reply);
    requireOwnOrigin(request, config);
    refuseFormsOfOthers(request, config);
  });
  app.setErrorHandler(sendScriptFailure);
}

/** @throws Failure forbidden for pages of other origins. Clients that are no browser send no origin. */
function requireOwnOrigin(request: FastifyRequest, { CORS_ORIGINS }: Config): void {
  const { origin } = request.headers;
  if (origin === undefined || CORS_ORIGINS.includes(origin)) return;
  if (!isOwnOrigin(request, origin)) throw forbidden('foreign_origin', 'Only pages of this server may request this.');
}

export function sendScriptFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error);
  logServerFailure(failure, request);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  const ended = failure.code === 'session_ended';
  return reply
    .code(ended ? 410 : toStatus(failure))
    .headers(failure.headers)
    .send({ error: { code: failure.code, message: failure.message } });
}
