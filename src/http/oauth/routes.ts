import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { retryOnConnectionLoss } from '../../database/connections/retry-on-connection-loss.ts';
import type { AuthenticatedClient } from '../../domain/identity/clients/client-authentication.ts';
import { REQUESTS_SCOPE } from '../../domain/identity/clients/client-scopes.ts';
import { revokeToken } from '../../domain/identity/clients/clients.ts';
import { AUDIENCE, CLIENT_TOKEN_SECONDS, NO_REGISTERED_APP, toSeconds } from '../auth/tokens.ts';
import type { Limits } from '../requests/limits.ts';
import { type AppGrantDeps, findCallingApp, grantToApp, revokeForApp } from './app-grants.ts';
import { authenticateClient } from './clients.ts';
import { INTROSPECTION_PATH, REVOCATION_PATH, serveMetadata, TOKEN_PATH } from './metadata.ts';
import { APP_GRANTS, type Form, OAuthFailure, readOAuthForm, writeOAuthFailure } from './wire.ts';

interface OAuthDeps extends AppGrantDeps {
  config: Pick<Config, 'API_VARIANTS' | 'TRIPTYCH_DOCS'>;
  limits: Limits;
}

/** Addresses of the token endpoint that older clients of practice APIs pair with their variants; served where such a variant is. */
const OLDER_TOKEN_PATHS = [
  ['/oauth/token', /^v\d+$/],
  ['/oauthpreview/token', /^preview\d+$/],
  ['/oauthopenpreview/token', /^openpreview\d+$/],
] as const;

/** The token endpoint (RFC 6749), introspection (RFC 7662) and revocation (RFC 7009), and the metadata that names them. */
export async function oauthRoutes(app: FastifyInstance, deps: OAuthDeps): Promise<void> {
  app.setErrorHandler((error, _request, reply) => writeOAuthFailure(error, reply));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
    await deps.limits.spend('sign-in', request, reply);
  });
  const post = (path: string, answer: (deps: OAuthDeps, request: FastifyRequest) => Promise<object>) =>
    app.post(path, (request) => retryOnConnectionLoss(() => answer(deps, request)));
  post(TOKEN_PATH, grantToken);
  for (const [path, variant] of OLDER_TOKEN_PATHS)
    if (deps.config.API_VARIANTS.some((served) => variant.test(served))) post(path, grantToken);
  post(INTROSPECTION_PATH, introspect);
  post(REVOCATION_PATH, revoke);
  await app.register(async (scope) => serveMetadata(scope, deps.config));
}

async function grantToken(deps: OAuthDeps, request: FastifyRequest): Promise<object> {
  const form = readOAuthForm(request);
  const app = APP_GRANTS.includes(form.grant_type ?? '') ? await findCallingApp(deps, request, form) : null;
  if (app) return grantToApp(deps, { app, form }, request);
  return grantToClient(deps, form, await authenticateClient(deps, request, form));
}

/** A token for a client in its own name (RFC 6749 4.4). */
async function grantToClient(deps: OAuthDeps, form: Form, client: AuthenticatedClient): Promise<object> {
  if (form.grant_type === undefined) throw new OAuthFailure(400, 'invalid_request', 'Missing parameter: `grant_type`');
  if (form.grant_type !== 'client_credentials')
    throw new OAuthFailure(400, 'unsupported_grant_type', 'The grant_type of a client with credentials must be client_credentials.');
  const scopes = allowedScopes(
    client.scopes,
    form.scope?.split(' ').filter((scope) => scope !== ''),
  );
  if (!scopes) throw new OAuthFailure(400, 'invalid_scope', 'The client does not have a requested scope.');
  const token = await deps.tokens.signForClient(client.id, scopes);
  return { access_token: token, token_type: 'Bearer', expires_in: CLIENT_TOKEN_SECONDS, scope: scopes.join(' ') };
}

/**
 * The scopes to grant: all of the client if it requests none; otherwise the requested ones, or false if it lacks any. Scopes with
 * a slash are another vendor's, which clients that migrated still request: they are ignored (RFC 6749 3.3).
 */
function allowedScopes(granted: string[], requested: string[] = []): string[] | false {
  const ours = requested.filter((scope) => !scope.includes('/'));
  if (ours.length === 0) return granted;
  return ours.every((scope) => granted.includes(scope) || scope === REQUESTS_SCOPE) ? [...new Set(ours)] : false;
}

async function introspect(deps: OAuthDeps, request: FastifyRequest): Promise<object> {
  const form = readOAuthForm(request);
  const client = await authenticateClient(deps, request, form);
  const claims = await deps.tokens.verify(requireToken(form));
  const principal = claims && (await deps.authenticator.findPrincipal(claims));
  if (!claims || !principal) return { active: false };
  const common = { active: true, token_type: 'Bearer', exp: claims.exp, iat: claims.iat, jti: claims.jti, iss: claims.iss, aud: AUDIENCE };
  if (principal.kind === 'client') {
    if (principal.clientId !== client.id) return { active: false };
    const granted = [...principal.scopes].filter((scope) => scope !== REQUESTS_SCOPE);
    return { ...common, client_id: client.id, sub: client.id, scope: granted.join(' ') };
  }
  if (!client.organizationIds.includes(principal.organizationId)) return { active: false };
  const { clientId, scopes, userId, verifiedAt } = principal;
  return {
    ...common,
    client_id: clientId ?? NO_REGISTERED_APP,
    sub: String(userId),
    auth_time: toSeconds(verifiedAt),
    ...(clientId === null ? {} : { scope: scopes.join(' ') }),
  };
}

/** Revokes a token of the client's own, or the session of an app's; the response is the same for every other token, and nothing is done. */
async function revoke(deps: OAuthDeps, request: FastifyRequest): Promise<object> {
  const form = readOAuthForm(request);
  const app = await findCallingApp(deps, request, form);
  if (app) {
    await revokeForApp(deps, { app, token: requireToken(form) }, request);
    return {};
  }
  const client = await authenticateClient(deps, request, form);
  const claims = await deps.tokens.verify(requireToken(form));
  if (claims?.typ === 'client' && claims.sub === client.id) {
    await revokeToken(deps.db, claims.jti, new Date(claims.exp * 1000));
    deps.authenticator.revoke(claims.jti);
  }
  return {};
}

function requireToken({ token }: Form): string {
  if (!token) throw new OAuthFailure(400, 'invalid_request', 'Missing parameter: `token`');
  return token;
}
