import type { CallerIdentity, Role } from '../../caller.ts';
import { type Failure, forbidden } from '../../errors.ts';
import type { AppScope } from '../clients/client-scopes.ts';

/** The requirements of an operation on whoever calls it. */
export interface Needs {
  /** The scope that opens it to API clients; null: it is for people alone. */
  scope: string | null;
  /** The scope that opens it to people's apps; null: no app calls it. */
  appScope: AppScope | null;
  /** The roles that may call, where a person calls; null: every role. */
  roles: readonly Role[] | null;
}

/**
 * Says which token may do what, for every API, stream and page. An API client needs the operation's scope. A person needs the role;
 * through an app, the app's scope besides.
 * @throws Failure forbidden
 */
export function requireRights({ app, role, scopes }: Pick<CallerIdentity, 'app' | 'role' | 'scopes'>, needs: Needs): void {
  if (role === null && needs.scope === null) throw forbidden('wrong_token', 'This operation requires the token of a signed-in user.');
  if (app !== undefined && needs.appScope === null)
    throw forbidden('not_for_apps', 'Apps cannot do this. The person can do it on the pages of this server, such as /account.');
  const scope = role === null ? needs.scope : app === undefined ? null : needs.appScope;
  if (scope !== null && !scopes.has(scope)) throw insufficientScope(scope);
  if (role !== null && needs.roles !== null && !needs.roles.includes(role))
    throw forbidden('insufficient_role', `This requires the role ${needs.roles.join(' or ')}.`);
}

const insufficientScope = (scope: string): Failure =>
  forbidden('insufficient_scope', `This requires the scope ${scope}.`, {
    'www-authenticate': `Bearer realm="triptych", error="insufficient_scope", scope="${scope}"`,
  });
