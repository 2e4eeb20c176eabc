import { readFile } from 'node:fs/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Dialect } from '../endpoints/dialect.ts';

/** Path of the OpenAPI document of a dialect, or of the webhooks. */
export const documentPath = (name: Dialect['name'] | 'webhooks'): string => `/docs/openapi/${name}.json`;

/** Content security policy of every other response: JSON, which loads nothing and no page may frame. */
export const RESPONSE_POLICY = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } };

/** The page loads from this server and talks to this server, whatever its script would like. It writes its styles and starts its script inline. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const WEBHOOKS = { name: 'webhooks', title: 'Webhooks' } as const;

const HIDDEN = { schema: { hide: true } };
const DOCUMENTS = new URL('../../../openapi/', import.meta.url);

/** Serves a dialect's document. @param source its file in `openapi`, or a function that writes it for each reader */
export function serveDocument(app: FastifyInstance, path: string, source: string | (() => object)): void {
  app.get(path, HIDDEN, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(typeof source === 'string' ? await readFile(new URL(source, DOCUMENTS)) : source()),
  );
}

/** The browsable reference of all documents at `/docs`, which sends no request to other servers. */
export function referencePage(app: FastifyInstance, dialects: readonly Dialect[]): void {
  let library: Promise<FastifyInstance> | undefined;
  for (const path of ['/docs', '/docs/js/scalar.js']) {
    app.get(path, HIDDEN, async (request, reply) => {
      library ??= loadReference(dialects);
      const { statusCode, headers, rawPayload } = await (await library).inject(request.url);
      return reply.code(statusCode).headers(headers).header('content-security-policy', PAGE_POLICY).send(rawPayload);
    });
  }
}

/** The library's page and script, in a server of their own that its first reader loads: they are 17 MB of memory. */
async function loadReference(dialects: readonly Dialect[]): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = Fastify();
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      pageTitle: 'Triptych reference',
      sources: [...dialects, WEBHOOKS].map(({ name, title }) => ({ title, slug: name, url: documentPath(name) })),
      favicon: 'data:,',
      withDefaultFonts: false,
      telemetry: false,
      // These options remove links to the services of the library's maker.
      hideClientButton: true,
      showDeveloperTools: 'never',
      mcp: { disabled: true },
      agent: { disabled: true },
    },
  });
  return server;
}
