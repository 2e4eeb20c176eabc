import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../../domain/caller.ts';
import { forbidden } from '../../domain/errors.ts';
import { statusOf, toFailure } from '../../http/error-mapping.ts';
import { requireStepUp } from '../../http/step-up.ts';
import { staffOf } from '../sign-in/staff-scope.ts';

/** The administrator who sent a request. @throws Failure forbidden for others */
export function adminOf(request: FastifyRequest): CallerIdentity {
  const staff = staffOf(request);
  if (staff.role !== 'admin') throw forbidden('insufficient_role', 'This page is for the administrators of the practice.');
  return staff;
}

/** The same, of one who proved within a quarter of an hour who they are. @throws Failure unauthenticated for others */
export async function provenAdminOf(db: Db, request: FastifyRequest): Promise<CallerIdentity> {
  const admin = adminOf(request);
  await requireStepUp(db, admin);
  return admin;
}

/** Failures that the page shows above its sections. */
const SHOWN = ['invalid', 'conflict', 'forbidden', 'unprocessable'];

/**
 * Does what a form asks, and then opens the page again, unless the work has sent one; where it is refused, shows the page with the reason. A user
 * who has to prove again who they are, is sent there.
 * @param show writes the page with a reason
 */
export async function runForm(
  reply: FastifyReply,
  address: string,
  work: () => Promise<unknown>,
  show: (problem: string) => Promise<string>,
): Promise<FastifyReply> {
  try {
    await work();
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === 'step_up_required') return reply.redirect(`/sign-in/confirm?to=${encodeURIComponent(address)}`, 303);
    if (!SHOWN.includes(failure.kind)) throw error;
    return sendPage(reply.code(statusOf(failure)), await show(failure.message));
  }
  return reply.sent ? reply : reply.redirect(address, 303);
}

export const sendPage = (reply: FastifyReply, page: string): FastifyReply => reply.type('text/html; charset=utf-8').send(page);
