import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Keyring } from '../database/keyring.ts';
import type { FileStore } from '../domain/files/stored-files.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Gateways } from '../gateways/gateways.ts';
import type { Limits } from '../http/limits.ts';
import { checkInPages } from './check-in.ts';
import { externalMessagePages } from './external-message.ts';
import { showFailure } from './failures.ts';
import { serveScripts } from './scripts.ts';
import { videoPages } from './video.ts';
import { videoMedia } from './video-media.ts';
import { waitingPages } from './waiting.ts';

/** What pages need of the server. */
export interface PageDeps {
  config: Config;
  keyring: Keyring;
  work: UnitOfWork;
  limits: Limits;
  store: FileStore;
  gateways: Pick<Gateways, 'videoRooms'>;
  transferIdleMs: number;
}

/** A page loads its style from this server, sends its form to this server, and runs no script unless its own route says so. */
export const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CSS = 'text/css; charset=utf-8';

/** What a patient opens from a text or a mail: pages of HTML, each behind a link that nobody guesses. */
export async function pages(app: FastifyInstance, deps: PageDeps): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      // The address of the page is its key: no other server is told it.
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    await deps.limits.spend('address', request.ip, reply);
  });
  app.setErrorHandler(showFailure);
  checkInPages(app, deps);
  externalMessagePages(app, deps);
  videoPages(app, deps);
  await app.register((scope) => videoMedia(scope, deps));
  waitingPages(app, deps);
  await serveScripts(app);
  await serveAssets(app, { 'page.css': CSS, 'visit.css': CSS });
}

/** Files of the assets folder, read once. */
export async function serveAssets(app: FastifyInstance, types: Record<string, string>): Promise<void> {
  for (const [name, type] of Object.entries(types)) {
    const content = await readFile(new URL(`./assets/${name}`, import.meta.url));
    app.get(`/assets/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').type(type).send(content),
    );
  }
}
