import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Dialect } from './dialect.ts';
import { type EndpointDeps, type Route, registerRoute } from './endpoint-route.ts';
import type {
  CustomEndpoint,
  DownloadEndpoint,
  Endpoint,
  LookupEndpoint,
  MediaEndpoint,
  None,
  PublicEndpoint,
  ReadEndpoint,
  UploadEndpoint,
  WriteEndpoint,
} from './endpoint-types.ts';
import { takeFiles } from './run/uploads.ts';

export type { EndpointDeps };

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
  /** A GET that creates something each time, because its document says so: a write in all else, without a HEAD. */
  getCreating: DeclareWrite;
  upload<A extends z.ZodType, P extends z.ZodType = None>(path: string, endpoint: UploadEndpoint<P, A>): void;
  media<A extends z.ZodType, P extends z.ZodType, F extends z.ZodObject, M>(path: string, endpoint: MediaEndpoint<P, F, A, M>): void;
  download<P extends z.ZodType = None>(path: string, endpoint: DownloadEndpoint<P>): void;
  getCustom(path: string, endpoint: CustomEndpoint): void;
  postPublic<B extends z.ZodType, A extends z.ZodType>(path: string, endpoint: PublicEndpoint<B, A>): void;
}

type Method = Route['method'];

/** The verbs with which one dialect declares its endpoints. */
export function endpoints(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect): Endpoints {
  function declare<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
    method: Method,
    path: string,
    endpoint: Endpoint<P, Q, B, A, F, X>,
  ): void {
    const register = (scope: FastifyInstance) => registerRoute(scope, deps, dialect, { method, path }, endpoint);
    if (endpoint.kind !== 'upload' && endpoint.kind !== 'media') register(app);
    else void app.register(async (scope) => takeFiles(scope).then(() => register(scope)));
  }
  const write =
    (method: Method): DeclareWrite =>
    <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, L>(
      path: string,
      endpoint: WriteEndpoint<P, Q, B, A> | LookupEndpoint<P, Q, B, A, L>,
    ) =>
      declare(method, path, { kind: 'write', ...endpoint });
  return {
    get: (path, endpoint) => declare('GET', path, { kind: 'read', ...endpoint }),
    post: write('POST'),
    put: write('PUT'),
    delete: write('DELETE'),
    getCreating: write('GET'),
    upload: (path, endpoint) => declare('POST', path, { kind: 'upload', ...endpoint }),
    media: (path, endpoint) => declare('POST', path, { kind: 'media', ...endpoint }),
    download: (path, endpoint) => declare('GET', path, { kind: 'download', ...endpoint }),
    getCustom: (path, endpoint) => declare('GET', path, { kind: 'custom', ...endpoint }),
    postPublic: (path, endpoint) => declare('POST', path, { kind: 'public', ...endpoint }),
  };
}
