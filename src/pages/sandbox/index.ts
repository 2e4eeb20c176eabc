import type { FastifyInstance, FastifyReply } from 'fastify';
import { refuseForeignForms } from '../../http/pages/own-forms.ts';
import { servePageStyle } from '../assets/assets.ts';
import { PAGE_POLICY } from '../content-security-policy.ts';
import { sendStaffFailurePage } from '../failures/failure-pages.ts';
import { callPages } from './call-pages.ts';
import { frontPage } from './front-page.ts';
import { mailboxPages } from './mailbox-pages.ts';
import { phonePages } from './phone-pages.ts';
import { hasSandbox, isSandboxOpen } from './sandbox-access.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/**
 * `/sandbox`: the phones and mailboxes of the demo practices' patients, so that one person can act as practice and patient. There
 * is no sign-in. Therefore it exists only with the demo, not in production, only with the local carrier, which sends nothing,
 * and only for requests from this machine; all others get a 404.
 */
export async function sandbox(app: FastifyInstance, deps: SandboxDeps): Promise<void> {
  const { demoPracticeIds } = deps;
  if (!demoPracticeIds || !hasSandbox(deps)) return;
  app.addHook('onRequest', async (request, reply) => {
    if (!isSandboxOpen(deps, request)) {
      reply.callNotFound();
      return reply;
    }
    reply.headers({
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    });
    refuseForeignForms(request);
    return undefined;
  });
  app.setErrorHandler((error, request, reply: FastifyReply) => sendStaffFailurePage(error, request, reply));
  app.removeContentTypeParser('application/json');
  await servePageStyle(app, 'sandbox.css');
  const pageDeps = { ...deps, demoPracticeIds };
  frontPage(app, pageDeps);
  phonePages(app, pageDeps);
  mailboxPages(app, pageDeps);
  callPages(app, pageDeps);
}
