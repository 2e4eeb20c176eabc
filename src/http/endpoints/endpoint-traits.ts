import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Role } from '../../domain/caller.ts';
import type { Documented, Endpoint } from './endpoint-types.ts';
import { mediaForm } from './run/media-uploads.ts';
import { FORM_TYPE, formWith } from './run/uploads.ts';

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
export interface Traits {
  documented: DocumentedRoute;
  scope?: string | undefined;
  roles?: readonly Role[] | undefined;
  stepUp: boolean;
  notForApps: boolean;
  keyed: 'once' | 'never' | undefined;
  writes: boolean;
  etag: boolean;
  ifMatch: boolean;
  carriesFile: boolean;
  resumes: boolean;
  sendsFile: boolean;
  sendsStream: boolean;
}

const PLAIN = {
  stepUp: false,
  notForApps: false,
  keyed: undefined,
  writes: false,
  etag: false,
  ifMatch: false,
  carriesFile: false,
  resumes: false,
  sendsFile: false,
  sendsStream: false,
};
const BYTES = z.string().meta({ format: 'binary' });

export function toTraits<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
  endpoint: Endpoint<P, Q, B, A, F, X>,
): Traits {
  if (endpoint.kind === 'public') return { ...PLAIN, documented: endpoint, writes: true };
  if (endpoint.kind === 'custom') {
    const { scope, stepUp = false, notForApps = false, isStream = false } = endpoint;
    return { ...PLAIN, documented: endpoint, scope, stepUp, notForApps, sendsStream: isStream };
  }
  const { scope, roles, stepUp = false, notForApps = false, keyed } = endpoint;
  const plain = { ...PLAIN, scope, roles, stepUp, notForApps, keyed };
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
    case 'bytes': {
      const documented = { ...endpoint, body: BYTES, bodyOptional: true, consumes: [...endpoint.consumes] };
      return { ...plain, documented, keyed: 'never', writes: true, carriesFile: true, resumes: true };
    }
    case 'media': {
      const documented = { ...endpoint, body: mediaForm(endpoint.fields, endpoint.besides), consumes: [FORM_TYPE] };
      return { ...plain, documented, etag, writes: true, carriesFile: true };
    }
  }
}

/** The traits that hooks and the OpenAPI document read at the route. */
export const toConfig = ({ stepUp, keyed, etag, ifMatch, carriesFile, resumes, sendsFile, sendsStream }: Traits) => ({
  stepUp,
  keyed,
  etag,
  ifMatch,
  carriesFile,
  resumes,
  sendsFile,
  sendsStream,
});

/** The parts of a route from which the OpenAPI document is made. */
export function toSchema(route: DocumentedRoute): FastifySchema {
  const { operationId, summary, tag, description, params, query, body, response, status = 200, consumes, produces } = route;
  return {
    operationId,
    summary,
    tags: tag === undefined ? [] : [tag],
    ...(description ? { description } : {}),
    ...(route.deprecated ? { deprecated: true } : {}),
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
