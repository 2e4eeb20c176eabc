import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { type StaticContent, sendStatic, staticContent } from '../../http/requests/compression.ts';
import { addVersion } from './asset-version.ts';
import { keepAsset } from './assets.ts';

const CLIENT = new URL('../client/', import.meta.url);
const LIVEKIT = '/assets/livekit-client.mjs';

/**
 * Serves the scripts of pages, which are written in TypeScript, at `/assets/client/<name>`. Their first reader has their types replaced
 * by spaces; there is no bundler, and they import each other by their file names.
 */
export async function serveScripts(app: FastifyInstance): Promise<void> {
  for (const name of (await readdir(CLIENT, { recursive: true })).filter((one) => one.endsWith('.ts'))) {
    let script: Promise<Buffer> | undefined;
    serveScript(app, `/assets/client/${name}`, () => {
      script ??= readScript(name);
      return script;
    });
  }
  const livekit = createRequire(import.meta.url)
    .resolve('livekit-client')
    .replace(/[^/\\]+$/, 'livekit-client.esm.mjs');
  serveScript(app, LIVEKIT, () => readFile(livekit));
}

/** The first reader has a script made ready; its compressed forms are kept. */
function serveScript(app: FastifyInstance, path: string, read: () => Promise<Buffer>): void {
  let content: Promise<StaticContent> | undefined;
  app.get(path, async (request, reply) => {
    content ??= staticContent(read);
    keepAsset(request, reply).type('text/javascript; charset=utf-8');
    return sendStatic(request, reply, await content);
  });
}

async function readScript(name: string): Promise<Buffer> {
  // 20 MB of memory, which a server without video visits does without.
  const { transformSync } = await import('amaro');
  const { code } = transformSync(await readFile(new URL(name, CLIENT), 'utf8'), { mode: 'strip-only' });
  return Buffer.from(code.replaceAll("from 'livekit-client'", `from '${addVersion(LIVEKIT)}'`));
}
