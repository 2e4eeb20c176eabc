import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';

const CLIENT = new URL('../client/', import.meta.url);
const LIVEKIT = '/assets/livekit-client.mjs';

/**
 * Serves the scripts of pages, which are written in TypeScript, at `/assets/client/<name>`. Their first reader has their types replaced
 * by spaces; there is no bundler, and they import each other by their file names.
 */
export async function serveScripts(app: FastifyInstance): Promise<void> {
  for (const name of (await readdir(CLIENT, { recursive: true })).filter((one) => one.endsWith('.ts'))) {
    app.get(`/assets/client/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .header('cache-control', 'no-cache')
        .type('text/javascript; charset=utf-8')
        .send(await scriptOf(name)),
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

/** The scripts with their types replaced, by name. */
const scripts = new Map<string, Promise<string>>();

function scriptOf(name: string): Promise<string> {
  const known = scripts.get(name) ?? readScript(name);
  scripts.set(name, known);
  return known;
}

async function readScript(name: string): Promise<string> {
  // 20 MB of memory, which a server without video visits does without.
  const { transformSync } = await import('amaro');
  const { code } = transformSync(await readFile(new URL(name, CLIENT), 'utf8'), { mode: 'strip-only' });
  return code.replaceAll("from 'livekit-client'", `from '${LIVEKIT}'`);
}
