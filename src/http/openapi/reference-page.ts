import { readFile } from 'node:fs/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Dialect } from '../endpoints/dialect.ts';
import { type StaticContent, sendStatic, staticContent } from '../requests/compression.ts';

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
const PAGE_ADDRESS = `${PAGE}/`;
const SCRIPT = 'js/scalar.js';
const SCRIPT_ADDRESS = `${PAGE}/${SCRIPT}`;
const DOCUMENTS = new URL('../../../openapi/', import.meta.url);

/** Serves a dialect's document. @param source its file in `openapi`, or a function that writes it for each reader */
export function serveDocument(app: FastifyInstance, path: string, source: string | (() => object)): void {
  let content: Promise<StaticContent> | undefined;
  app.get(path, async (request, reply) => {
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8');
    if (typeof source !== 'string') return reply.send(source());
    content ??= staticContent(() => readFile(new URL(source, DOCUMENTS)));
    return sendStatic(request, reply, await content);
  });
}

/** The browsable reference of all documents at `/docs/reference/`, which sends no request to other servers. Its script is named by its content. */
export function referencePage(app: FastifyInstance, dialects: readonly Dialect[]): void {
  let library: Promise<FastifyInstance> | undefined;
  const loaded = new Map<string, Promise<LoadedFile>>();
  const load = (path: string): Promise<LoadedFile> => {
    const file = loaded.get(path) ?? read(path);
    loaded.set(path, file);
    return file;
  };
  async function read(path: string): Promise<LoadedFile> {
    library ??= loadReference(dialects);
    const { headers, rawPayload } = await (await library).inject(path);
    const named =
      path === PAGE_ADDRESS ? rawPayload.toString().replace(SCRIPT, `${SCRIPT}?${(await load(SCRIPT_ADDRESS)).version}`) : rawPayload;
    const content = await staticContent(async () => Buffer.from(named));
    return { type: String(headers['content-type']), content, version: content.etag.replaceAll('"', '') };
  }
  const send = async (path: string, request: FastifyRequest, reply: FastifyReply) => {
    const { type, content, version } = await load(path);
    const cached = request.url.endsWith(`?${version}`) ? 'public, max-age=31536000, immutable' : 'no-cache';
    reply.headers({ 'content-type': type, 'cache-control': cached, 'content-security-policy': PAGE_POLICY });
    return sendStatic(request, reply, content);
  };
  // The page names its script by a relative address.
  app.get(PAGE, async (request, reply) =>
    request.url.startsWith(PAGE_ADDRESS) ? send(PAGE_ADDRESS, request, reply) : reply.redirect(PAGE_ADDRESS, 301),
  );
  app.get(SCRIPT_ADDRESS, (request, reply) => send(SCRIPT_ADDRESS, request, reply));
}

interface LoadedFile {
  type: string;
  content: StaticContent;
  version: string;
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
