import { refreshSession } from '../../../../domain/identity/sessions/refresh-session.ts';
import { revokeSession } from '../../../../domain/identity/sessions/session-ends.ts';
import { openSession } from '../../../../domain/identity/sessions/sessions.ts';
import { type Authenticator, unauthenticated } from '../../../../http/auth/authenticate.ts';
import { rememberDevice } from '../../../../http/auth/known-devices.ts';
import { type Tokens, USER_TOKEN_SECONDS } from '../../../../http/auth/tokens.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { type AdmissionDeps, admitUser } from '../../../../http/sign-in/admit-user.ts';
import { endMisusedSession } from '../../../../http/sign-in/misused-sessions.ts';
import { checkCredentials, toSignedInCaller } from '../../../../http/sign-in/sign-in.ts';
import { readUserAgent, signInDetails } from '../../../../http/sign-in/sign-in-details.ts';
import { NoContent } from '../../shared.wire.ts';
import { accountRoutes } from './account.ts';
import { fromTokens, LoginRequest, RefreshRequest, TokenResponse, toRefreshToken } from './sign-in.wire.ts';

export interface SignInDeps extends AdmissionDeps {
  tokens: Tokens;
  authenticator: Authenticator;
}

export function signInRoutes(endpoints: Endpoints, deps: SignInDeps): void {
  const { postPublic, post } = endpoints.group({ tag: 'Authorization' });
  accountRoutes(endpoints, deps);
  const { prisma } = deps.database;

  postPublic('/login', {
    operationId: 'login',
    summary: 'Sign in',
    description:
      'Returns a new access token (valid for 15 minutes) and refresh token (30 days) for this device. A user with a second factor gets 401 `second_factor_required` with a challenge for POST /login/second-factor. A user who must add a factor first gets 401 `second_factor_enrolment_required` with the address of the page for adding it.',
    body: LoginRequest,
    response: TokenResponse,
    handle: async ({ body: { email, password, refresh_token: refreshToken }, request, reply }) => {
      const user = await checkCredentials(deps, { email, password, refreshToken }, request);
      await admitUser(deps, { user, methods: ['pwd'], request });
      const sign = await deps.tokens.userSigner();
      const pair = await deps.unitOfWork.write(toSignedInCaller(user, request), (tx) => {
        tx.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId] });
        return openSession(tx.prisma, user, sign, signInDetails(request, ['pwd']));
      });
      rememberDevice(deps.keyring, request, reply, email);
      return fromTokens(pair, user, USER_TOKEN_SECONDS);
    },
  });

  postPublic('/refresh', {
    operationId: 'refreshToken',
    summary: 'Refresh a pair of tokens',
    description:
      'The old refresh token is retired. If it is used again more than ten seconds later, the whole session ends. Apps use the token endpoint, with their `client_id`.',
    body: RefreshRequest,
    response: TokenResponse,
    handle: async ({ body, request }) => {
      const token = toRefreshToken(body);
      const sign = await deps.tokens.userSigner();
      const use = { clientId: null, sign, address: request.ip, userAgent: readUserAgent(request) };
      const outcome = await prisma.$transaction((tx) => refreshSession(tx, deps.keyring, token, use));
      if (outcome.kind === 'renewed') return fromTokens(outcome.pair, outcome.session, USER_TOKEN_SECONDS);
      if (outcome.kind === 'unknown') throw unauthenticated('invalid_refresh_token', 'The refresh token is invalid or has expired.');
      await endMisusedSession(deps, { session: outcome.session, detail: 'a refresh token was used twice' }, request);
      throw unauthenticated('refresh_token_reused', 'The refresh token was used before. The session has ended; sign in again.');
    },
  });

  post('/logout', {
    operationId: 'logout',
    summary: 'Sign out',
    description: 'Both tokens of this device stop working within a second on every server process.',
    response: NoContent,
    status: 204,
    handle: async ({ tx }) => {
      const { sessionId, userId, journal } = tx;
      if (sessionId === null || userId === null) return null;
      await revokeSession(tx.prisma, { ...tx.practice, sessionId }, 'logout');
      journal.audits.push({ action: 'sign_out', resource: 'user', ids: [userId] });
      deps.authenticator.revoke(sessionId);
      return null;
    },
  });
}
