import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import { jobCaller } from '../domain/caller.ts';
import { type Failure, invalid, unavailable } from '../domain/errors.ts';
import { endExternalSessions, takeLogoutToken } from '../domain/identity/single-sign-on/external-sessions.ts';
import { findUsableProvider } from '../domain/identity/single-sign-on/identity-providers.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Gateways } from '../gateways/gateways.ts';
import { ProviderRefusal, ProviderUnreachable } from '../gateways/openid/openid-connect.ts';
import type { Authenticator } from '../http/auth/authenticate.ts';
import { logServerFailure, nameOperation, toFailure, toStatus } from '../http/errors/error-mapping.ts';
import { LARGEST_BODY } from '../http/requests/bodies.ts';
import type { Limits } from '../http/requests/limits.ts';

interface LogoutDeps {
  database: Database;
  keyring: Keyring;
  unitOfWork: UnitOfWork;
  limits: Limits;
  authenticator: Authenticator;
  gateways: Pick<Gateways, 'openIdConnect'>;
}

const address = z.object({ practice: z.coerce.number().int().min(1).max(2_147_483_647) });
const form = z.object({ logout_token: z.string().min(1) });

/**
 * Back-channel logout: the identity provider of a practice says that somebody's session there has ended (OpenID Connect Back-Channel
 * Logout 1.0). Ends the sessions here that the token names.
 */
export async function backChannelLogout(app: FastifyInstance, deps: LogoutDeps): Promise<void> {
  app.removeContentTypeParser('application/json');
  app.setErrorHandler(sendFailure);
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => deps.limits.spend('sign-in', request, reply);
  const options = { bodyLimit: LARGEST_BODY.signed, onRequest };
  app.post('/sign-in/sso/back-channel-logout/:practice', options, async (request, reply) => {
    const organizationId = address.safeParse(request.params).data?.practice ?? 0;
    const token = form.safeParse(request.body).data?.logout_token;
    const provider = await findUsableProvider(deps.database.prisma, deps.keyring, organizationId);
    if (!provider || token === undefined) throw notALogout();
    const logout = await deps.gateways.openIdConnect.readLogoutToken(provider.settings, token);
    const caller = {
      ...jobCaller(organizationId, 'single-sign-on'),
      actor: 'single-sign-on',
      operation: nameOperation(request),
      requestId: request.id,
      address: request.ip,
    };
    const ended = await deps.unitOfWork.write(caller, async (tx) => {
      const { journal } = tx;
      if (!(await takeLogoutToken(tx, logout))) {
        journal.audits.push({ action: 'sign_in_refused', resource: 'user', ids: [], detail: 'a logout token was sent twice' });
        return null;
      }
      const { sessionIds, userIds } = await endExternalSessions(tx, logout);
      if (userIds.length > 0) journal.audits.push({ action: 'sign_out', resource: 'user', ids: userIds, detail: 'back-channel logout' });
      return sessionIds;
    });
    if (ended === null) throw notALogout();
    for (const sessionId of ended) deps.authenticator.revoke(sessionId);
    return reply.code(200).header('cache-control', 'no-store').send();
  });
}

/** The same for a practice without a provider, which nobody learns of. */
const notALogout = () => invalid('logout_token', 'is not a logout token of the identity provider of this practice');

/** A logout whose signature cannot be checked now is answered so that the provider sends it again. */
function toLogoutFailure(error: unknown): Failure {
  if (error instanceof ProviderRefusal) return notALogout();
  return toFailure(error instanceof ProviderUnreachable ? unavailable('The keys of the provider cannot be read.', error) : error);
}

function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ProviderRefusal) request.log.warn({ err: error, reason: error.message }, 'a back-channel logout was refused');
  const failure = toLogoutFailure(error);
  logServerFailure(failure, request);
  const body = { error: toStatus(failure) === 400 ? 'invalid_request' : 'server_error', error_description: failure.message };
  return reply
    .code(toStatus(failure))
    .headers({ ...failure.headers, 'cache-control': 'no-store' })
    .send(body);
}
