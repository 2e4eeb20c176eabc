import OAuth2Server, { OAuthError, Request, Response } from '@node-oauth/oauth2-server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Db } from '../database/database.ts';
import { retryOnConnectionLoss } from '../database/retry-on-connection-loss.ts';
import { type AuthenticatedClient, authenticateClient, revokeToken } from '../domain/identity/clients.ts';
import { networkOf, type SignInLimits } from '../domain/identity/sign-in-limits.ts';
import type { Authenticator } from './authenticate.ts';
import { toFailure } from './error-mapping.ts';
import type { Limits } from './limits.ts';
import { clientCredentials, type Form, formOf, OAuthFailure, writeOAuthFailure } from './oauth-wire.ts';
import { CLIENT_TOKEN_SECONDS, ISSUER, type Tokens } from './tokens.ts';

interface OAuthDeps {
  config: Pick<Config, 'API_VARIANTS'>;
  db: Db;
  tokens: Tokens;
  authenticator: Authenticator;
  signInLimits: SignInLimits;
  limits: Limits;
}

/** Addresses of the token endpoint that older clients of practice APIs pair with their variants; served where such a variant is. */
const OLDER_TOKEN_PATHS = [
  ['/oauth/token', /^v\d+$/],
  ['/oauthpreview/token', /^preview\d+$/],
  ['/oauthopenpreview/token', /^openpreview\d+$/],
] as const;

/** The token endpoint (RFC 6749, client credentials), introspection (RFC 7662) and revocation (RFC 7009). */
export async function oauthRoutes(app: FastifyInstance, deps: OAuthDeps): Promise<void> {
  app.setErrorHandler((error, _request, reply) => writeOAuthFailure(error, reply));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
    await deps.limits.spend('address', request.ip, reply);
  });
  const post = (path: string, answer: (deps: OAuthDeps, request: FastifyRequest) => Promise<object>) =>
    app.post(path, { schema: { hide: true } }, (request) => retryOnConnectionLoss(() => answer(deps, request)));
  post('/oauth2/v1/token', grantToken);
  for (const [path, variant] of OLDER_TOKEN_PATHS)
    if (deps.config.API_VARIANTS.some((served) => variant.test(served))) post(path, grantToken);
  post('/oauth2/v1/introspect', introspect);
  post('/oauth2/v1/revoke', revoke);
}

async function grantToken(deps: OAuthDeps, request: FastifyRequest): Promise<object> {
  const form = formOf(request);
  const authenticated = await authenticate(deps, request, form);
  const server = new OAuth2Server({
    model: {
      getClient: async () => ({ ...authenticated, grants: ['client_credentials'] }),
      getUserFromClient: async ({ id }) => ({ id }),
      validateScope: async (_user, client, scope) => allowedScopes(client.scopes, scope),
      generateAccessToken: (client, _user, scope) => deps.tokens.signForClient(client.id, scope),
      saveToken: async (token, client, user) => ({ ...token, client, user }),
      getAccessToken: async () => false,
    },
  });
  // The library knows neither form-encoded credentials nor repeated parameters; what it is given was read and checked here.
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
  const body = { ...form, client_id: authenticated.id, client_secret: 'shown' };
  const token = await server.token(new Request({ method: 'POST', headers, query: {}, body }), new Response()).catch((error: unknown) => {
    throw ownFailure(error);
  });
  return { access_token: token.accessToken, token_type: 'Bearer', expires_in: CLIENT_TOKEN_SECONDS, scope: token.scope?.join(' ') };
}

/** The cause of an error that the library wrapped. */
function ownFailure(error: unknown): Error {
  if (!(error instanceof OAuthError)) return toFailure(error);
  if (error.code >= 500) return toFailure('inner' in error ? error.inner : error);
  // Nobody is authorized for a grant that this server does not know.
  const name = error.name === 'unauthorized_client' ? 'unsupported_grant_type' : error.name;
  return new OAuthFailure(400, name, error.message);
}

/**
 * The scopes to grant: all of the client if it requests none; otherwise the requested ones, or false if it lacks any. Scopes with
 * a slash are another vendor's, which clients that migrated still request: they are ignored (RFC 6749 3.3).
 */
function allowedScopes(granted: string[], requested: string[] = []): string[] | false {
  const ours = requested.filter((scope) => !scope.includes('/'));
  if (ours.length === 0) return granted;
  return ours.every((scope) => granted.includes(scope)) ? [...new Set(ours)] : false;
}

async function introspect(deps: OAuthDeps, request: FastifyRequest): Promise<object> {
  const form = formOf(request);
  const client = await authenticate(deps, request, form);
  const claims = await deps.tokens.verify(tokenOf(form));
  const principal = claims && (await deps.authenticator.findPrincipal(claims));
  if (!claims || !principal) return { active: false };
  const common = { active: true, token_type: 'Bearer', exp: claims.exp, iat: claims.iat, jti: claims.jti, iss: ISSUER };
  if (principal.kind === 'client') {
    if (principal.clientId !== client.id) return { active: false };
    return { ...common, client_id: client.id, sub: client.id, scope: [...principal.scopes].join(' ') };
  }
  return client.organizationIds.includes(principal.organizationId) ? { ...common, sub: String(principal.userId) } : { active: false };
}

/** Revokes a token of the client's own; the response is the same for every other token, and nothing is done. */
async function revoke(deps: OAuthDeps, request: FastifyRequest): Promise<object> {
  const form = formOf(request);
  const client = await authenticate(deps, request, form);
  const claims = await deps.tokens.verify(tokenOf(form));
  if (claims?.typ === 'client' && claims.sub === client.id) {
    await revokeToken(deps.db, claims.jti, new Date(claims.exp * 1000));
    deps.authenticator.revoke(claims.jti);
  }
  return {};
}

function tokenOf({ token }: Form): string {
  if (!token) throw new OAuthFailure(400, 'invalid_request', 'Missing parameter: `token`');
  return token;
}

/** Failures are counted per client and address: client ids are not secret, and failures of others must not lock a client out. */
async function authenticate({ db, signInLimits }: OAuthDeps, request: FastifyRequest, form: Form): Promise<AuthenticatedClient> {
  const { id, secret } = clientCredentials(request, form);
  const check = () => authenticateClient(db, id, secret);
  const client = await signInLimits.attempt(`client ${id} at ${networkOf(request.ip)}`, request.ip, check);
  if (!client) throw new OAuthFailure(401, 'invalid_client', 'Client authentication failed.');
  return client;
}
