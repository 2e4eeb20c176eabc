import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../../../database/keyring.ts';
import { openSession, refreshSession, revokeSession, type SignedIn } from '../../../domain/identity/sessions.ts';
import { type Authenticator, unauthenticated } from '../../../http/authenticate.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { checkCredentials, type PasswordDeps, signedInCaller } from '../../../http/sign-in.ts';
import { type Tokens, USER_TOKEN_SECONDS } from '../../../http/tokens.ts';
import { NoContent } from '../shared.wire.ts';
import { fromTokens, LoginRequest, RefreshRequest, TokenResponse } from './sign-in.wire.ts';

export interface SignInDeps extends PasswordDeps {
  keyring: Keyring;
  tokens: Tokens;
  authenticator: Authenticator;
}

/** Signing in, staying in and signing out. */
export function signInRoutes({ postPublic, post }: Endpoints, deps: SignInDeps): void {
  const { prisma } = deps.database;

  postPublic('/login', {
    operationId: 'login',
    summary: 'Sign in',
    description: 'Returns a new access token (valid for 15 minutes) and refresh token (30 days) for this device.',
    tag: 'Authorization',
    body: LoginRequest,
    response: TokenResponse,
    handle: async ({ body: { email, password }, request }) => {
      const user = await checkCredentials(deps, { email, password }, request);
      const sign = await deps.tokens.userSigner();
      const pair = await deps.unitOfWork.write(signedInCaller(user, request), (tx, caller) => {
        caller.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId] });
        return openSession(tx, user, sign);
      });
      return fromTokens(pair, user, USER_TOKEN_SECONDS);
    },
  });

  postPublic('/refresh', {
    operationId: 'refreshToken',
    summary: 'Refresh a pair of tokens',
    description: 'The old refresh token is retired. If it is used again more than ten seconds later, the whole session ends.',
    tag: 'Authorization',
    body: RefreshRequest,
    response: TokenResponse,
    handle: async ({ body, request }) => {
      const sign = await deps.tokens.userSigner();
      const outcome = await prisma.$transaction((tx) => refreshSession(tx, deps.keyring, body.token, sign));
      if (outcome.kind === 'renewed') return fromTokens(outcome.pair, outcome.session, USER_TOKEN_SECONDS);
      if (outcome.kind === 'unknown') throw unauthenticated('invalid_refresh_token', 'The refresh token is not valid, or no longer.');
      await endSession(deps, outcome.session, request);
      throw unauthenticated('refresh_token_reused', 'The refresh token was used before. The session has ended; sign in again.');
    },
  });

  post('/logout', {
    operationId: 'logout',
    summary: 'Sign out',
    description: 'Both tokens of this device stop working within a second on every server process.',
    tag: 'Authorization',
    response: NoContent,
    status: 204,
    handle: async ({ db, caller: { organizationId, sessionId, userId, journal } }) => {
      if (sessionId === null || userId === null) return null;
      await revokeSession(db, { organizationId, sessionId }, 'logout');
      journal.audits.push({ action: 'sign_out', resource: 'user', ids: [userId] });
      deps.authenticator.revoke(sessionId);
      return null;
    },
  });
}

/** Ends the session of a refresh token that was used twice, with an audit row. */
async function endSession({ unitOfWork, authenticator }: SignInDeps, session: SignedIn, request: FastifyRequest): Promise<void> {
  authenticator.revoke(session.sessionId);
  await unitOfWork.write(signedInCaller(session, request), async (tx, { journal }) => {
    await revokeSession(tx, session, 'reuse');
    journal.audits.push({ action: 'sign_out', resource: 'user', ids: [session.userId], detail: 'a refresh token was used twice' });
  });
}
