import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { ASSERTION_ALGORITHMS } from '../../domain/identity/clients/client-keys.ts';
import { REQUESTS_SCOPE, SCOPES } from '../../domain/identity/clients/client-scopes.ts';
import { readOrigin } from '../wire/links.ts';
import { APP_GRANTS } from './wire.ts';

export const AUTHORIZATION_PATH = '/oauth2/v1/authorize';
export const TOKEN_PATH = '/oauth2/v1/token';
export const INTROSPECTION_PATH = '/oauth2/v1/introspect';
export const REVOCATION_PATH = '/oauth2/v1/revoke';

const MACHINE_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** The address at which clients find out what this authorization server does (RFC 8414). */
export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** The same, where libraries of OpenID Connect look for it (Discovery 1.0). There is no id_token: an app reads who signed in at GET /client. */
const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** Public and the same for everybody, so that pages of every site may read it. */
export function serveMetadata(app: FastifyInstance, { TRIPTYCH_DOCS }: Pick<Config, 'TRIPTYCH_DOCS'>): void {
  for (const path of [METADATA_PATH, DISCOVERY_PATH])
    app.get(path, async (request, reply) => {
      reply.header('cache-control', 'public, max-age=60').header('access-control-allow-origin', '*');
      const issuer = readOrigin(request);
      return { ...createMetadata(issuer), ...(TRIPTYCH_DOCS === 'on' ? { service_documentation: `${issuer}/docs` } : {}) };
    });
}

const createMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${AUTHORIZATION_PATH}`,
  token_endpoint: `${issuer}${TOKEN_PATH}`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  introspection_endpoint: `${issuer}${INTROSPECTION_PATH}`,
  revocation_endpoint: `${issuer}${REVOCATION_PATH}`,
  scopes_supported: [...SCOPES, REQUESTS_SCOPE],
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [],
  response_modes_supported: ['query'],
  prompt_values_supported: ['none', 'login', 'consent'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  grant_types_supported: ['client_credentials', ...APP_GRANTS],
  token_endpoint_auth_methods_supported: [...MACHINE_METHODS, 'none'],
  token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  introspection_endpoint_auth_methods_supported: MACHINE_METHODS,
  introspection_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  revocation_endpoint_auth_methods_supported: [...MACHINE_METHODS, 'none'],
  revocation_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
});
