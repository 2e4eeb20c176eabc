import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { transformSync } from 'amaro';
import type { FastifyInstance } from 'fastify';

const CLIENT = new URL('../client/', import.meta.url);
const LIVEKIT = '/assets/livekit-client.mjs';

/**
 * Serves the scripts of pages, which are written in TypeScript, at `/assets/client/<name>`. When the server starts, their types
 * are replaced by spaces; there is no bundler, and they import each other by their file names.
 */
export async function serveScripts(app: FastifyInstance): Promise<void> {
  scripts ??= readScripts();
  for (const { name, content } of await scripts) {
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

/** The scripts with their types replaced, once a process. */
let scripts: Promise<{ name: string; content: string }[]> | undefined;

async function readScripts(): Promise<{ name: string; content: string }[]> {
  const names = (await readdir(CLIENT, { recursive: true })).filter((name) => name.endsWith('.ts'));
  return Promise.all(
    names.map(async (name) => {
      const { code } = transformSync(await readFile(new URL(name, CLIENT), 'utf8'), { mode: 'strip-only' });
      return { name, content: code.replaceAll("from 'livekit-client'", `from '${LIVEKIT}'`) };
    }),
  );
}
