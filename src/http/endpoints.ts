import type { FastifyInstance, FastifySchema } from 'fastify';
import type { z } from 'zod';
import { onceMore } from '../domain/once-more.ts';
import { admit } from './admission.ts';
import { checkedJson, send } from './answers.ts';
import type { Authenticator } from './authenticate.ts';
import type { Dialect } from './dialect.ts';
import type { Endpoint, None, OpenEndpoint } from './endpoint.ts';
import { answerRead, answerWrite, type HandlingDeps } from './handling.ts';
import { nameUnknownFields, readInput } from './input.ts';
import type { Limits } from './limits.ts';

/** What endpoints need of the server. */
export interface EndpointDeps extends HandlingDeps {
  authenticator: Authenticator;
  limits: Limits;
}

/** What of an endpoint its document shows. */
type Declared = Pick<
  Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType>,
  'operationId' | 'summary' | 'description' | 'tag' | 'params' | 'query' | 'body' | 'bodyOptional' | 'answers' | 'status'
>;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Declare = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: Endpoint<P, Q, B, A>,
) => void;

export type Endpoints = Record<'get' | 'post' | 'put' | 'delete', Declare> & {
  open<B extends z.ZodType, A extends z.ZodType>(method: 'POST', path: string, endpoint: OpenEndpoint<B, A>): void;
};

/** Declares operations of one dialect: authentication, scope, limits, validation, transaction and answer are the same for all. */
export function endpoints(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect): Endpoints {
  // Also what nobody waits for any more, an answer that came too late, say, is finished before the database closes.
  app.addHook('onClose', () => deps.work.settled());
  const declare =
    (method: Method): Declare =>
    (path, endpoint) =>
      declareProtected(app, deps, dialect, { method, path, endpoint });
  return {
    get: declare('GET'),
    post: declare('POST'),
    put: declare('PUT'),
    delete: declare('DELETE'),
    open: (method, path, endpoint) => declareOpen(app, deps, { method, path, endpoint }),
  };
}

interface Declaration<E> {
  method: Method;
  path: string;
  endpoint: E;
}

function declareProtected<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  { method, path, endpoint }: Declaration<Endpoint<P, Q, B, A>>,
): void {
  const scope = endpoint.scope ?? dialect.scopes[method === 'GET' ? 'read' : 'write'];
  const { roles, tagged = false } = endpoint;
  const ifMatch = endpoint.current !== undefined;
  if (method === 'PUT' && tagged && !ifMatch) throw new Error(`PUT ${path} answers with a tag and must say what is current`);
  app.route({
    method,
    url: path,
    schema: declaredSchema(endpoint),
    config: { protected: true, scope, roles: roles ?? null, tagged, ifMatch },
    onRequest: async (request, reply) => {
      // What is answered is about people, and for the caller alone.
      reply.header('cache-control', 'no-store');
      request.caller = await admit(deps, dialect, { scope, roles }, request, reply);
    },
    handler: async (request, reply) => {
      try {
        await (method === 'GET' ? answerRead(deps, endpoint, request, reply) : answerWrite(deps, endpoint, request, reply));
      } catch (error) {
        // The caller was told already that it took too long.
        if (!reply.sent) throw error;
        request.log.warn({ err: error }, 'failed after its answer');
      }
    },
  });
}

function declareOpen<B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  { limits, checkAnswers }: EndpointDeps,
  { method, path, endpoint }: Declaration<OpenEndpoint<B, A>>,
): void {
  app.route({
    method,
    url: path,
    schema: declaredSchema(endpoint),
    onRequest: (request, reply) => limits.spend('address', request.ip, reply),
    handler: async (request, reply) => {
      const body = readInput(endpoint.body, request.body);
      nameUnknownFields(endpoint.body, request.body, reply);
      const wire = await onceMore(() => endpoint.handle({ body, request }));
      // What it answers is for the caller's eyes alone, and never kept: not by caches, not under an Idempotency-Key.
      send(reply, { status: 200, headers: { 'cache-control': 'no-store' }, body: checkedJson(endpoint.answers, wire, checkAnswers) });
    },
  });
}

/** What the document is made from; the shapes themselves are applied when a request is handled. */
function declaredSchema(endpoint: Declared): FastifySchema {
  const { operationId, summary, tag, description, params, query, body, answers, status = 200 } = endpoint;
  return {
    operationId,
    summary,
    tags: [tag],
    ...(description ? { description } : {}),
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body: endpoint.bodyOptional ? body.optional() : body } : {}),
    response: { [status]: answers },
  };
}
