import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import type { CallerIdentity } from '../../../domain/caller.ts';
import {
  type AccountHolder,
  accountName,
  checkPassword,
  findAccount,
  openSession,
  refreshSession,
  revokeSession,
  type SignedIn,
} from '../../../domain/identity/sessions.ts';
import type { SignInLimits } from '../../../domain/identity/sign-in-limits.ts';
import type { UnitOfWork } from '../../../domain/unit-of-work/unit-of-work.ts';
import { type Authenticator, unauthenticated } from '../../../http/authenticate.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { operationOf } from '../../../http/error-mapping.ts';
import { type Tokens, USER_TOKEN_SECONDS } from '../../../http/tokens.ts';
import { NoContent } from '../shared.wire.ts';
import { fromTokens, LoginRequest, RefreshRequest, TokenResponse } from './sign-in.wire.ts';

export interface SignInDeps {
  database: Database;
  unitOfWork: UnitOfWork;
  keyring: Keyring;
  tokens: Tokens;
  authenticator: Authenticator;
  signInLimits: SignInLimits;
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
      const check = () => checkPassword(prisma, email, password);
      const user = await deps.signInLimits.attempt(`user ${accountName(email)}`, request.ip, check);
      if (!user) {
        recordRefusal(deps, email, request);
        throw unauthenticated('wrong_credentials', 'The email or the password is wrong.');
      }
      const sign = await deps.tokens.userSigner();
      const pair = await deps.unitOfWork.write(identity(user, request), (tx, caller) => {
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
  await unitOfWork.write(identity(session, request), async (tx, { journal }) => {
    await revokeSession(tx, session, 'reuse');
    journal.audits.push({ action: 'sign_out', resource: 'user', ids: [session.userId], detail: 'a refresh token was used twice' });
  });
}

/** Writes an audit row where the account exists. Not awaited, so that the response time does not reveal whether it exists. */
function recordRefusal({ database, unitOfWork }: SignInDeps, email: string, request: FastifyRequest): void {
  const record = async () => {
    const user = await findAccount(database.prisma, email);
    if (!user) return;
    const anonymous = { ...identity(user, request), actor: 'anonymous', userId: null, role: null };
    await unitOfWork.write(anonymous, async (_tx, { journal }) => {
      journal.audits.push({ action: 'sign_in_refused', resource: 'user', ids: [user.userId] });
    });
  };
  record().catch((err: unknown) => request.log.warn({ err }, 'a refused sign-in is missing in the audit'));
}

function identity({ organizationId, userId, role }: AccountHolder, request: FastifyRequest): CallerIdentity {
  return {
    organizationId,
    userId,
    role,
    actor: `user:${userId}`,
    scopes: new Set(),
    sessionId: null,
    operation: operationOf(request),
    requestId: request.id,
    address: request.ip,
  };
}
