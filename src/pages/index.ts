import type { FastifyInstance } from 'fastify';
import { serveStyleSheets } from './assets.ts';
import { checkInPages } from './check-in/pages.ts';
import { PAGE_POLICY } from './content-security-policy.ts';
import { externalMessagePages } from './external-message/pages.ts';
import { sendFailurePage } from './failure-pages.ts';
import type { PageDeps } from './page-deps.ts';
import { serveScripts } from './scripts.ts';
import { mediaUploads } from './visit/media-uploads.ts';
import { sessionPage } from './visit/session-page.ts';
import { waitingRoomPage } from './visit/waiting-room-page.ts';

/** The pages that patients open from a text or a mail: HTML, each behind a secret link. */
export async function pages(app: FastifyInstance, deps: PageDeps): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
      // The address holds the secret of the link, so no other server may receive it as a referrer.
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    await deps.limits.spend('address', request.ip, reply);
  });
  app.setErrorHandler(sendFailurePage);
  checkInPages(app, deps);
  externalMessagePages(app, deps);
  sessionPage(app, deps);
  await app.register((scope) => mediaUploads(scope, deps));
  waitingRoomPage(app, deps);
  await serveScripts(app);
  await serveStyleSheets(app, ['page.css', 'visit.css']);
}
