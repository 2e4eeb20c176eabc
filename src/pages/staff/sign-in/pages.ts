import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { revokeSession } from '../../../domain/identity/sessions/session-ends.ts';
import { toFailure, toStatus } from '../../../http/errors/error-mapping.ts';
import { readInput } from '../../../http/input/input.ts';
import { checkCredentials } from '../../../http/sign-in/sign-in.ts';
import { secret, text } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import { finishPageSignIn } from './finish.ts';
import { pageAfterSignIn, signInAddressFor } from './return-address.ts';
import { secondStepPages } from './second-step-pages.ts';
import { providerSignOutPage } from './sso/sso-sign-out.ts';
import { clearStaffCookie } from './staff-cookie.ts';
import type { StaffPageDeps } from './staff-page-deps.ts';
import { findStaff } from './staff-scope.ts';
import { signInPage } from './view.ts';

const asked = z.string().optional().catch(undefined);
const SignInForm = z.object({ email: text(254).default(''), password: secret(2_000).default(''), to: asked });
const SignInQuery = z.object({ to: asked });

/** Signing in and out of the pages of staff, with the accounts, the limits and the sessions of the mobile API. */
export function signInPages(app: FastifyInstance, deps: StaffPageDeps): void {
  app.get('/sign-in', async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    const { to } = readInput(SignInQuery, request.query);
    return (await findStaff(deps, request)) ? reply.redirect(pageAfterSignIn(to), 303) : sendPage(reply, signInPage({ to }));
  });

  app.post('/sign-in', async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    const form = readInput(SignInForm, request.body ?? {});
    try {
      const user = await checkCredentials(deps, form, request);
      return await finishPageSignIn(deps, { user, methods: ['pwd'], to: form.to }, request, reply);
    } catch (error) {
      const failure = toFailure(error);
      if (failure.kind !== 'unauthenticated' && failure.kind !== 'too_many_requests') throw error;
      if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
      return sendPage(reply.code(toStatus(failure)), signInPage({ email: form.email, error: failure.message, to: form.to }));
    }
  });

  secondStepPages(app, deps);

  app.post('/sign-out', async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    const staff = await findStaff(deps, request);
    let onward: string | null = null;
    if (staff?.sessionId) {
      const { organizationId, sessionId, userId } = staff;
      onward = await providerSignOutPage(deps, { organizationId, sessionId }, request);
      await deps.unitOfWork.write(staff, async (tx) => {
        await revokeSession(tx.prisma, { organizationId, sessionId }, 'logout');
        tx.journal.audits.push({ action: 'sign_out', resource: 'user', ids: userId === null ? [] : [userId] });
      });
      deps.authenticator.revoke(sessionId);
    }
    clearStaffCookie(request, reply);
    const { to } = readInput(SignInQuery, request.body ?? {});
    return onward === null ? reply.redirect(signInAddressFor(to), 303) : sendPage(reply, onward);
  });
}
