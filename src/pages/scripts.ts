import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { transformSync } from 'amaro';
import type { FastifyInstance } from 'fastify';

const CLIENT = new URL('./client/', import.meta.url);
const LIVEKIT = '/assets/livekit-client.mjs';

/**
 * Serves the scripts of pages, which are written in TypeScript, at `/assets/client/<name>`. When the server starts, their types
 * are replaced by spaces; there is no bundler, and they import each other by their file names.
 */
export async function serveScripts(app: FastifyInstance): Promise<void> {
  const names = (await readdir(CLIENT)).filter((name) => name.endsWith('.ts'));
  for (const name of names) {
    const source = await readFile(new URL(name, CLIENT), 'utf8');
    const { code } = transformSync(source, { mode: 'strip-only' });
    const content = code.replaceAll("from 'livekit-client'", `from '${LIVEKIT}'`);
    app.get(`/assets/client/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(content),
    );
  }
  const livekit = createRequire(import.meta.url)
    .resolve('livekit-client')
    .replace(/[^/\\]+$/, 'livekit-client.esm.mjs');
  app.get(LIVEKIT, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/javascript; charset=utf-8')
      .send(await readFile(livekit)),
  );
}
