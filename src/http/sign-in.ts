import type { FastifyRequest } from 'fastify';
import type { Database } from '../database/database.ts';
import type { CallerIdentity } from '../domain/caller.ts';
import { type AccountHolder, accountName, checkPassword, findAccount } from '../domain/identity/sessions.ts';
import type { SignInLimits } from '../domain/identity/sign-in-limits.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { unauthenticated } from './authenticate.ts';
import { operationOf } from './error-mapping.ts';

export interface PasswordDeps {
  database: Database;
  unitOfWork: UnitOfWork;
  signInLimits: SignInLimits;
}

/**
 * The user of an address and a password, for every way to sign in.
 * @throws Failure unauthenticated, which is audited; too_many_requests after too many failures of the account or of the network address
 */
export async function checkCredentials(
  deps: PasswordDeps,
  { email, password }: { email: string; password: string },
  request: FastifyRequest,
): Promise<AccountHolder> {
  const check = () => checkPassword(deps.database.prisma, email, password);
  const user = await deps.signInLimits.attempt(`user ${accountName(email)}`, request.ip, check);
  if (user) return user;
  recordRefusal(deps, email, request);
  throw unauthenticated('wrong_credentials', 'The email or the password is wrong.');
}

/** Writes an audit row where the account exists. Not awaited, so that the response time does not reveal whether it exists. */
function recordRefusal({ database, unitOfWork }: PasswordDeps, email: string, request: FastifyRequest): void {
  const record = async () => {
    const user = await findAccount(database.prisma, email);
    if (!user) return;
    const anonymous = { ...signedInCaller(user, request), actor: 'anonymous', userId: null, role: null };
    await unitOfWork.write(anonymous, async (_tx, { journal }) => {
      journal.audits.push({ action: 'sign_in_refused', resource: 'user', ids: [user.userId] });
    });
  };
  record().catch((err: unknown) => request.log.warn({ err }, 'a refused sign-in is missing in the audit'));
}

/** A user as the caller of a request. @param sessionId of a session that stands already */
export function signedInCaller(
  { organizationId, userId, role }: AccountHolder,
  request: FastifyRequest,
  sessionId: string | null = null,
): CallerIdentity {
  return {
    organizationId,
    userId,
    role,
    actor: `user:${userId}`,
    scopes: new Set(),
    sessionId,
    operation: operationOf(request),
    requestId: request.id,
    address: request.ip,
  };
}
