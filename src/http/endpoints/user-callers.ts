import { forbidden } from '../../domain/errors.ts';
import type { Principal } from '../auth/authenticate.ts';
import type { AuthorizedCaller } from './dialect.ts';

/**
 * The caller of an API whose paths name no practice: a person acts in their own, an API client in the one that it belongs to.
 * @throws Failure forbidden
 */
export function toCaller(principal: Principal): AuthorizedCaller {
  if (principal.kind === 'user') {
    const { organizationId, userId, role, sessionId, clientId, scopes, openedCharts } = principal;
    const person = { organizationId, userId, role, sessionId, actor: `user:${userId}`, scopes: new Set(scopes) };
    return { ...person, ...(clientId === null ? {} : { app: clientId }), ...(openedCharts ? { openedCharts } : {}) };
  }
  const { clientId, scopes, users } = principal;
  const [grant] = users;
  if (!grant) throw forbidden('no_organization', 'The client was granted no organization.');
  const [organizationId, userId] = grant;
  return { organizationId, actor: `client:${clientId}`, userId, role: null, scopes, sessionId: null };
}
