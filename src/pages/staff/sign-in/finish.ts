import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../../database/database.ts';
import { type AccountHolder, accountLabel } from '../../../domain/identity/accounts.ts';
import { revokeSession } from '../../../domain/identity/sessions/session-ends.ts';
import { openPageSession, type SignedIn, type SignInMethod } from '../../../domain/identity/sessions/sessions.ts';
import { rememberDevice } from '../../../http/auth/known-devices.ts';
import { decideAdmission, type Identified } from '../../../http/sign-in/admit-user.ts';
import { toSignedInCaller } from '../../../http/sign-in/sign-in.ts';
import { signInDetails } from '../../../http/sign-in/sign-in-details.ts';
import { sendPage } from '../../design/layout/page.ts';
import { enrolmentPage } from './enrolment.ts';
import { pageAfterSignIn } from './return-address.ts';
import { secondStepPage } from './second-step-view.ts';
import { setStaffCookie } from './staff-cookie.ts';
import type { StaffPageDeps } from './staff-page-deps.ts';
import { findStaff } from './staff-scope.ts';

/** Opens the session of a browser, in a transaction. */
export const pageSessionOpener = (request: FastifyRequest) => (db: Db, user: AccountHolder, methods: readonly SignInMethod[]) =>
  openPageSession(db, user, signInDetails(request, methods));

/** Gives the browser the cookie of its session, and the one by which it is known at the next sign-in. Its former session ends. */
export async function keepSession(deps: StaffPageDeps, session: SignedIn, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await endFormerSession(deps, request);
  setStaffCookie(deps.keyring, session, request, reply);
  rememberDevice(deps.keyring, request, reply, (await accountLabel(deps.database.prisma, session)).name);
}

async function endFormerSession(deps: StaffPageDeps, request: FastifyRequest): Promise<void> {
  const former = await findStaff(deps, request);
  if (!former?.sessionId) return;
  const { organizationId, sessionId, userId } = former;
  await deps.unitOfWork.write(former, async (tx) => {
    await revokeSession(tx.prisma, { organizationId, sessionId }, 'user');
    tx.journal.audits.push({ action: 'sign_out', resource: 'user', ids: userId === null ? [] : [userId], detail: 'signed in again' });
  });
  deps.authenticator.revoke(sessionId);
}

/**
 * Goes on after a user has shown one factor: with a session, with the second factor, or with adding one. Every way to sign in on
 * pages ends here.
 * @param to the page that was asked for
 */
export async function finishPageSignIn(
  deps: StaffPageDeps,
  { user, methods, to }: Identified & { to?: string | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const admission = await decideAdmission(deps, { user, methods }, request);
  if (admission.kind === 'second_factor') return sendPage(reply.code(401), secondStepPage({ ...admission, to }));
  if (admission.kind === 'enrolment') {
    return sendPage(reply.code(401), await enrolmentPage(deps, { user, token: admission.challenge, to }, request));
  }
  const session = await deps.unitOfWork.write(toSignedInCaller(user, request), (tx) => {
    tx.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId] });
    return pageSessionOpener(request)(tx.prisma, user, methods);
  });
  await keepSession(deps, session, request, reply);
  return reply.redirect(pageAfterSignIn(to), 303);
}
