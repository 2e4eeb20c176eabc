import { readFile } from 'node:fs/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Dialect } from '../endpoints/dialect.ts';
import { type StaticContent, sendStatic, staticContent } from '../requests/compression.ts';

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

const PAGE = '/docs/reference';
const HIDDEN = { schema: { hide: true } };
const DOCUMENTS = new URL('../../../openapi/', import.meta.url);

/** Serves a dialect's document. @param source its file in `openapi`, or a function that writes it for each reader */
export function serveDocument(app: FastifyInstance, path: string, source: string | (() => object)): void {
  let content: Promise<StaticContent> | undefined;
  app.get(path, HIDDEN, async (request, reply) => {
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8');
    if (typeof source !== 'string') return reply.send(source());
    content ??= staticContent(() => readFile(new URL(source, DOCUMENTS)));
    return sendStatic(request, reply, await content);
  });
}

/** The browsable reference of all documents at `/docs/reference/`, which sends no request to other servers. */
export function referencePage(app: FastifyInstance, dialects: readonly Dialect[]): void {
  let library: Promise<FastifyInstance> | undefined;
  for (const path of [PAGE, `${PAGE}/js/scalar.js`]) {
    let loaded: Promise<{ type: string; content: StaticContent }> | undefined;
    const load = async () => {
      library ??= loadReference(dialects);
      const { headers, rawPayload } = await (await library).inject(path === PAGE ? `${PAGE}/` : path);
      return { type: String(headers['content-type']), content: await staticContent(async () => rawPayload) };
    };
    app.get(path, HIDDEN, async (request, reply) => {
      // The page names its script by a relative address.
      if (path === PAGE && !request.url.startsWith(`${PAGE}/`)) return reply.redirect(`${PAGE}/`, 301);
      loaded ??= load();
      const { type, content } = await loaded;
      reply.headers({ 'content-type': type, 'cache-control': 'no-cache', 'content-security-policy': PAGE_POLICY });
      return sendStatic(request, reply, content);
    });
  }
}

/** The library's page and script, in a server of their own that its first reader loads: they are 17 MB of memory. */
async function loadReference(dialects: readonly Dialect[]): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = Fastify();
  await server.register(scalar, {
    routePrefix: PAGE,
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
