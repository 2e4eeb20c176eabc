import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Dialect } from './dialect.ts';

type Json = Record<string, unknown>;

const FAILURES: Record<number, string> = {
  400: 'The input is wrong; the answer names the field.',
  401: 'There is no token, or it is not valid (any more).',
  403: 'The token lacks a scope or a role, which the answer names.',
  404: 'There is no such record in the caller’s organization.',
  409: 'It conflicts with what stands.',
  412: 'The record has changed since it was read (If-Match).',
  413: 'The body is too large.',
  415: 'The body has a content type that the operation does not take.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests; Retry-After says how long to wait.',
  500: 'Something went wrong on the server’s side.',
  503: 'The database cannot be reached; Retry-After says when to try again.',
};

/** The OpenAPI 3.1 document of one dialect, out of the zod shapes of its operations. */
export async function documentDialect(app: FastifyInstance, dialect: Dialect, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: dialect.title, description: dialect.description, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/', description: 'This server' }],
      components: { securitySchemes: { [dialect.security.name]: dialect.security.scheme } },
      security: [{ [dialect.security.name]: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: schema && toJsonSchemas(schema, dialect, route.config?.protected === true), url }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const schemas: Record<string, object> = {};
      hoistDefinitions(document.openapiObject, schemas);
      Object.assign(document.openapiObject, { components: { ...document.openapiObject.components, schemas } });
      return document.openapiObject;
    },
  });
}

/** zod in Fastify's schema slots becomes JSON Schema; the dialect's failures are added to every operation. */
function toJsonSchemas(schema: FastifySchema, dialect: Dialect, isProtected: boolean): FastifySchema {
  const { params, querystring, body, response, ...rest } = schema;
  const failures = Object.fromEntries(
    dialect.failureStatuses.map((status) => [
      status,
      { description: FAILURES[status] ?? 'Failure', content: { [dialect.failureContentType]: { schema: toJson(dialect.failureShape, 'output') } } },
    ]),
  );
  return {
    ...rest,
    ...(params ? { params: toJson(params, 'input') } : {}),
    ...(querystring ? { querystring: toJson(querystring, 'input') } : {}),
    ...(body ? { body: toJson(body, 'input') } : {}),
    ...(isProtected ? {} : { security: [] }),
    response: { ...successes(response), ...failures },
  };
}

function successes(response: unknown): Json {
  if (typeof response !== 'object' || response === null) return {};
  return Object.fromEntries(
    Object.entries(response).map(([status, shape]) => [
      status,
      status === '204' ? { description: 'Done', type: 'null' } : { description: 'Success', ...toJson(shape, 'output') },
    ]),
  );
}

function toJson(shape: unknown, io: 'input' | 'output'): Json {
  if (!(shape instanceof z.ZodType)) return {};
  const { $schema: _, ...json } = z.toJSONSchema(shape, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return json;
}

/** Named shapes (`.meta({ id })`) that stand inside each operation move to the document's components, once. */
function hoistDefinitions(node: unknown, schemas: Record<string, object>): void {
  if (typeof node !== 'object' || node === null) return;
  if ('$ref' in node && typeof node.$ref === 'string') node.$ref = node.$ref.replace('#/$defs/', '#/components/schemas/');
  if ('$defs' in node && typeof node.$defs === 'object' && node.$defs !== null) {
    Object.assign(schemas, node.$defs);
    hoistDefinitions(node.$defs, schemas);
    delete node.$defs;
  }
  for (const child of Object.values(node)) hoistDefinitions(child, schemas);
}
