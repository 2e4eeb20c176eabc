import type { FastifyInstance } from 'fastify';
import { servePageStyle } from './assets.ts';
import { scriptPolicy } from './content-security-policy.ts';
import { sendStaffFailurePage } from './failure-pages.ts';
import { lobbyPages } from './lobby/pages.ts';
import { monitoringPages } from './monitoring/pages.ts';
import { refuseForeignForms } from './own-forms.ts';
import { signInPages } from './sign-in/pages.ts';
import type { StaffPageDeps } from './sign-in/staff-page-deps.ts';
import { staffScope } from './sign-in/staff-scope.ts';

/** The pages of the people of a practice, who sign in. */
export async function staffPages(app: FastifyInstance, deps: StaffPageDeps): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': scriptPolicy([]),
      'cache-control': 'no-store',
      // Under no-referrer a form would not say which page sent it.
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    });
    refuseForeignForms(request);
  });
  app.setErrorHandler(sendStaffFailurePage);
  app.removeContentTypeParser('application/json');
  signInPages(app, deps);
  await staffScope(app, deps, (scope) => {
    lobbyPages(scope, deps);
    monitoringPages(scope, deps);
  });
  await app.register(async (scope) => {
    await servePageStyle(scope, 'lobby.css');
    await servePageStyle(scope, 'monitoring.css');
    await servePageStyle(scope, 'ledger.css');
  });
}
