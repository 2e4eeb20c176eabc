import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Role } from '../../domain/caller.ts';
import { type AuthorizationDeps, authorize, reauthorize } from './authorize.ts';
import type { Dialect } from './dialect.ts';
import type { Documented, Endpoint, RunDeps } from './endpoint-types.ts';
import { mediaForm } from './run/media-uploads.ts';
import { runEndpoint } from './run/run-endpoint.ts';
import { FORM_TYPE, formWith } from './run/uploads.ts';

/** The services that endpoints of every kind use. */
export interface EndpointDeps extends RunDeps, AuthorizationDeps {}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
}

/** Registers the Fastify route of an endpoint: it is authorized before anything of the request is read. */
export function registerRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  { method, path }: Route,
  endpoint: Endpoint<P, Q, B, A, F, X>,
): void {
  const traits = traitsOf(endpoint);
  const changesRecord = traits.writes && traits.etag && (method === 'PUT' || path.includes(':'));
  if (changesRecord && !traits.ifMatch) throw new Error(`${method} ${path} has an ETag and must declare its current response`);
  const scope = traits.scope ?? dialect.scopes[traits.writes ? 'write' : 'read'];
  const roles = traits.roles ?? dialect.roles;
  const { stepUp, neverStored, etag, ifMatch, carriesFile, sendsFile, sendsStream } = traits;
  const { ownHeaders = [], beyondDocument = false } = traits.documented;
  const isProtected = endpoint.kind !== 'public';
  app.route({
    method,
    url: path,
    exposeHeadRoute: !traits.writes,
    schema: schemaOf(traits.documented),
    config: isProtected
      ? {
          protected: true,
          scope,
          roles: roles ?? null,
          stepUp,
          neverStored,
          etag,
          ifMatch,
          carriesFile,
          sendsFile,
          sendsStream,
          ownHeaders,
          beyondDocument,
        }
      : { beyondDocument },
    onRequest: async (request, reply) => {
      if (!isProtected) return deps.limits.spend('sign-in', request, reply);
      // Responses are about people, and for the caller alone.
      reply.header('cache-control', 'no-store');
      request.caller = await authorize(deps, dialect, { scope, roles, stepUp }, request, reply);
      if (sendsStream) request.reauthorize = () => reauthorize(deps, dialect, { scope, roles }, request);
    },
    handler: async (request, reply) => {
      try {
        await runEndpoint(deps, endpoint, request, reply);
      } catch (error) {
        // The deadline has passed, and the caller has its 503.
        if (!reply.sent) throw error;
        request.log.warn({ err: error }, 'failed after its answer');
      }
    },
  });
}

/** The parts of a declaration from which the OpenAPI document is made; the shapes are applied when a request is handled. */
interface DocumentedRoute extends Documented {
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  bodyOptional?: boolean;
  response: z.ZodType;
  status?: number;
  trial?: { response: z.ZodType } | undefined;
  /** Set where a response may have the status 200 too. */
  isNothingNew?: unknown;
  consumes?: string[];
  produces?: string[];
  ownHeaders?: readonly string[];
}

/** Properties of a route that follow from the kind of its endpoint. */
interface Traits {
  documented: DocumentedRoute;
  scope?: string | undefined;
  roles?: readonly Role[] | undefined;
  stepUp: boolean;
  neverStored: boolean;
  writes: boolean;
  etag: boolean;
  ifMatch: boolean;
  carriesFile: boolean;
  sendsFile: boolean;
  sendsStream: boolean;
}

const PLAIN = {
  stepUp: false,
  neverStored: false,
  writes: false,
  etag: false,
  ifMatch: false,
  carriesFile: false,
  sendsFile: false,
  sendsStream: false,
};
const BYTES = z.string().meta({ format: 'binary' });

function traitsOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
  endpoint: Endpoint<P, Q, B, A, F, X>,
): Traits {
  if (endpoint.kind === 'public') return { ...PLAIN, documented: endpoint, writes: true };
  if (endpoint.kind === 'custom') return { ...PLAIN, documented: endpoint, scope: endpoint.scope, sendsStream: endpoint.isStream ?? false };
  const { scope, roles, stepUp = false, neverStored = false } = endpoint;
  const plain = { ...PLAIN, scope, roles, stepUp, neverStored };
  if (endpoint.kind === 'download') {
    return { ...plain, documented: { ...endpoint, response: BYTES, produces: ['*/*'] }, etag: true, sendsFile: true };
  }
  const { etag = false } = endpoint;
  switch (endpoint.kind) {
    case 'read':
      return { ...plain, documented: endpoint, etag };
    case 'write':
      return { ...plain, documented: endpoint, etag, writes: true, ifMatch: endpoint.current !== undefined };
    case 'upload': {
      const documented = { ...endpoint, body: formWith(endpoint.field), consumes: [FORM_TYPE] };
      return { ...plain, documented, etag, writes: true, carriesFile: true };
    }
    case 'media': {
      const documented = { ...endpoint, body: mediaForm(endpoint.fields, endpoint.besides), consumes: [FORM_TYPE] };
      return { ...plain, documented, etag, writes: true, carriesFile: true };
    }
  }
}

function schemaOf(route: DocumentedRoute): FastifySchema {
  const { operationId, summary, tag, description, params, query, body, response, status = 200, consumes, produces } = route;
  return {
    operationId,
    summary,
    tags: [tag],
    ...(description ? { description } : {}),
    ...(route.isAlias ? { hide: true } : {}),
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body: route.bodyOptional ? body.optional() : body } : {}),
    ...(consumes ? { consumes } : {}),
    ...(produces ? { produces } : {}),
    response: {
      ...(route.trial ? { 200: route.trial.response } : {}),
      ...(route.isNothingNew ? { 200: response } : {}),
      [status]: response,
    },
  };
}
