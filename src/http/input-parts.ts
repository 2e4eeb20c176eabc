import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { None, Parts } from './endpoint-types.ts';
import { checkInput, invalidInput, nameIgnoredFields } from './input.ts';

const NONE: None = z.object({});

interface DeclaredParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params?: P;
  query?: Q;
  body?: B;
  bodyOptional?: boolean;
  ignored?: (body: z.output<B>) => string[];
}

/** Validates the parts of a request, and names unknown fields of the body in a header. @throws Failure invalid, naming the wrong fields of all parts */
export function readParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: DeclaredParts<P, Q, B>,
  request: FastifyRequest,
  reply: FastifyReply,
): Parts<P, Q, B> {
  const body = endpoint.bodyOptional && request.body === undefined ? {} : request.body;
  const [inPath, inQuery, inBody] = [
    checkInput(endpoint.params ?? NONE, request.params),
    checkInput(endpoint.query ?? NONE, request.query),
    endpoint.body ? checkInput(endpoint.body, body) : checkInput(NONE, {}),
  ];
  const issues = [inPath, inQuery, inBody].flatMap((part) => part.issues ?? []);
  if (inPath.issues || inQuery.issues || inBody.issues) throw invalidInput(issues);
  const read = { params: inPath.data, query: inQuery.data, body: inBody.data, request };
  // biome-ignore lint/nursery/noUnsafeTypeAssertion: the one cast of this folder; a part that an endpoint does not have is of the empty shape, which TypeScript cannot follow
  const parts = read as Parts<P, Q, B>;
  if (endpoint.body) nameIgnoredFields(endpoint.body, body, reply, endpoint.ignored?.(parts.body));
  return parts;
}
