import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';
import { listSecondFactors, requireOwner } from '../../../domain/identity/factors/second-factors.ts';
import { findPasswordOwner, shortestPassword } from '../../../domain/identity/passwords/password-rules.ts';
import { hasPassword } from '../../../domain/identity/passwords/passwords.ts';
import { endOwnSession, endOwnSessions, listSessions } from '../../../domain/identity/sessions/session-list.ts';
import { txOf } from '../../../domain/tx.ts';
import { readInput } from '../../../http/input/input.ts';
import { checkPasswordChange, storeOwnPassword } from '../../../http/sign-in/own-password.ts';
import { secret } from '../../../http/wire/wire-types.ts';
import { refused } from '../../design/feedback/alert.ts';
import { sendPage, writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { readerPractice, requireStaff } from '../sign-in/staff-scope.ts';
import { doneAlert, noPasswordSection, passwordSection, secondFactorsSection, sessionsSection } from './view.ts';

/** Devices that the page shows; few people have more. */
const SHOWN_SESSIONS = 50;

const PasswordForm = z.object({ currentPassword: secret(2_000).default(''), password: secret(2_000).default('') });
const SessionForm = z.object({ id: z.uuid() });
const DONE = {
  password: 'Your password was changed.',
  session: 'The device was signed out.',
  sessions: 'All other devices were signed out.',
};
const Query = z.object({ done: z.enum(['password', 'session', 'sessions']).optional().catch(undefined) });

export function accountPages(app: FastifyInstance, deps: StaffPageDeps): void {
  app.get('/account', async (request, reply) => {
    const { done } = readInput(Query, request.query);
    return sendPage(reply, await accountPage(deps, request, { news: done && DONE[done] }));
  });

  app.post('/account/password', async (request, reply) => {
    const form = readInput(PasswordForm, request.body ?? {});
    const staff = requireStaff(request);
    try {
      const passwordHash = await checkPasswordChange(deps, staff, form, request);
      const ended = await deps.unitOfWork.write(staff, (tx) => storeOwnPassword(deps, tx, passwordHash, request));
      for (const id of ended) deps.authenticator.revoke(id);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
      const errors = Object.fromEntries(error.issues.map(({ field, message }) => [field, `The password ${message}`]));
      return sendPage(reply.code(400), await accountPage(deps, request, { errors }));
    }
    return reply.redirect('/account?done=password', 303);
  });

  app.post('/account/sessions/end', async (request, reply) => {
    const { id } = readInput(SessionForm, request.body ?? {});
    await deps.unitOfWork.write(requireStaff(request), (tx) => endOwnSession(tx, id));
    deps.authenticator.revoke(id);
    return reply.redirect('/account?done=session', 303);
  });

  app.post('/account/sessions/end-others', async (request, reply) => {
    const ended = await deps.unitOfWork.write(requireStaff(request), (tx) => endOwnSessions(tx, { includingCurrent: false }));
    for (const id of ended) deps.authenticator.revoke(id);
    return reply.redirect('/account?done=sessions', 303);
  });
}

interface AccountView {
  news?: string | undefined;
  errors?: Record<string, string>;
}

async function accountPage(deps: StaffPageDeps, request: FastifyRequest, { news, errors = {} }: AccountView): Promise<string> {
  const { database } = deps;
  const staff = requireStaff(request);
  const ids = requireOwner(staff);
  const owner = await findPasswordOwner(database.prisma, ids);
  const withPassword = await hasPassword(database.prisma, ids);
  const { items, total } = await listSessions(txOf(database.prisma, staff), { page: 1, limit: SHOWN_SESSIONS });
  const factors = await listSecondFactors(database.prisma, ids);
  const practice = await readerPractice(deps, request);
  return writePage({
    title: 'Your account',
    practice,
    layout: 'wide',
    content: html`
!${staffBar('/account', staff)}
!${news === undefined ? '' : doneAlert(news)}
!${Object.keys(errors).length === 0 ? '' : refused('Your password was not changed. See the marked field.', true)}
!${withPassword ? passwordSection({ email: owner.email, shortest: shortestPassword(owner), errors }) : noPasswordSection(owner.email)}
!${secondFactorsSection(factors.length, withPassword)}
!${sessionsSection(items, total, practice.timeZone)}`,
  });
}
