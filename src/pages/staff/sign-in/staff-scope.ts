import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallerIdentity, Role } from '../../../domain/caller.ts';
import { Failure } from '../../../domain/errors.ts';
import { sessionUser } from '../../../domain/identity/sessions/sessions.ts';
import { type LinkPractice, requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { inPractice, txOf } from '../../../domain/tx.ts';
import { toSignedInCaller } from '../../../http/sign-in/sign-in.ts';
import { signInAddress } from './return-address.ts';
import { readStaffCookie } from './staff-cookie.ts';
import type { StaffPageDeps } from './staff-page-deps.ts';

/** A user of a practice who is signed in to its pages. */
export interface StaffMember extends CallerIdentity {
  role: Role;
  /** Whether the user is notified of every emergency access to a restricted chart. */
  privacyOfficer: boolean;
}

/** The user who is signed in, by the cookie of the request; null for nobody. */
export async function findStaff({ keyring, database }: StaffPageDeps, request: FastifyRequest): Promise<StaffMember | null> {
  const named = readStaffCookie(keyring, request);
  const user = named && (await sessionUser(inPractice(database.prisma, named.organizationId), named.sessionId));
  if (!user) return null;
  const { sessionId, privacyOfficer, openedCharts } = user;
  return { ...toSignedInCaller(user, request, sessionId), role: user.role, privacyOfficer, ...(openedCharts ? { openedCharts } : {}) };
}

/** The practice of the user who is signed in, with their name; null for nobody. A page that fails asks, so that no failure is thrown. */
export async function findReaderPractice(deps: StaffPageDeps, request: FastifyRequest): Promise<LinkPractice | null> {
  try {
    const staff = signedIn.get(request) ?? (await findStaff(deps, request));
    return staff && (await requireLinkPractice(txOf(deps.database.prisma, staff)));
  } catch {
    return null;
  }
}

/** The practice of the user of a request in a staffScope, with their name. */
export const readerPractice = ({ database }: Pick<StaffPageDeps, 'database'>, request: FastifyRequest): Promise<LinkPractice> =>
  requireLinkPractice(txOf(database.prisma, requireStaff(request)));

const signedIn = new WeakMap<FastifyRequest, StaffMember>();

/**
 * Registers pages that only a signed-in user opens: every route in the scope, whatever it is, is behind this check. Others are sent
 * to sign in first.
 */
export async function staffScope(app: FastifyInstance, deps: StaffPageDeps, routes: (scope: FastifyInstance) => void): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      const staff = await findStaff(deps, request);
      if (!staff) {
        await deps.limits.spend('address', request, reply);
        return reply.redirect(signInAddress(request), 303);
      }
      await deps.limits.spend('caller', staff.actor, reply);
      signedIn.set(request, staff);
      return undefined;
    });
    routes(scope);
  });
}

export function requireStaff(request: FastifyRequest): StaffMember {
  const staff = signedIn.get(request);
  if (!staff) throw new Failure('unauthenticated', 'unauthenticated', 'Please sign in.');
  return staff;
}
