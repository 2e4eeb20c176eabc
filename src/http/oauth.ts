import OAuth2Server, { OAuthError, Request, Response } from '@node-oauth/oauth2-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../database.ts';
import { Failure } from '../domain/errors.ts';
import { type AuthenticatedClient, authenticateClient, revokeToken } from '../domain/identity/clients.ts';
import type { SignInLimits } from '../domain/identity/sign-in-limits.ts';
import type { Authenticator } from './authenticate.ts';
import { statusOf, toFailure } from './failures.ts';
import type { Limits } from './limits.ts';
import { CLIENT_TOKEN_SECONDS, type Tokens } from './tokens.ts';

interface OAuthDeps {
  db: Db;
  tokens: Tokens;
  authenticator: Authenticator;
  signInLimits: SignInLimits;
  limits: Limits;
}

/** Addresses that older clients of practice APIs pair with their variants. */
const TOKEN_PATHS = ['/oauth2/v1/token', '/oauth/token', '/oauthpreview/token', '/oauthopenpreview/token'];

/** The token endpoint (RFC 6749, client credentials), introspection (RFC 7662) and revocation (RFC 7009). */
export async function oauthRoutes(app: FastifyInstance, deps: OAuthDeps): Promise<void> {
  app.setErrorHandler((error, _request, reply) => writeOAuthFailure(error, reply));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
    await deps.limits.spend('address', request.ip, reply);
  });
  for (const path of TOKEN_PATHS) app.post(path, { schema: { hide: true } }, (request, reply) => grantToken(deps, request, reply));
  app.post('/oauth2/v1/introspect', { schema: { hide: true } }, (request) => introspect(deps, request));
  app.post('/oauth2/v1/revoke', { schema: { hide: true } }, (request) => revoke(deps, request));
}

async function grantToken({ db, tokens, signInLimits }: OAuthDeps, request: FastifyRequest, reply: FastifyReply) {
  const server = new OAuth2Server({
    accessTokenLifetime: CLIENT_TOKEN_SECONDS,
    model: {
      async getClient(id: string, secret: string | null) {
        const settle = await signInLimits.attempt(`client ${id}`, request.ip);
        const client = await authenticateClient(db, id, secret ?? '');
        await settle(client !== null);
        return client && { ...client, grants: ['client_credentials'] };
      },
      getUserFromClient: async ({ id }) => ({ id }),
      validateScope: async (_user, client, scope) => allowedScopes(client.scopes, scope),
      generateAccessToken: (client, _user, scope) => tokens.signForClient(client.id, scope),
      saveToken: async (token, client, user) => ({ ...token, client, user }),
      getAccessToken: async () => false,
    },
  });
  const response = new Response();
  const oauthRequest = new Request({ method: request.method, headers: stringFields(request.headers), query: {}, body: stringFields(request.body) });
  try {
    await server.token(oauthRequest, response);
  } catch (error) {
    // Failures of ours (a limit, the database) come wrapped; the caller is told of what they were.
    const inner = error instanceof OAuthError && 'inner' in error ? error.inner : error;
    if (inner instanceof Failure || !(error instanceof OAuthError)) throw inner;
    if (error.code >= 500) throw toFailure(inner);
  }
  return reply.code(response.status ?? 200).headers(response.headers ?? {}).send(response.body);
}

/** All that the client has when it asks for none; what it asks for otherwise, if it has all of that. */
function allowedScopes(granted: string[], asked: string[] | undefined): string[] | false {
  if (!asked || asked.length === 0) return granted;
  return asked.every((scope) => granted.includes(scope)) ? asked : false;
}

async function introspect(deps: OAuthDeps, request: FastifyRequest) {
  const client = await basicClient(deps, request);
  const claims = await deps.tokens.verify(stringFields(request.body).token ?? '');
  const principal = claims && (await deps.authenticator.ask(claims));
  if (!claims || !principal || claims.exp * 1000 <= Date.now()) return { active: false };
  const common = { active: true, token_type: 'Bearer', exp: claims.exp, iat: claims.iat, jti: claims.jti, iss: 'triptych' };
  if (principal.kind === 'client') {
    return principal.clientId === client.id ? { ...common, client_id: client.id, sub: client.id, scope: [...principal.scopes].join(' ') } : { active: false };
  }
  return client.organizationIds.includes(principal.organizationId) ? { ...common, sub: String(principal.userId) } : { active: false };
}

async function revoke(deps: OAuthDeps, request: FastifyRequest) {
  const client = await basicClient(deps, request);
  const token = stringFields(request.body).token;
  if (!token) throw new OAuthFailure(400, 'invalid_request', 'Missing parameter: `token`');
  const claims = await deps.tokens.verify(token);
  if (claims?.typ === 'client' && claims.sub === client.id) {
    await revokeToken(deps.db, claims.jti, new Date(claims.exp * 1000));
    deps.authenticator.forget(token);
  }
  return {};
}

/** The client of an introspection or revocation, by HTTP Basic or by the body. */
async function basicClient({ db, signInLimits }: OAuthDeps, request: FastifyRequest): Promise<AuthenticatedClient> {
  const { client_id, client_secret } = stringFields(request.body);
  const basic = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [basicId, ...rest] = basic ? Buffer.from(basic, 'base64').toString('utf8').split(':') : [];
  const id = basicId ?? client_id ?? '';
  const settle = await signInLimits.attempt(`client ${id}`, request.ip);
  const client = await authenticateClient(db, id, basic ? rest.join(':') : (client_secret ?? ''));
  await settle(client !== null);
  if (!client) throw new OAuthFailure(401, 'invalid_client', 'Client authentication failed.');
  return client;
}

class OAuthFailure extends Error {
  readonly status: number;
  readonly error: string;
  constructor(status: number, error: string, description: string) {
    super(description);
    this.status = status;
    this.error = error;
  }
}

const bodyFields = z.record(z.string(), z.unknown());

/** The text fields of a form or JSON body; a field given twice is as if it were not there (RFC 6749 3.2). */
function stringFields(body: unknown): Record<string, string> {
  const entries = Object.entries(bodyFields.safeParse(body).data ?? {});
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [[name, value]] : [])));
}

/** Errors as RFC 6749 5.2 writes them. */
function writeOAuthFailure(error: unknown, reply: FastifyReply) {
  if (error instanceof OAuthFailure) {
    if (error.status === 401) reply.header('www-authenticate', 'Basic realm="triptych"');
    return reply.code(error.status).send({ error: error.error, error_description: error.message });
  }
  const failure = toFailure(error);
  if (failure.kind === 'internal') reply.log.error({ err: error }, 'token endpoint failed');
  if (failure.retryAfter) reply.header('retry-after', String(failure.retryAfter));
  const status = statusOf(failure);
  const name = status >= 500 ? 'server_error' : status === 429 ? 'slow_down' : 'invalid_request';
  return reply.code(status).send({ error: name, error_description: failure.message });
}
