import type { FastifyContextConfig } from 'fastify';
import { APP_SCOPE_WORDS, CLIENT_SCOPE_WORDS, REQUESTS_SCOPE } from '../../domain/identity/clients/client-scopes.ts';
import type { Dialect } from '../endpoints/dialect.ts';
import { AUTHORIZATION_PATH, TOKEN_PATH } from '../oauth/metadata.ts';
import type { Json } from './json-schema.ts';

/** The scheme of tokens that clients fetch by themselves, beside that of a bearer; where the own scheme is of this kind, it is the only one. */
const OAUTH = 'oauth2';

const clientCredentials = ({ clientScopes }: Dialect): Json => ({
  tokenUrl: TOKEN_PATH,
  scopes: Object.fromEntries(clientScopes.map((scope) => [scope, CLIENT_SCOPE_WORDS[scope]])),
});

export function securitySchemes(dialect: Dialect): Json {
  const { name, scheme } = dialect.security;
  const description = 'Client credentials, with HTTP Basic or in the body';
  if (scheme.type === 'oauth2')
    return { [name]: { type: 'oauth2', description, flows: { clientCredentials: clientCredentials(dialect) } } };
  const scopes = Object.values(dialect.appScopes ?? {}).map((scope) => [scope, APP_SCOPE_WORDS[scope]]);
  const authorizationCode = {
    authorizationUrl: AUTHORIZATION_PATH,
    tokenUrl: TOKEN_PATH,
    refreshUrl: TOKEN_PATH,
    scopes: Object.fromEntries(scopes),
  };
  const flows = { clientCredentials: clientCredentials(dialect), ...(scopes.length > 0 ? { authorizationCode } : {}) };
  return { [name]: scheme, [OAUTH]: { type: 'oauth2', description: `${description}; for apps, the code flow with PKCE`, flows } };
}

/** The ways of one operation to authenticate, of which one is enough. The scope that every client has is in no token. */
export function listSecurity({ scope, appScope }: FastifyContextConfig, { security: { name, scheme } }: Dialect): Json[] {
  if (scheme.type === 'oauth2') return [{ [name]: scope ? [scope] : [] }];
  return [{ [name]: [] }, ...[scope, appScope].flatMap((one) => (one ? [{ [OAUTH]: one === REQUESTS_SCOPE ? [] : [one] }] : []))];
}
