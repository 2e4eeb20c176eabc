import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import { onceMore } from '../domain/once-more.ts';
import type { FileStore } from '../domain/stored-files.ts';
import { admit } from './admission.ts';
import { checkedJson, send } from './answers.ts';
import type { Authenticator } from './authenticate.ts';
import type { Dialect } from './dialect.ts';
import { answerDownload, type DownloadDeps } from './downloads.ts';
import type { AskingEndpoint, DownloadEndpoint, Endpoint, None, OpenEndpoint, ReadEndpoint, UploadEndpoint } from './endpoint.ts';
import { answerAsking, answerRead, answerWrite } from './handling.ts';
import { nameIgnoredFields, readInput } from './input.ts';
import type { Limits } from './limits.ts';
import { answerUpload, FORM_TYPE, formWith, takeFiles, type UploadDeps } from './uploads.ts';

/** What endpoints need of the server. */
export interface EndpointDeps extends UploadDeps, DownloadDeps {
  store: FileStore;
  authenticator: Authenticator;
  limits: Limits;
}

/** What is declared about an endpoint, beside its handler. */
type Declared = Omit<Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType>, 'handle' | 'current' | 'ignored'>;
type Documented = Omit<Declared, 'scope' | 'roles' | 'tagged'> & { consumes?: string[]; produces?: string[] };

type WriteMethod = 'POST' | 'PUT' | 'DELETE';

type DeclareRead = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: ReadEndpoint<P, Q, B, A>,
) => void;

type Declare = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: Endpoint<P, Q, B, A>,
) => void;

export type Endpoints = Record<'post' | 'put' | 'delete', Declare> & {
  get: DeclareRead;
  /** A POST that first asks the outside world. */
  asking<B extends z.ZodType, A extends z.ZodType, H>(path: string, endpoint: AskingEndpoint<B, A, H>): void;
  /** A POST whose body is a form with a file. */
  upload<A extends z.ZodType, P extends z.ZodType = None>(path: string, endpoint: UploadEndpoint<P, A>): void;
  /** A GET that answers with the bytes of a file. */
  download<P extends z.ZodType = None>(path: string, endpoint: DownloadEndpoint<P>): void;
  open<B extends z.ZodType, A extends z.ZodType>(method: 'POST', path: string, endpoint: OpenEndpoint<B, A>): void;
};

/** Declares operations of one dialect: authentication, scope, limits, validation, transaction and answer are the same for all. */
export function endpoints(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect): Endpoints {
  // Also what nobody waits for any more, an answer that came too late, say, is finished before the database closes.
  app.addHook('onClose', () => deps.work.settled());
  const declare =
    (method: WriteMethod): Declare =>
    (path, endpoint) =>
      declareWrite(app, deps, dialect, { method, path, endpoint });
  return {
    get: (path, endpoint) => declareRead(app, deps, dialect, { method: 'GET', path, endpoint }),
    post: declare('POST'),
    put: declare('PUT'),
    delete: declare('DELETE'),
    asking: (path, endpoint) => declareAsking(app, deps, dialect, path, endpoint),
    upload: (path, endpoint) => declareUpload(app, deps, dialect, path, endpoint),
    download: (path, endpoint) => declareDownload(app, deps, dialect, path, endpoint),
    open: (method, path, endpoint) => declareOpen(app, deps, { method, path, endpoint }),
  };
}

interface Declaration<E> {
  method: 'GET' | WriteMethod;
  path: string;
  endpoint: E;
}

function declareRead<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  declaration: Declaration<ReadEndpoint<P, Q, B, A>>,
): void {
  const { endpoint } = declaration;
  declareProtected(app, deps, dialect, {
    ...declaration,
    ifMatch: false,
    answer: (request, reply) => answerRead(deps, endpoint, request, reply),
  });
}

function declareWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  declaration: Declaration<Endpoint<P, Q, B, A>>,
): void {
  const { method, path, endpoint } = declaration;
  const ifMatch = endpoint.current !== undefined;
  if (method === 'PUT' && endpoint.tagged && !ifMatch) throw new Error(`PUT ${path} answers with a tag and must say what is current`);
  declareProtected(app, deps, dialect, {
    ...declaration,
    ifMatch,
    answer: (request, reply) => answerWrite(deps, endpoint, request, reply),
  });
}

function declareAsking<B extends z.ZodType, A extends z.ZodType, H>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  path: string,
  endpoint: AskingEndpoint<B, A, H>,
): void {
  declareProtected(app, deps, dialect, {
    method: 'POST',
    path,
    endpoint,
    ifMatch: false,
    answer: (request, reply) => answerAsking(deps, endpoint, request, reply),
  });
}

function declareUpload<P extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  path: string,
  endpoint: UploadEndpoint<P, A>,
): void {
  const documented = { ...endpoint, body: formWith(endpoint.field), consumes: [FORM_TYPE] };
  // A scope of its own, since only here a body may be a form with a file.
  void app.register(async (scope) => {
    await takeFiles(scope);
    declareProtected(scope, deps, dialect, {
      method: 'POST',
      path,
      endpoint: documented,
      ifMatch: false,
      carriesFile: true,
      answer: (request, reply) => answerUpload(deps, endpoint, request, reply),
    });
  });
}

const BYTES = z.string().meta({ format: 'binary' });

function declareDownload<P extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  path: string,
  endpoint: DownloadEndpoint<P>,
): void {
  declareProtected(app, deps, dialect, {
    method: 'GET',
    path,
    endpoint: { ...endpoint, answers: BYTES, tagged: true, produces: ['*/*'] },
    ifMatch: false,
    sendsFile: true,
    answer: (request, reply) => answerDownload(deps, endpoint, request, reply),
  });
}

interface Protected extends Declaration<Declared & { consumes?: string[]; produces?: string[] }> {
  /** If-Match is honoured. */
  ifMatch: boolean;
  carriesFile?: boolean;
  sendsFile?: boolean;
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

function declareProtected(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect, declaration: Protected): void {
  const { method, path, endpoint, ifMatch, carriesFile = false, sendsFile = false, answer } = declaration;
  const scope = endpoint.scope ?? dialect.scopes[method === 'GET' ? 'read' : 'write'];
  const { roles, tagged = false } = endpoint;
  app.route({
    method,
    url: path,
    schema: declaredSchema(endpoint),
    config: { protected: true, scope, roles: roles ?? null, tagged, ifMatch, carriesFile, sendsFile },
    onRequest: async (request, reply) => {
      // What is answered is about people, and for the caller alone.
      reply.header('cache-control', 'no-store');
      request.caller = await admit(deps, dialect, { scope, roles }, request, reply);
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
      nameIgnoredFields(endpoint.body, request.body, reply);
      const wire = await onceMore(() => endpoint.handle({ body, request }));
      // What it answers is for the caller's eyes alone, and never kept: not by caches, not under an Idempotency-Key.
      send(reply, { status: 200, headers: { 'cache-control': 'no-store' }, body: checkedJson(endpoint.answers, wire, checkAnswers) });
    },
  });
}

/** What the document is made from; the shapes themselves are applied when a request is handled. */
function declaredSchema(endpoint: Documented): FastifySchema {
  const { operationId, summary, tag, description, params, query, body, answers, status = 200, consumes, produces } = endpoint;
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
    response: { [status]: answers },
  };
}
