import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Needs } from '../../domain/identity/rights/rights.ts';
import { LARGEST_BODY } from '../requests/bodies.ts';
import { NoContent } from '../wire/envelopes.ts';
import type { AppAreas } from './app-areas.ts';
import { type AuthorizationDeps, authorize, reauthorize } from './authorize.ts';
import { deprecationHeaders } from './deprecation.ts';
import { bodyType, type Dialect } from './dialect.ts';
import { type Traits, toConfig, toSchema, toTraits } from './endpoint-traits.ts';
import type {
  BytesEndpoint,
  Common,
  CustomEndpoint,
  DownloadEndpoint,
  Endpoint,
  LookupEndpoint,
  MediaEndpoint,
  None,
  PublicEndpoint,
  ReadEndpoint,
  RemoveEndpoint,
  RunDeps,
  UploadEndpoint,
  WriteEndpoint,
  WriteInput,
} from './endpoint-types.ts';
import { runBytes, takeBytes } from './run/byte-uploads.ts';
import { runDownload } from './run/downloads.ts';
import { runMedia } from './run/media-uploads.ts';
import { leadsToWinner, runForWinners } from './run/merged-charts.ts';
import { runPublic } from './run/run-public.ts';
import { runRead } from './run/run-read.ts';
import { runAfterLookup, runWrite } from './run/run-write.ts';
import { runUpload, takeFiles } from './run/uploads.ts';

export interface EndpointDeps extends RunDeps, AuthorizationDeps {
  appAreas: AppAreas;
}

type DeclareRead = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: ReadEndpoint<P, Q, B, A>,
) => void;

interface DeclareWrite {
  <A extends z.ZodType, L, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
    path: string,
    endpoint: LookupEndpoint<P, Q, B, A, L>,
  ): void;
  <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
    path: string,
    endpoint: WriteEndpoint<P, Q, B, A>,
  ): void;
}

/** Declares an endpoint at a path; the verbs set its method and its kind. */
export interface Endpoints {
  get: DeclareRead;
  post: DeclareWrite;
  put: DeclareWrite;
  delete: DeclareWrite;
  remove<P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
    path: string,
    endpoint: RemoveEndpoint<P, Q, B>,
  ): void;
  /** A GET that creates something each time, because its document says so: a write in all else, without a HEAD. */
  getCreating: DeclareWrite;
  upload<A extends z.ZodType, P extends z.ZodType = None>(path: string, endpoint: UploadEndpoint<P, A>): void;
  media<A extends z.ZodType, P extends z.ZodType, F extends z.ZodObject, M>(path: string, endpoint: MediaEndpoint<P, F, A, M>): void;
  bytes<A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None>(
    method: 'POST' | 'PATCH',
    path: string,
    endpoint: BytesEndpoint<P, Q, A>,
  ): void;
  download<P extends z.ZodType = None>(path: string, endpoint: DownloadEndpoint<P>): void;
  getCustom(path: string, endpoint: CustomEndpoint): void;
  postPublic<B extends z.ZodType, A extends z.ZodType>(path: string, endpoint: PublicEndpoint<B, A>): void;
  /** The same verbs for endpoints that have these parts, unless one says otherwise. */
  group(common: Common): Endpoints;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export function endpoints(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect, common: Common = {}): Endpoints {
  function declare<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
    method: Method,
    path: string,
    endpoint: Endpoint<P, Q, B, A, F, X>,
  ): void {
    const register = (scope: FastifyInstance) => registerRoute(scope, deps, dialect, { method, path }, endpoint);
    if (endpoint.kind === 'bytes') void app.register(async (scope) => register(takeBytes(scope)));
    else if (endpoint.kind !== 'upload' && endpoint.kind !== 'media') register(app);
    else void app.register(async (scope) => takeFiles(scope).then(() => register(scope)));
  }
  const write =
    (method: Method): DeclareWrite =>
    <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, L>(
      path: string,
      endpoint: WriteEndpoint<P, Q, B, A> | LookupEndpoint<P, Q, B, A, L>,
    ) =>
      declare(method, path, { kind: 'write', ...common, ...endpoint });
  return {
    get: (path, endpoint) => declare('GET', path, { kind: 'read', ...common, ...endpoint }),
    post: write('POST'),
    put: write('PUT'),
    delete: write('DELETE'),
    remove: <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(path: string, endpoint: RemoveEndpoint<P, Q, B>) =>
      write('DELETE')(path, {
        ...endpoint,
        response: NoContent,
        status: 204,
        handle: (input: WriteInput<P, Q, B>) => endpoint.handle(input).then(() => null),
      }),
    getCreating: write('GET'),
    upload: (path, endpoint) => declare('POST', path, { kind: 'upload', ...common, ...endpoint }),
    media: (path, endpoint) => declare('POST', path, { kind: 'media', ...common, ...endpoint }),
    bytes: (method, path, endpoint) => declare(method, path, { kind: 'bytes', ...common, ...endpoint }),
    download: (path, endpoint) => declare('GET', path, { kind: 'download', ...common, ...endpoint }),
    getCustom: (path, endpoint) => declare('GET', path, { kind: 'custom', ...common, ...endpoint }),
    postPublic: (path, endpoint) => declare('POST', path, { kind: 'public', ...common, ...endpoint }),
    group: (parts) => endpoints(app, deps, dialect, { ...common, ...parts }),
  };
}

function beginProtected(dialect: Dialect, request: FastifyRequest, reply: FastifyReply): void {
  // Responses are about people, and for the caller alone.
  reply.header('cache-control', 'no-store');
  // Clients of forms leave out the type, and send fields in the query.
  if (dialect.forms) request.headers['content-type'] ??= bodyType(dialect);
}

/** Registers the Fastify route of an endpoint: it is authorized before anything of the request is read. */
function registerRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  { method, path }: { method: Method; path: string },
  endpoint: Endpoint<P, Q, B, A, F, X>,
): void {
  const traits = toTraits(endpoint);
  if (traits.writes && traits.etag && !traits.ifMatch && (method === 'PUT' || path.includes(':')))
    throw new Error(`${method} ${path} has an ETag and must declare its current response`);
  if (endpoint.tag === undefined) throw new Error(`${method} ${path} has no tag`);
  const needs = toNeeds(dialect, traits);
  const isProtected = endpoint.kind !== 'public';
  if (isProtected) deps.appAreas.note(needs.appScope, endpoint.tag);
  const { stepUp, sendsStream } = traits;
  const { beyondDocument = false, deprecated } = traits.documented;
  app.route({
    method,
    url: path,
    exposeHeadRoute: !traits.writes,
    ...(isProtected ? { bodyLimit: LARGEST_BODY.authorized } : {}),
    schema: toSchema(traits.documented),
    config: isProtected
      ? {
          protected: true,
          ...needs,
          ...toConfig(traits),
          ownHeaders: listOwnHeaders(path, traits),
          beyondDocument,
          query: { ignored: dialect.ignoredParameters, takesForm: dialect.forms },
        }
      : { beyondDocument },
    onRequest: async (request, reply) => {
      if (deprecated) reply.headers(deprecationHeaders(deprecated));
      if (!isProtected) return deps.limits.spend('sign-in', request, reply);
      beginProtected(dialect, request, reply);
      request.caller = await authorize(deps, dialect, { ...needs, stepUp }, request, reply);
      if (sendsStream) request.reauthorize = () => reauthorize(deps, dialect, needs, request);
    },
    handler: async (request, reply) => {
      try {
        await runForWinners(deps, request, reply, () => runEndpoint(deps, endpoint, request, reply));
      } catch (error) {
        // The deadline has passed, and the caller has its 503.
        if (!reply.sent) throw error;
        request.log.warn({ err: error }, 'failed after its answer');
      }
    },
  });
}

/** The headers of an endpoint's response that not every operation has. */
const listOwnHeaders = (path: string, { documented: { ownHeaders = [] } }: Traits): readonly string[] =>
  leadsToWinner(path) ? [...ownHeaders, 'Merged-Into'] : ownHeaders;

/** The rights that an endpoint needs: its own, or else those of its dialect. */
function toNeeds(dialect: Dialect, { scope, roles, notForApps, writes }: Traits): Needs {
  const access = writes ? 'write' : 'read';
  return {
    scope: scope ?? dialect.scopes[access],
    appScope: notForApps ? null : (dialect.appScopes?.[access] ?? null),
    roles: roles ?? dialect.roles ?? null,
  };
}

/** Runs an endpoint of any kind for a request that was authorized: reads its input, calls its handler, sends the response. */
function runEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
  deps: RunDeps,
  endpoint: Endpoint<P, Q, B, A, F, X>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  switch (endpoint.kind) {
    case 'read':
      return runRead(deps, endpoint, request, reply);
    case 'write':
      return endpoint.lookup ? runAfterLookup(deps, endpoint, request, reply) : runWrite(deps, endpoint, request, reply, {});
    case 'upload':
      return runUpload(deps, endpoint, request, reply);
    case 'media':
      return runMedia(deps, endpoint, request, reply);
    case 'bytes':
      return runBytes(deps, endpoint, request, reply);
    case 'download':
      return runDownload(deps, endpoint, request, reply);
    case 'custom':
      return endpoint.respond(deps, request, reply);
    case 'public':
      return runPublic(deps, endpoint, request, reply);
  }
}
