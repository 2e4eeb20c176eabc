import type { FastifyReply, FastifyRequest } from 'fastify';
import { retryOnConnectionLoss } from '../../database/connections/retry-on-connection-loss.ts';
import type { Database } from '../../database/database.ts';
import { type CallerIdentity, readClientId } from '../../domain/caller.ts';
import { unavailable } from '../../domain/errors.ts';
import { type Needs, requireRights } from '../../domain/identity/rights/rights.ts';
import { txOf } from '../../domain/tx.ts';
import { findFaults } from '../../domain/values/test-practices.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { nameOperation, toFailure } from '../errors/error-mapping.ts';
import type { Limits } from '../requests/limits.ts';
import type { Dialect } from './dialect.ts';

export interface AuthorizationDeps {
  authenticator: Authenticator;
  limits: Limits;
  database: Database;
}

interface Requirements extends Needs {
  stepUp?: boolean;
}

/**
 * Identifies the caller and the organization, and checks scope, role and step-up. Counts the request against the caller's rate limit, or
 * against the address's where there is no valid token.
 * @throws Failure unauthenticated, forbidden, not_found, too_many_requests
 */
export async function authorize(
  deps: AuthorizationDeps,
  dialect: Dialect,
  required: Requirements,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<CallerIdentity> {
  const caller = await identify(deps, dialect, request, reply);
  requireRights(caller, required);
  if (required.stepUp) await requireStepUp(txOf(deps.database.prisma, caller));
  return caller;
}

/**
 * The caller as the present rights of the request's token make it, for a response that goes on after its request.
 * @throws Failure where the token has lost them
 */
export async function reauthorize(
  { authenticator }: Pick<AuthorizationDeps, 'authenticator'>,
  dialect: Dialect,
  required: Needs,
  request: FastifyRequest,
): Promise<CallerIdentity> {
  const authorized = dialect.authorize(await authenticator.authenticate(request), request);
  const caller = { ...authorized, operation: nameOperation(request), requestId: request.id, address: request.ip };
  requireRights(caller, required);
  return caller;
}

/** Fails a share of the requests of a client of a test practice, where the sandbox says so. @throws Failure unavailable */
function failByFault(organizationId: number, clientId: string): void {
  const fault = findFaults(organizationId).unavailable;
  if (fault?.client === clientId && Math.random() < fault.rate) throw unavailable('The sandbox is set to fail requests of this client.');
}

async function identify(
  { authenticator, limits }: AuthorizationDeps,
  dialect: Dialect,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<CallerIdentity> {
  try {
    const principal = await retryOnConnectionLoss(() => authenticator.authenticate(request));
    const authorized = dialect.authorize(principal, request);
    const clientId = readClientId(authorized) ?? authorized.app;
    if (clientId !== undefined) request.clientInPractice = { organizationId: authorized.organizationId, clientId };
    await limits.spend('caller', authorized.actor, reply);
    if (clientId !== undefined) failByFault(authorized.organizationId, clientId);
    return { ...authorized, operation: nameOperation(request), requestId: request.id, address: request.ip };
  } catch (error) {
    // A token that cannot be checked, since the database is unreachable, may be valid.
    const isUnchecked = toFailure(error).kind === 'unavailable';
    if (!isUnchecked && reply.getHeader('ratelimit') === undefined) await limits.spend('no-token', request, reply);
    throw error;
  }
}
