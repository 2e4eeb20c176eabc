import type { FastifyRequest } from 'fastify';
import type { CallerIdentity } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import type { SignInLimits } from '../../domain/identity/sign-in-limits.ts';
import { checkPassword, openSession, refreshSession, revokeSession, type SignedIn } from '../../domain/identity/sessions.ts';
import type { Database } from '../../database.ts';
import type { Work } from '../../domain/work.ts';
import { type Authenticator, bearerToken } from '../../http/authenticate.ts';
import type { Endpoints } from '../../http/endpoints.ts';
import { operationOf } from '../../http/failures.ts';
import { type Tokens, USER_TOKEN_SECONDS } from '../../http/tokens.ts';
import type { Keyring } from '../../keyring.ts';
import { fromTokens, LoginRequest, NoContent, RefreshRequest, TokenResponse } from './sign-in.wire.ts';

export interface SignInDeps {
  database: Database;
  work: Work;
  keyring: Keyring;
  tokens: Tokens;
  authenticator: Authenticator;
  signInLimits: SignInLimits;
}

/** Signing in, staying in and signing out. */
export function signInRoutes({ open, post }: Endpoints, deps: SignInDeps): void {
  open('POST', '/login', {
    operationId: 'login',
    summary: 'Sign in',
    description: 'A new access token (15 minutes) and refresh token (30 days) for this device.',
    tag: 'Authorization',
    body: LoginRequest,
    answers: TokenResponse,
    handle: async ({ body, request }) => {
      const settle = await deps.signInLimits.attempt(`user ${body.email}`, request.ip);
      const user = await checkPassword(deps.database.prisma, body.email, body.password);
      await settle(user !== null);
      if (!user) throw new Failure('unauthenticated', 'wrong_credentials', 'The email or the password is wrong.');
      const sign = await deps.tokens.userSigner();
      const pair = await deps.work.write(identity(user, request), (tx, caller) => {
        caller.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId] });
        return openSession(tx, user, sign);
      });
      return fromTokens(pair, user, USER_TOKEN_SECONDS);
    },
  });

  open('POST', '/refresh', {
    operationId: 'refreshToken',
    summary: 'Trade a refresh token for a new pair',
    description: 'The token is retired. If it is used again more than ten seconds later, its whole session ends.',
    tag: 'Authorization',
    body: RefreshRequest,
    answers: TokenResponse,
    handle: async ({ body }) => {
      const sign = await deps.tokens.userSigner();
      const outcome = await deps.database.prisma.$transaction((tx) => refreshSession(tx, deps.keyring, body.token, sign));
      if (outcome === 'unknown') throw new Failure('unauthenticated', 'invalid_refresh_token', 'The refresh token is not valid, or no longer.');
      if (outcome === 'reused') throw new Failure('unauthenticated', 'refresh_token_reused', 'The refresh token was used before. The session has ended; sign in again.');
      return fromTokens(outcome.pair, outcome.session, USER_TOKEN_SECONDS);
    },
  });

  post('/logout', {
    operationId: 'logout',
    summary: 'Sign out',
    description: 'Both tokens of this device stop working, on every process within a second.',
    tag: 'Authorization',
    answers: NoContent,
    status: 204,
    handle: async ({ db, caller, request }) => {
      if (caller.sessionId) await revokeSession(db, caller.organizationId, caller.sessionId, 'logout');
      caller.journal.audits.push({ action: 'sign_out', resource: 'user', ids: caller.userId === null ? [] : [caller.userId] });
      const token = bearerToken(request);
      if (token) deps.authenticator.forget(token);
      return null;
    },
  });
}

function identity(user: Omit<SignedIn, 'sessionId'>, request: FastifyRequest): CallerIdentity {
  return {
    ...user,
    actor: `user:${user.userId}`,
    scopes: new Set(),
    sessionId: null,
    operation: operationOf(request),
    requestId: request.id,
    address: request.ip,
  };
}
