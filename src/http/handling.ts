import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Work } from '../domain/work.ts';
import { checkedJson, send, sendIfChanged } from './answers.ts';
import type { Endpoint, Input, None } from './endpoint.ts';
import { entityTag, requireMatch } from './etag.ts';
import { claimOf, once } from './idempotency.ts';
import { nameUnknownFields, readInput } from './input.ts';

export interface HandlingDeps {
  work: Work;
  /** Hold every answer against its declared shape; off in production, where the typed mappers are trusted. */
  checkAnswers: boolean;
}

const NONE: None = z.object({});

/** Reads the parts of a request, and names the body fields that nobody asked for. */
function readParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const body = endpoint.bodyOptional && request.body === undefined ? {} : request.body;
  const parts = {
    params: readInput(endpoint.params ?? NONE, request.params),
    query: readInput(endpoint.query ?? NONE, request.query),
    body: endpoint.body ? readInput(endpoint.body, body) : {},
    request,
  };
  if (endpoint.body) nameUnknownFields(endpoint.body, body, reply);
  // biome-ignore lint/nursery/noUnsafeTypeAssertion: the one cast of the edge; a part that an endpoint does not have is of the empty shape, which TypeScript cannot follow
  return parts as Omit<Input<P, Q, B>, 'db' | 'caller'>;
}

/** Answers a GET or HEAD. */
export async function answerRead<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  deps: HandlingDeps,
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

/** Answers a POST, PUT or DELETE: one transaction with all that it leaves behind. */
export async function answerWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  deps: HandlingDeps,
  endpoint: Endpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  const claim = claimOf(request);
  const ifMatch = endpoint.current ? request.headers['if-match'] : undefined;
  const answer = await deps.work.write(
    request.caller,
    (db, caller) =>
      once(db, caller, claim, async () => {
        const input = { ...parts, db, caller };
        if (ifMatch !== undefined && endpoint.current) {
          requireMatch(ifMatch, entityTag(checkedJson(endpoint.answers, await endpoint.current(input), false)));
        }
        const body = checkedJson(endpoint.answers, await endpoint.handle(input), deps.checkAnswers);
        return { status: endpoint.status ?? 200, headers: answerHeaders(endpoint, reply, body), body };
      }),
    { repeatable: ifMatch !== undefined, signal: request.deadline.signal },
  );
  send(reply, answer);
}

/** Headers that belong to the answer itself, and are kept with it. */
function answerHeaders({ tagged }: { tagged?: boolean }, reply: FastifyReply, body: string): Record<string, string> {
  const warning = reply.getHeader('warning-fields');
  return { ...(tagged ? { etag: entityTag(body) } : {}), ...(typeof warning === 'string' ? { 'warning-fields': warning } : {}) };
}
