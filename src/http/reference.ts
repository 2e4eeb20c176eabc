import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import type { Dialect } from './dialect.ts';

/** Where a dialect's document is served. */
export const documentPath = (name: Dialect['name']): string => `/docs/openapi/${name}.json`;

/** The browsable reference of all three documents at `/docs`; its page ships its own assets and asks nobody else. */
export async function referencePage(app: FastifyInstance, dialects: readonly Dialect[]): Promise<void> {
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      pageTitle: 'Triptych reference',
      sources: dialects.map(({ name, title }) => ({ title, slug: name, url: documentPath(name) })),
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
    },
  });
}
