import type { FastifyInstance } from 'fastify';
import { refuseForeignForms } from '../../http/pages/own-forms.ts';
import { servePageStyle } from '../assets/assets.ts';
import { scriptPolicy } from '../content-security-policy.ts';
import { staffFailures } from '../failures/failure-pages.ts';
import { accountPages } from './account/pages.ts';
import { secondFactorPages } from './account/second-factors.ts';
import { auditPages } from './administration/audit.ts';
import { clientPages } from './administration/clients/clients.ts';
import { policyPages } from './administration/policies.ts';
import { singleSignOnPages } from './administration/single-sign-on.ts';
import { usersPages } from './administration/users/users.ts';
import { appSignInPages } from './app-sign-in/pages.ts';
import { breakGlassPages } from './break-glass/pages.ts';
import { lobbyPages } from './lobby/pages.ts';
import { monitoringPages } from './monitoring/pages.ts';
import { confirmPages } from './sign-in/confirm.ts';
import { signInPages } from './sign-in/pages.ts';
import { ssoPages } from './sign-in/sso/sso-pages.ts';
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
  app.setErrorHandler(staffFailures(deps));
  app.removeContentTypeParser('application/json');
  signInPages(app, deps);
  appSignInPages(app, deps);
  ssoPages(app, deps);
  await staffScope(app, deps, (scope) => {
    accountPages(scope, deps);
    confirmPages(scope, deps);
    secondFactorPages(scope, deps);
    lobbyPages(scope, deps);
    monitoringPages(scope, deps);
    usersPages(scope, deps);
    clientPages(scope, deps);
    policyPages(scope, deps);
    singleSignOnPages(scope, deps);
    auditPages(scope, deps);
    breakGlassPages(scope, deps);
  });
  await app.register(async (scope) => {
    await servePageStyle(scope, 'lobby.css');
    await servePageStyle(scope, 'monitoring.css');
    await servePageStyle(scope, 'ledger.css');
  });
}
