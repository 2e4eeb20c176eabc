import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findExternalSession } from '../../../../domain/identity/single-sign-on/external-sessions.ts';
import { findPracticeOfDomain } from '../../../../domain/identity/single-sign-on/mail-domains.ts';
import { findLinkPractice } from '../../../../domain/practices/link-practice.ts';
import { inPractice } from '../../../../domain/tx.ts';
import { readInput } from '../../../../http/input/input.ts';
import { text } from '../../../../http/wire/wire-types.ts';
import { sendPage } from '../../../design/layout/page.ts';
import { pageAfterSignIn } from '../return-address.ts';
import type { StaffPageDeps } from '../staff-page-deps.ts';
import { findStaff } from '../staff-scope.ts';
import { callbackPage } from './sso-callback.ts';
import { emailPage, practicePage, refusedPage } from './sso-view.ts';
import { orUnreachable, startAddress, startSso } from './start-sso.ts';

const asked = z.string().optional().catch(undefined);
const StartQuery = z.object({ practice: z.coerce.number().int().min(1).max(2_147_483_647).optional().catch(undefined), to: asked });
const EmailForm = z.object({ email: text(254).default(''), to: asked });

const NO_PRACTICE =
  'No practice uses single sign-on for this mail domain. Sign in with your password, or ask your practice for its own address.';

const NOT_HERE = {
  title: 'No single sign-on here',
  words: 'This practice does not use single sign-on. Sign in with your email and password instead.',
  again: '/sign-in/sso',
};

/** Signing in at the identity provider of a practice (OpenID Connect). */
export function ssoPages(app: FastifyInstance, deps: StaffPageDeps): void {
  app.get('/sign-in/sso', async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    const { practice: organizationId, to } = readInput(StartQuery, request.query);
    if (organizationId === undefined) return sendPage(reply, emailPage({ to }));
    return orUnreachable(request, reply, startAddress(organizationId, to), async () => {
      const address = await startSso(deps, { organizationId, to }, request, reply);
      return address === null ? sendPage(reply.code(404), refusedPage(NOT_HERE)) : reply.redirect(address, 303);
    });
  });

  app.post('/sign-in/sso', async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    const { email, to } = readInput(EmailForm, request.body ?? {});
    const { prisma } = deps.database;
    const organizationId = await findPracticeOfDomain(prisma, email);
    const practice = organizationId === null ? null : await findLinkPractice(inPractice(prisma, organizationId));
    if (organizationId === null || !practice) return sendPage(reply.code(404), emailPage({ email, error: NO_PRACTICE, to }));
    return orUnreachable(request, reply, startAddress(organizationId, to), async () => {
      const address = await startSso(deps, { organizationId, to, email }, request, reply);
      if (address === null) return sendPage(reply.code(404), emailPage({ email, error: NO_PRACTICE, to }));
      return sendPage(reply, practicePage({ practice, address }));
    });
  });

  app.get('/sign-in/sso/confirm', async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    const { to } = readInput(StartQuery, request.query);
    const staff = await findStaff(deps, request);
    if (!staff?.sessionId) return reply.redirect('/sign-in', 303);
    const { organizationId, sessionId } = staff;
    if (!(await findExternalSession(deps.database.prisma, deps.keyring, { organizationId, sessionId })))
      return reply.redirect(pageAfterSignIn(to), 303);
    return orUnreachable(request, reply, request.url, async () => {
      const address = await startSso(deps, { organizationId, sessionId, to }, request, reply);
      return address === null ? sendPage(reply.code(404), refusedPage(NOT_HERE)) : reply.redirect(address, 303);
    });
  });

  app.get('/sign-in/sso/callback/:practice', (request, reply) => callbackPage(deps, request, reply));
}
