import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { retryOnConnectionLoss } from '../database/retry-on-connection-loss.ts';
import {
  type AuthenticatedRoute,
  type Declaration,
  declareAuthenticatedRoute,
  declaredSchema,
  type EndpointDeps,
  type WriteMethod,
} from './authenticated-route.ts';
import type { CustomResponse } from './custom-response.ts';
import type { Dialect } from './dialect.ts';
import type {
  DirectEndpoint,
  DownloadEndpoint,
  Endpoint,
  LookupEndpoint,
  MediaEndpoint,
  None,
  PublicEndpoint,
  ReadEndpoint,
  UploadEndpoint,
} from './endpoint-types.ts';
import { declareDownload, declareMedia, declareUpload } from './file-endpoints.ts';
import { nameIgnoredFields, readInput } from './input.ts';
import { checkedJson, send } from './responses.ts';
import { respondAfterLookup, respondToDirectWrite, respondToRead, respondToWrite } from './run-endpoint.ts';

export type { EndpointDeps };

type DeclareRead = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: ReadEndpoint<P, Q, B, A>,
) => void;

type Declare = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: Endpoint<P, Q, B, A>,
) => void;

type DeclareDirect = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: DirectEndpoint<P, Q, B, A>,
) => void;

export type Endpoints = Record<'post' | 'put' | 'delete', Declare> & {
  get: DeclareRead;
  /** Writes past Prisma. */
  direct: Record<'post' | 'put', DeclareDirect>;
  /** A GET that makes something new each time, because its document says so: to all else a write, and nobody may ask by HEAD. */
  getCreating: Declare;
  /** A POST that first asks the outside world. */
  postAfterLookup<B extends z.ZodType, A extends z.ZodType, H>(path: string, endpoint: LookupEndpoint<B, A, H>): void;
  /** A POST whose body is a form with a file. */
  upload<A extends z.ZodType, P extends z.ZodType = None>(path: string, endpoint: UploadEndpoint<P, A>): void;
  /** A POST whose body is a form with files that are worked on before they are kept. */
  media<A extends z.ZodType, P extends z.ZodType, F extends z.ZodObject, K>(path: string, endpoint: MediaEndpoint<P, F, A, K>): void;
  /** A GET that answers with the bytes of a file. */
  download<P extends z.ZodType = None>(path: string, endpoint: DownloadEndpoint<P>): void;
  getCustom(path: string, endpoint: CustomResponse): void;
  postPublic<B extends z.ZodType, A extends z.ZodType>(path: string, endpoint: PublicEndpoint<B, A>): void;
};

/** Declares operations of one dialect: authentication, scope, limits, validation, transaction and answer are the same for all. */
export function endpoints(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect): Endpoints {
  const declare =
    (method: WriteMethod): Declare =>
    (path, endpoint) =>
      declareWrite(app, deps, dialect, { method, path, endpoint });
  const declareDirect =
    (method: WriteMethod): DeclareDirect =>
    (path, endpoint) => {
      const answer: AuthenticatedRoute['answer'] = (request, reply) => respondToDirectWrite(deps, endpoint, request, reply);
      declareAnswered(app, deps, dialect, { method, path, endpoint, answer });
    };
  return {
    get: (path, endpoint) => declareRead(app, deps, dialect, { method: 'GET', path, endpoint }),
    getCreating: (path, endpoint) => declareWrite(app, deps, dialect, { method: 'GET', path, endpoint }),
    post: declare('POST'),
    put: declare('PUT'),
    delete: declare('DELETE'),
    direct: { post: declareDirect('POST'), put: declareDirect('PUT') },
    postAfterLookup: (path, endpoint) => declareLookup(app, deps, dialect, path, endpoint),
    upload: (path, endpoint) => declareUpload(app, deps, dialect, path, endpoint),
    media: (path, endpoint) => declareMedia(app, deps, dialect, path, endpoint),
    download: (path, endpoint) => declareDownload(app, deps, dialect, path, endpoint),
    getCustom: (path, endpoint) => {
      const answer: AuthenticatedRoute['answer'] = (request, reply) => endpoint.answer(deps, request, reply);
      declareAuthenticatedRoute(app, deps, dialect, {
        method: 'GET',
        path,
        endpoint,
        ifMatch: false,
        sendsStream: endpoint.isStream,
        answer,
      });
    },
    postPublic: (path, endpoint) => declarePublic(app, deps, { method: 'POST', path, endpoint }),
  };
}

function declareRead<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  declaration: Declaration<ReadEndpoint<P, Q, B, A>>,
): void {
  const { endpoint } = declaration;
  declareAuthenticatedRoute(app, deps, dialect, {
    ...declaration,
    ifMatch: false,
    answer: (request, reply) => respondToRead(deps, endpoint, request, reply),
  });
}

function declareWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  declaration: Declaration<Endpoint<P, Q, B, A>>,
): void {
  const { endpoint } = declaration;
  declareAnswered(app, deps, dialect, { ...declaration, answer: (request, reply) => respondToWrite(deps, endpoint, request, reply) });
}

/** A write, once it is clear how it is answered. */
function declareAnswered(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  declaration: Declaration<AuthenticatedRoute['endpoint'] & { current?: unknown }> & Pick<AuthenticatedRoute, 'answer'>,
): void {
  const { method, path, endpoint } = declaration;
  const ifMatch = endpoint.current !== undefined;
  if (method === 'PUT' && endpoint.tagged && !ifMatch) throw new Error(`PUT ${path} answers with a tag and must say what is current`);
  declareAuthenticatedRoute(app, deps, dialect, { ...declaration, ifMatch, writes: true });
}

function declareLookup<B extends z.ZodType, A extends z.ZodType, H>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  path: string,
  endpoint: LookupEndpoint<B, A, H>,
): void {
  declareAuthenticatedRoute(app, deps, dialect, {
    method: 'POST',
    path,
    endpoint,
    ifMatch: false,
    answer: (request, reply) => respondAfterLookup(deps, endpoint, request, reply),
  });
}

function declarePublic<B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  { limits, checkResponses }: EndpointDeps,
  { method, path, endpoint }: Declaration<PublicEndpoint<B, A>>,
): void {
  app.route({
    method,
    url: path,
    schema: declaredSchema(endpoint),
    onRequest: (request, reply) => limits.spend('address', request.ip, reply),
    handler: async (request, reply) => {
      const body = readInput(endpoint.body, request.body);
      nameIgnoredFields(endpoint.body, request.body, reply);
      const wire = await retryOnConnectionLoss(() => endpoint.handle({ body, request }));
      // What it answers is for the caller's eyes alone, and never kept: not by caches, not under an Idempotency-Key.
      send(reply, { status: 200, headers: { 'cache-control': 'no-store' }, body: checkedJson(endpoint.response, wire, checkResponses) });
    },
  });
}
