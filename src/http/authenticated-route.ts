import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { z } from 'zod';
import type { FileStore } from '../domain/files/stored-files.ts';
import type { Authenticator } from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { Dialect } from './dialect.ts';
import type { DownloadDeps } from './downloads.ts';
import type { Endpoint } from './endpoint-types.ts';
import type { Limits } from './limits.ts';
import type { UploadDeps } from './uploads.ts';

/** What endpoints need of the server. */
export interface EndpointDeps extends UploadDeps, DownloadDeps {
  store: FileStore;
  authenticator: Authenticator;
  limits: Limits;
}

/** What is declared about an endpoint, beside its handler. */
type Declared = Omit<Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType>, 'handle' | 'current' | 'ignored'>;
type Documented = Omit<Declared, 'scope' | 'roles' | 'tagged'> & { consumes?: string[]; produces?: string[] };

export type WriteMethod = 'POST' | 'PUT' | 'DELETE';

export interface Declaration<E> {
  method: 'GET' | WriteMethod;
  path: string;
  endpoint: E;
}

export interface AuthenticatedRoute extends Declaration<Declared & { consumes?: string[]; produces?: string[] }> {
  /** If-Match is honoured. */
  ifMatch: boolean;
  /** Though it may be a GET. */
  writes?: boolean;
  carriesFile?: boolean;
  sendsFile?: boolean;
  sendsStream?: boolean | undefined;
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** Declares an operation that needs a token: it is admitted before anything of it is read. */
export function declareAuthenticatedRoute(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  declaration: AuthenticatedRoute,
): void {
  const { method, path, endpoint, ifMatch, carriesFile = false, sendsFile = false, sendsStream = false, answer } = declaration;
  const writes = declaration.writes ?? method !== 'GET';
  const scope = endpoint.scope ?? dialect.scopes[writes ? 'write' : 'read'];
  const { roles, tagged = false } = endpoint;
  app.route({
    method,
    url: path,
    exposeHeadRoute: !writes,
    schema: declaredSchema(endpoint),
    config: { protected: true, scope, roles: roles ?? null, tagged, ifMatch, carriesFile, sendsFile, sendsStream },
    onRequest: async (request, reply) => {
      // What is answered is about people, and for the caller alone.
      reply.header('cache-control', 'no-store');
      request.caller = await authorize(deps, dialect, { scope, roles }, request, reply);
    },
    handler: async (request, reply) => {
      try {
        await answer(request, reply);
      } catch (error) {
        // The caller was told already that it took too long.
        if (!reply.sent) throw error;
        request.log.warn({ err: error }, 'failed after its answer');
      }
    },
  });
}

/** What the document is made from; the shapes themselves are applied when a request is handled. */
export function declaredSchema(endpoint: Documented): FastifySchema {
  const { operationId, summary, tag, description, params, query, body, response, status = 200, consumes, produces } = endpoint;
  return {
    operationId,
    summary,
    tags: [tag],
    ...(description ? { description } : {}),
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body: endpoint.bodyOptional ? body.optional() : body } : {}),
    ...(consumes ? { consumes } : {}),
    ...(produces ? { produces } : {}),
    response: { [status]: response },
  };
}
