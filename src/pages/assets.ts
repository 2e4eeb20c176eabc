import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

/**
 * Serves style sheets of the `assets` folder at `/assets/<name>`. Each file is read once, when the server starts; browsers
 * keep it for five minutes.
 */
export async function serveStyleSheets(app: FastifyInstance, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const content = await readFile(new URL(`./assets/${name}`, import.meta.url));
    app.get(`/assets/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').type('text/css; charset=utf-8').send(content),
    );
  }
}
