import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import { bodyType, type Dialect } from '../endpoints/dialect.ts';
import type { DocumentedWebhook } from '../endpoints/documented-webhooks.ts';
import { withExample } from '../endpoints/examples.ts';
import type { ErrorEntry } from '../errors/error-table.ts';
import { otherNames } from '../input/query.ts';
import { spelledName } from '../requests/path-template.ts';
import { type Components, createComponents } from './components.ts';
import { alsoAs, type Json } from './json-schema.ts';
import { createListFailures } from './operation-failures.ts';
import { listSecurity, securitySchemes } from './security-schemes.ts';
import { TOKEN_TAG, writeTokenOperations } from './token-operations.ts';
import { writeWebhooks } from './webhooks.ts';

/** The properties of a route from which the OpenAPI document is made. */
interface Route {
  method: string;
  /** Its path template, with parameters as `:name`. */
  url: string;
  schema: FastifySchema;
  config: FastifyContextConfig;
}

/**
 * The OpenAPI 3.1 document of one dialect, out of the zod shapes of its operations. The plugin collects the routes and
 * writes their paths; the operations are written here, because it knows neither zod nor all of 3.1.
 */
export async function documentDialect(app: FastifyInstance, dialect: Dialect, version: string): Promise<void> {
  const components = createComponents(dialect);
  const operations = new Map<string, Json>();
  const examples = dialect.examples();
  const findFailures = createListFailures(dialect);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...ABOUT, title: dialect.title, description: dialect.description, version },
      tags: [...Object.entries(dialect.tags).map(([name, description]) => ({ name, description })), TOKEN_TAG],
      servers: SERVERS,
    },
    transform: ({ schema, url, route }) => {
      if (!schema?.hide) {
        const id = schema?.operationId;
        if (!schema || !id || operations.has(id)) throw new Error(`${String(route.method)} ${url} needs an operationId of its own`);
        const unknown = schema.tags?.find((tag) => dialect.tags[tag] === undefined);
        if (unknown !== undefined)
          throw new Error(`${String(route.method)} ${url} has the tag ${unknown}, which its dialect does not describe`);
        const documented = { method: String(route.method), url, schema, config: route.config ?? {} };
        const operation = writeOperation(documented, findFailures(documented), dialect, components);
        operations.set(id, withExample(operation, examples[id]));
      }
      return { schema: { ...(schema?.hide ? { hide: true } : { operationId: schema?.operationId ?? '' }) }, url };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const { openapiObject } = document;
      const paths = Object.entries(openapiObject.paths ?? {}).map(([path, item]) => [spelledName(path), writeItem(item ?? {}, operations)]);
      return Object.assign(openapiObject, {
        paths: { ...Object.fromEntries(paths), ...writeTokenOperations(components) },
        components: { securitySchemes: securitySchemes(dialect), ...components.collected() },
        security: [{ [dialect.security.name]: [] }],
      });
    },
  });
}

const SERVERS = [{ url: '/', description: 'This server' }];
const ABOUT = { contact: { name: 'Triptych' }, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } };

/** The document of what the server posts to receivers. Apart from that of the API, because generators of clients make broken code of both in one. */
export function webhookDocument(dialect: Dialect, webhooks: readonly DocumentedWebhook[], version: string): object {
  const components = createComponents(dialect);
  return {
    openapi: '3.1.0',
    info: { ...ABOUT, title: 'Webhooks', description: 'Requests that the server sends to the webhook endpoints of a practice.', version },
    tags: [{ name: 'Webhooks', description: 'One message per kind of event' }],
    servers: SERVERS,
    webhooks: writeWebhooks(webhooks, components),
    components: components.collected(),
  };
}

const named = z.object({ operationId: z.string() });

/** The operations of one path in the place of those that the plugin made. */
function writeItem(item: object, operations: ReadonlyMap<string, Json>): Json {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [method, operations.get(named.parse(operation).operationId)]),
  );
}

function writeOperation(route: Route, failures: ReadonlyMap<number, ErrorEntry[]>, dialect: Dialect, components: Components): Json {
  const { operationId, summary, description, tags, body } = route.schema;
  const { beyondDocument = false } = route.config;
  const needs = describeNeeds(route.config, dialect.appScopes !== undefined);
  return {
    operationId,
    summary,
    description: [description, needs].filter(Boolean).join(' '),
    tags,
    ...(route.schema.deprecated ? { deprecated: true } : {}),
    ...(beyondDocument ? { 'x-beyond-the-document': true } : {}),
    security: route.config.protected ? listSecurity(route.config, dialect) : [],
    ...toParameters(writeParameters(route, dialect, components)),
    ...(body instanceof z.ZodType ? { requestBody: writeBody(body, listMediaTypes(route, dialect), components) } : {}),
    responses: { ...writeSuccesses(route, components), ...writeFailures(failures, components) },
  };
}

/** The scope and roles that an operation asks for, in words. */
function describeNeeds({ protected: isProtected, scope, appScope, roles, stepUp }: FastifyContextConfig, takesApps: boolean): string {
  const words = [scope ? `Requires the scope \`${scope}\`.` : '', roles ? `Requires the role ${roles.join(' or ')}.` : ''];
  if (stepUp) words.push('Requires a sign-in or POST /user/step-up within 15 minutes, otherwise 401 `step_up_required`.');
  if (isProtected && takesApps) words.push(appScope ? `An app needs the scope \`${appScope}\`.` : 'Not for apps.');
  if (!scope && !roles) words.push(isProtected ? 'Open to every role.' : 'Requires no token.');
  return words.filter(Boolean).join(' ');
}

const toParameters = (parameters: Json[]): Json => (parameters.length > 0 ? { parameters } : {});

function writeParameters({ method, url, schema, config }: Route, { prefixParams }: Dialect, components: Components): Json[] {
  const isKeyed = method === 'POST' && config.protected && config.keyed !== 'never';
  const inPath = [...listParameters('path', prefixParams, components), ...listParameters('path', schema.params, components)].map(
    ({ name, ...parameter }) => ({ name: spelledName(String(name)), ...parameter }),
  );
  const known = new Set(inPath.map(({ name }) => name));
  const others = [...url.matchAll(/:(\w+)/g)].flatMap(([, name = '']) =>
    known.has(spelledName(name)) ? [] : [{ name: spelledName(name), in: 'path', required: true, schema: { type: 'string' } }],
  );
  return [
    ...others,
    ...inPath,
    ...listParameters('query', schema.querystring, components),
    ...(isKeyed ? [components.parameter('Idempotency-Key')] : []),
    ...(config.ifMatch ? [components.parameter('If-Match')] : []),
    ...(config.etag && method === 'GET' ? [components.parameter('If-None-Match')] : []),
    ...(config.sendsStream ? [components.parameter('Last-Event-ID')] : []),
    ...(config.resumes ? [components.parameter(method === 'PATCH' ? 'Upload-Offset' : 'Upload-Length')] : []),
    ...(config.sendsFile ? [components.parameter('Range'), components.parameter('If-Range')] : []),
  ];
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })),
  required: z.array(z.string()).default([]),
});

/** @throws where the shape is no plain object, or has a name: its fields would be missing from the document */
function listParameters(place: 'path' | 'query', shape: unknown, components: Components): Json[] {
  if (shape === undefined) return [];
  const { properties, required } = objectSchema.parse(components.schema(shape, 'form'));
  const others = otherNames(shape);
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const described = alsoAs(description, others.get(name) ?? []);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(described ? { description: described } : {}),
      schema,
    };
  });
}

/** Content types that a body may have. */
const listMediaTypes = ({ schema }: Route, dialect: Dialect): readonly string[] => schema.consumes ?? [bodyType(dialect)];

function writeBody(shape: z.ZodType, types: readonly string[], components: Components): Json {
  const schema = components.schema(shape, types.includes('application/json') ? 'input' : 'form');
  return { required: !shape.safeParse(undefined).success, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function writeSuccesses({ method, schema, config }: Route, components: Components): Json {
  const headers = components.headers(
    ...(config.etag ? ['ETag'] : []),
    'Warning-Fields',
    'Warning-Codes',
    ...(method === 'POST' && config.protected ? ['Idempotent-Replayed'] : []),
    ...(config.ownHeaders ?? []),
  );
  const answers = Object.entries(schema.response ?? {}).flatMap(([status, shape]) => {
    const types = schema.produces ?? ['application/json'];
    const content = Object.fromEntries(
      types.map((type) => [type, { schema: type === 'text/csv' ? { type: 'string' } : components.schema(shape, 'output') }]),
    );
    const answer = [status, { description: STATUS_CODES[status] ?? 'Success', headers, ...(status === '204' ? {} : { content }) }];
    if (!config.sendsFile) return [answer];
    return [answer, ['206', { description: 'The requested range.', headers: components.headers('ETag', 'Content-Range'), content }]];
  });
  if (config.etag && method === 'GET') {
    answers.push(['304', { description: 'The record still has an ETag of If-None-Match.', headers: components.headers('ETag') }]);
  }
  return Object.fromEntries(answers);
}

/** The failures that an operation can have, each status with its codes. */
const writeFailures = (failures: ReadonlyMap<number, ErrorEntry[]>, components: Components): Json =>
  Object.fromEntries([...failures].map(([status, entries]) => [status, components.failure(status, entries)]));
