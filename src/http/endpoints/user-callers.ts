import type { FastifyRequest } from 'fastify';
import { forbidden } from '../../domain/errors.ts';
import type { Principal } from '../auth/authenticate.ts';
import type { AuthorizedCaller } from './dialect.ts';

/**
 * The caller of a dialect for people who signed in. An API client is admitted to operations that have a scope; it belongs to one
 * organization.
 * @param userScopes the scopes of operations that are open to API clients too: every user has them
 * @throws Failure forbidden
 */
export const userCaller =
  (title: string, userScopes: ReadonlySet<string>) =>
  (principal: Principal, request: FastifyRequest): AuthorizedCaller => {
    if (principal.kind === 'user') {
      const { kind: _, ...user } = principal;
      return { ...user, actor: `user:${user.userId}`, scopes: userScopes };
    }
    if (!request.routeOptions.config.scope) throw forbidden('wrong_token', `The ${title} takes the token of a user who signed in.`);
    const { clientId, scopes, users } = principal;
    const [grant] = users;
    if (!grant) throw forbidden('no_organization', 'The client was granted no organization.');
    const [organizationId, userId] = grant;
    return { organizationId, actor: `client:${clientId}`, userId, role: null, scopes, sessionId: null };
  };
