import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { openPageSession, revokeSession } from '../../domain/identity/sessions.ts';
import { statusOf, toFailure } from '../../http/error-mapping.ts';
import { readInput } from '../../http/input.ts';
import { checkCredentials, signedInCaller } from '../../http/sign-in.ts';
import { secret, text } from '../../http/wire-types.ts';
import { pageAfterSignIn } from './return-address.ts';
import { clearStaffCookie, setStaffCookie } from './staff-cookie.ts';
import type { StaffPageDeps } from './staff-page-deps.ts';
import { findStaff } from './staff-scope.ts';
import { signInPage } from './view.ts';

const HIDDEN = { schema: { hide: true } };
const asked = z.string().optional().catch(undefined);
const SignInForm = z.object({ email: text(254).default(''), password: secret(1_000).default(''), to: asked });
const SignInQuery = z.object({ to: asked });

/** Signing in and out of the pages of staff, with the accounts, the limits and the sessions of the mobile API. */
export function signInPages(app: FastifyInstance, deps: StaffPageDeps): void {
  app.get('/sign-in', HIDDEN, async (request, reply) => {
    await deps.limits.spend('address', request.ip, reply);
    const { to } = readInput(SignInQuery, request.query);
    return (await findStaff(deps, request)) ? reply.redirect(pageAfterSignIn(to), 303) : send(reply, signInPage({ to }));
  });

  app.post('/sign-in', HIDDEN, async (request, reply) => {
    await deps.limits.spend('address', request.ip, reply);
    const form = readInput(SignInForm, request.body ?? {});
    try {
      const user = await checkCredentials(deps, form, request);
      const session = await deps.unitOfWork.write(signedInCaller(user, request), (db, { journal }) => {
        journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId] });
        return openPageSession(db, user);
      });
      setStaffCookie(deps.keyring, session, request, reply);
    } catch (error) {
      const failure = toFailure(error);
      if (failure.kind !== 'unauthenticated' && failure.kind !== 'too_many_requests') throw error;
      if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
      return send(reply.code(statusOf(failure)), signInPage({ email: form.email, error: failure.message, to: form.to }));
    }
    return reply.redirect(pageAfterSignIn(form.to), 303);
  });

  app.post('/sign-out', HIDDEN, async (request, reply) => {
    await deps.limits.spend('address', request.ip, reply);
    const staff = await findStaff(deps, request);
    if (staff?.sessionId) {
      const { organizationId, sessionId, userId } = staff;
      await deps.unitOfWork.write(staff, async (db, { journal }) => {
        await revokeSession(db, { organizationId, sessionId }, 'logout');
        journal.audits.push({ action: 'sign_out', resource: 'user', ids: userId === null ? [] : [userId] });
      });
      deps.authenticator.revoke(sessionId);
    }
    clearStaffCookie(request, reply);
    return reply.redirect('/sign-in', 303);
  });
}

const send = (reply: FastifyReply, page: string): FastifyReply => reply.type('text/html; charset=utf-8').send(page);
