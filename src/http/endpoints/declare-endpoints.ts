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
  CreatingEndpoint,
  Current,
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
import { takeBytes } from './run/byte-uploads.ts';
import { namedParts } from './run/input-parts.ts';
import { leadsToWinner, runForWinners } from './run/merged-charts.ts';
import { runEndpoint } from './run/run-endpoint.ts';
import { takeFiles } from './run/uploads.ts';

export interface EndpointDeps extends RunDeps, AuthorizationDeps {
  appAreas: AppAreas;
}

interface DeclareRead {
  <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
    path: string,
    endpoint: CreatingEndpoint<P, Q, B, A>,
  ): Current<P>;
  <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
    path: string,
    endpoint: ReadEndpoint<P, Q, B, A>,
  ): Current<P>;
}

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

interface DeclareRemoval {
  <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
    path: string,
    endpoint: WriteEndpoint<P, Q, B, A>,
  ): void;
  <P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
    path: string,
    endpoint: RemoveEndpoint<P, Q, B>,
  ): void;
}

interface DeclareUpload {
  <A extends z.ZodType, P extends z.ZodType, F extends z.ZodObject, M>(path: string, endpoint: MediaEndpoint<P, F, A, M>): void;
  <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None>(path: string, endpoint: BytesEndpoint<P, Q, A>): void;
  <A extends z.ZodType, P extends z.ZodType = None>(path: string, endpoint: UploadEndpoint<P, A>): void;
}

interface DeclareDownload {
  (path: string, endpoint: CustomEndpoint): void;
  <P extends z.ZodType = None>(path: string, endpoint: DownloadEndpoint<P>): void;
}

/** Declares an endpoint at a path; the verbs set its method, and with the parts of the declaration its kind. */
export interface Endpoints {
  /** @returns what it answers with, as `current` of the writes on the record */
  get: DeclareRead;
  post: DeclareWrite;
  put: DeclareWrite;
  /** A DELETE, with status 204 where it has no response. */
  remove: DeclareRemoval;
  /** A POST or PATCH with a file. */
  upload: DeclareUpload;
  /** A GET that sends a file, a stream or a table. */
  download: DeclareDownload;
  postPublic<B extends z.ZodType, A extends z.ZodType>(path: string, endpoint: PublicEndpoint<B, A>): void;
  /** The same verbs for endpoints that have these parts, unless one says otherwise. */
  group(common: Common): Endpoints;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Registers a route in the application, or in a scope of its own, which takes files. */
function registerIn(app: FastifyInstance, register: (scope: FastifyInstance) => void, kind: string): void {
  if (kind === 'bytes') void app.register(async (scope) => register(takeBytes(scope)));
  else if (kind !== 'upload' && kind !== 'media') register(app);
  else void app.register(async (scope) => takeFiles(scope).then(() => register(scope)));
}

export function endpoints(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect, common: Common = {}): Endpoints {
  const declare = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
    method: Method,
    path: string,
    endpoint: Endpoint<P, Q, B, A, F, X>,
  ) => registerIn(app, (scope) => registerRoute(scope, deps, dialect, { method, path }, endpoint), endpoint.kind);
  const write =
    (method: Method): DeclareWrite =>
    <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, L>(
      path: string,
      endpoint: WriteEndpoint<P, Q, B, A> | LookupEndpoint<P, Q, B, A, L>,
    ) =>
      declare(method, path, { kind: 'write', ...common, ...endpoint });
  return {
    get: <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
      path: string,
      endpoint: CreatingEndpoint<P, Q, B, A> | ReadEndpoint<P, Q, B, A>,
    ) => {
      if ('creates' in endpoint) write('GET')(path, endpoint);
      else declare('GET', path, { kind: 'read', ...common, ...endpoint });
      return toCurrent(endpoint);
    },
    post: write('POST'),
    put: write('PUT'),
    remove: <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
      path: string,
      endpoint: RemoveEndpoint<P, Q, B> | WriteEndpoint<P, Q, B, A>,
    ) => (isAnswered(endpoint) ? write('DELETE')(path, endpoint) : write('DELETE')(path, withoutContent(endpoint))),
    upload: <P extends z.ZodType, Q extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, M>(
      path: string,
      endpoint: UploadEndpoint<P, A> | MediaEndpoint<P, F, A, M> | BytesEndpoint<P, Q, A>,
    ) => {
      if ('receive' in endpoint) declare(endpoint.method ?? 'POST', path, { kind: 'bytes', ...common, ...endpoint });
      else if ('besides' in endpoint) declare('POST', path, { kind: 'media', ...common, ...endpoint });
      else declare('POST', path, { kind: 'upload', ...common, ...endpoint });
    },
    download: <P extends z.ZodType>(path: string, endpoint: CustomEndpoint | DownloadEndpoint<P>) => {
      if ('respond' in endpoint) declare('GET', path, { kind: 'custom', ...common, ...endpoint });
      else declare('GET', path, { kind: 'download', ...common, ...endpoint });
    },
    postPublic: (path, endpoint) => declare('POST', path, { kind: 'public', ...common, ...endpoint }),
    group: (parts) => endpoints(app, deps, dialect, { ...common, ...parts }),
  };
}

/** A GET as `current` of writes. */
const toCurrent =
  <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
    endpoint: CreatingEndpoint<P, Q, B, A> | ReadEndpoint<P, Q, B, A>,
  ): Current<P> =>
  ({ tx, params, request }) =>
    endpoint.handle({ tx, ...namedParts(endpoint, params, request), headers: {} });

const isAnswered = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: RemoveEndpoint<P, Q, B> | WriteEndpoint<P, Q, B, A>,
): endpoint is WriteEndpoint<P, Q, B, A> => 'response' in endpoint;

const withoutContent = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(endpoint: RemoveEndpoint<P, Q, B>) => ({
  ...endpoint,
  response: NoContent,
  status: 204 as const,
  handle: (input: WriteInput<P, Q, B>) => endpoint.handle(input).then(() => null),
});

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
