import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import type { Dialect } from '../endpoints/dialect.ts';

/** Path of a dialect's OpenAPI document. */
export const documentPath = (name: Dialect['name']): string => `/docs/openapi/${name}.json`;

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

/** The browsable reference of all three documents at `/docs`; its page has its own assets and sends no request to other servers. */
export async function referencePage(app: FastifyInstance, dialects: readonly Dialect[]): Promise<void> {
  await app.register(scalar, {
    routePrefix: '/docs',
    hooks: {
      onRequest: (_request, reply, done) => {
        reply.header('content-security-policy', PAGE_POLICY);
        done();
      },
    },
    configuration: {
      pageTitle: 'Triptych reference',
      sources: dialects.map(({ name, title }) => ({ title, slug: name, url: documentPath(name) })),
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
}
