import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Db } from '../database.ts';
import type { Caller, CallerIdentity, Role } from '../domain/caller.ts';
import { forbidden } from '../domain/errors.ts';
import type { Work } from '../domain/work.ts';
import { type Answer, checkedJson, send, sendIfChanged } from './answers.ts';
import type { Authenticator } from './authenticate.ts';
import type { Dialect } from './dialect.ts';
import { entityTag, requireMatch } from './etag.ts';
import { operationOf } from './failures.ts';
import { claimKey, fingerprint, idempotencyKey } from './idempotency.ts';
import { nameUnknownFields, readInput } from './input.ts';
import type { Limits } from './limits.ts';

/** What endpoints need of the server. */
export interface EndpointDeps {
  work: Work;
  authenticator: Authenticator;
  limits: Limits;
  /** Hold every answer against its declared shape; off in production, where the typed mappers are trusted. */
  checkAnswers: boolean;
}

type None = z.ZodObject<Record<never, never>>;

/** What a handler is given: its input in the dialect's words, and a transaction (or for a read the client) with its caller. */
export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  db: Db;
  caller: Caller;
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  request: FastifyRequest;
}

/** One operation: everything that is declared about it, and its handler. */
export interface Endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /** Beside the dialect's own scope for reading or writing. */
  scope?: string;
  /** Only these roles, where a person calls. */
  roles?: readonly Role[];
  params?: P;
  query?: Q;
  body?: B;
  /** The body may be left out, which is then as an empty one. */
  bodyOptional?: boolean;
  answers: A;
  /** 200 unless said. */
  status?: 200 | 201 | 204;
  /** Answers with an ETag and honours If-None-Match; for single records. */
  tagged?: boolean;
  /** What the record shows now, to hold If-Match against; for PUT. */
  current?: (input: Input<P, Q, B>) => Promise<z.input<A>>;
  handle: (input: Input<P, Q, B>) => Promise<z.input<A>>;
}

/** What of an endpoint its document shows. */
type Declared = Pick<Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType>, 'operationId' | 'summary' | 'description' | 'tag' | 'params' | 'query' | 'body' | 'bodyOptional' | 'answers' | 'status'>;

type Declare = <A extends z.ZodType, P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  path: string,
  endpoint: Endpoint<P, Q, B, A>,
) => void;

/** An operation that needs no token. It opens its own work, once it knows for whom. */
export interface OpenEndpoint<B extends z.ZodType, A extends z.ZodType> {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  body: B;
  answers: A;
  handle: (input: { body: z.output<B>; request: FastifyRequest }) => Promise<z.input<A>>;
}

export type Endpoints = Record<'get' | 'post' | 'put' | 'delete', Declare> & {
  open<B extends z.ZodType, A extends z.ZodType>(method: 'POST', path: string, endpoint: OpenEndpoint<B, A>): void;
};

const NONE: None = z.object({});

/** Declares operations of one dialect: authentication, scope, limits, validation, transaction and answer are the same for all. */
export function endpoints(app: FastifyInstance, deps: EndpointDeps, dialect: Dialect): Endpoints {
  const declare =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE'): Declare =>
    (path, endpoint) => {
      const needed = endpoint.scope ?? dialect.scopes[method === 'GET' ? 'read' : 'write'];
      app.route({
        method,
        url: path,
        schema: declaredSchema(endpoint),
        config: { protected: true, scope: needed, roles: endpoint.roles ?? null },
        onRequest: async (request, reply) => {
          request.caller = await admit(deps, dialect, request, reply);
          requireScope(request.caller, needed);
          requireRole(request.caller, endpoint.roles);
        },
        handler: async (request, reply) => {
          await (method === 'GET' ? answerRead(deps, endpoint, request, reply) : answerWrite(deps, endpoint, request, reply));
        },
      });
    };
  return {
    get: declare('GET'),
    post: declare('POST'),
    put: declare('PUT'),
    delete: declare('DELETE'),
    open: (method, path, endpoint) => {
      app.route({
        method,
        url: path,
        schema: declaredSchema(endpoint),
        onRequest: (request, reply) => deps.limits.spend('address', request.ip, reply),
        handler: async (request, reply) => {
          const body = readInput(endpoint.body, request.body);
          nameUnknownFields(endpoint.body, request.body, reply);
          const wire = await endpoint.handle({ body, request });
          // What it answers is for the caller's eyes alone, and never kept: not by caches, not under an Idempotency-Key.
          send(reply, { status: 200, headers: { 'cache-control': 'no-store' }, body: checkedJson(endpoint.answers, wire, deps.checkAnswers) });
        },
      });
    },
  };
}

/** What the document is made from; the shapes themselves are applied in readParts and checkedJson. */
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

async function admit({ authenticator, limits }: EndpointDeps, dialect: Dialect, request: FastifyRequest, reply: FastifyReply): Promise<CallerIdentity> {
  try {
    const admission = dialect.admit(await authenticator.authenticate(request), request);
    await limits.spend('caller', admission.actor, reply);
    return { ...admission, operation: operationOf(request), requestId: request.id, address: request.ip };
  } catch (error) {
    if (reply.getHeader('ratelimit') === undefined) await limits.spend('address', request.ip, reply);
    throw error;
  }
}

function requireScope(caller: CallerIdentity, scope: string | null): void {
  if (scope === null || caller.scopes.has(scope)) return;
  throw forbidden('insufficient_scope', `This needs the scope ${scope}.`, {
    'www-authenticate': `Bearer realm="triptych", error="insufficient_scope", scope="${scope}"`,
  });
}

function requireRole(caller: CallerIdentity, roles: readonly Role[] | undefined): void {
  if (roles === undefined || caller.role === null || roles.includes(caller.role)) return;
  throw forbidden('insufficient_role', `This is for the role ${roles.join(' or ')}.`);
}

/** Reads the parts of a request, and names the body fields that nobody asked for. */
function readParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const body = endpoint.bodyOptional ? (request.body ?? {}) : request.body;
  const parts = {
    params: readInput(endpoint.params ?? NONE, request.params),
    query: readInput(endpoint.query ?? NONE, request.query),
    body: endpoint.body ? readInput(endpoint.body, body) : {},
    request,
  };
  if (endpoint.body) nameUnknownFields(endpoint.body, body, reply);
  // The one cast of the edge: an endpoint without a part has the empty shape's type for it, which TypeScript cannot follow.
  return parts as Omit<Input<P, Q, B>, 'db' | 'caller'>;
}

async function answerRead<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  deps: EndpointDeps,
  endpoint: Endpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  const wire = await deps.work.read(request.caller, (db, caller) => endpoint.handle({ ...parts, db, caller }));
  const body = checkedJson(endpoint.answers, wire, deps.checkAnswers);
  if (endpoint.tagged) sendIfChanged(request, reply, body);
  else send(reply, { status: 200, headers: {}, body });
}

async function answerWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  deps: EndpointDeps,
  endpoint: Endpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  const key = request.method === 'POST' ? idempotencyKey(request) : null;
  const print = key === null ? null : fingerprint(request, request.body);
  const ifMatch = request.headers['if-match'];
  const answer = await deps.work.write<Answer>(
    request.caller,
    async (db, caller) => {
      const kept = key !== null && print !== null ? await claimKey(db, caller, key, print) : null;
      if (kept) return { status: kept.status, headers: { ...kept.headers, 'idempotent-replayed': 'true' }, body: kept.body.toString('utf8') };
      const input = { ...parts, db, caller };
      if (ifMatch !== undefined && endpoint.current) {
        requireMatch(ifMatch, entityTag(checkedJson(endpoint.answers, await endpoint.current(input), false)));
      }
      const body = checkedJson(endpoint.answers, await endpoint.handle(input), deps.checkAnswers);
      const headers = answerHeaders(endpoint, reply, body);
      const status = endpoint.status ?? 200;
      if (key !== null && print !== null) caller.journal.answer = { key, fingerprint: print, status, headers, body: Buffer.from(body) };
      return { status, headers, body };
    },
    { repeatable: ifMatch !== undefined },
  );
  send(reply, answer);
}

function answerHeaders(endpoint: { tagged?: boolean }, reply: FastifyReply, body: string): Record<string, string> {
  const warning = reply.getHeader('warning-fields');
  return {
    ...(endpoint.tagged ? { etag: entityTag(body) } : {}),
    ...(typeof warning === 'string' ? { 'warning-fields': warning } : {}),
  };
}
