import type { FastifyRequest } from 'fastify';
import { revokeSession } from '../../domain/identity/sessions/session-ends.ts';
import type { SignedIn } from '../../domain/identity/sessions/sessions.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { logRefusedSignIn } from './refused-sign-ins.ts';
import { toSignedInCaller } from './sign-in.ts';

/**
 * Ends the session of a token or a code that was used twice, with an audit row: one of the two who used it has stolen it.
 * @param misuse.detail of the audit row
 */
export async function endMisusedSession(
  { unitOfWork, authenticator }: { unitOfWork: UnitOfWork; authenticator: Authenticator },
  { session, detail }: { session: SignedIn; detail: string },
  request: FastifyRequest,
): Promise<void> {
  logRefusedSignIn(request, { user: session.userId, organization: session.organizationId, reason: 'reused' });
  authenticator.revoke(session.sessionId);
  await unitOfWork.write(toSignedInCaller(session, request), async (tx) => {
    await revokeSession(tx.prisma, session, 'reuse');
    tx.journal.audits.push({ action: 'sign_out', resource: 'user', ids: [session.userId], detail });
  });
}
