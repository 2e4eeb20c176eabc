import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { None, Parts } from './endpoint-types.ts';
import { nameIgnoredFields, readInput } from './input.ts';

const NONE: None = z.object({});

interface DeclaredParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params?: P;
  query?: Q;
  body?: B;
  bodyOptional?: boolean;
  ignored?: (body: z.output<B>) => string[];
}

/** Validates the parts of a request, and names unknown fields of the body in a header. @throws Failure invalid */
export function readParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: DeclaredParts<P, Q, B>,
  request: FastifyRequest,
  reply: FastifyReply,
): Parts<P, Q, B> {
  const body = endpoint.bodyOptional && request.body === undefined ? {} : request.body;
  const read = {
    params: readInput(endpoint.params ?? NONE, request.params),
    query: readInput(endpoint.query ?? NONE, request.query),
    body: endpoint.body ? readInput(endpoint.body, body) : {},
    request,
  };
  // biome-ignore lint/nursery/noUnsafeTypeAssertion: the one cast of this folder; a part that an endpoint does not have is of the empty shape, which TypeScript cannot follow
  const parts = read as Parts<P, Q, B>;
  if (endpoint.body) nameIgnoredFields(endpoint.body, body, reply, endpoint.ignored?.(parts.body));
  return parts;
}
