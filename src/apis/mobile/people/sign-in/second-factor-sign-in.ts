import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../../../database/database.ts';
import { type AccountHolder, accountLabel } from '../../../../domain/identity/accounts.ts';
import { CHALLENGE_SECONDS } from '../../../../domain/identity/factors/challenges.ts';
import { openSession, type SignInMethod } from '../../../../domain/identity/sessions/sessions.ts';
import { rememberDevice } from '../../../../http/auth/known-devices.ts';
import { USER_TOKEN_SECONDS } from '../../../../http/auth/tokens.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { completeSignIn } from '../../../../http/sign-in/admit-user.ts';
import { passkeySignInOptions, signInByPasskey } from '../../../../http/sign-in/passkey-sign-in.ts';
import { signInDetails } from '../../../../http/sign-in/sign-in-details.ts';
import { NoFields, PasskeyRequestOptions, PasskeySignIn, SecondFactorSignIn, toShownFactor } from './second-factors.wire.ts';
import type { SignInDeps } from './sign-in.ts';
import { fromTokens, TokenResponse } from './sign-in.wire.ts';

/** Signing in with a second factor, and with a passkey alone. */
export function secondFactorSignInRoutes(endpoints: Endpoints, deps: SignInDeps): void {
  const { postPublic } = endpoints.group({ tag: 'Authorization', beyondDocument: true });
  const opener = async (request: FastifyRequest) => {
    const sign = await deps.tokens.userSigner();
    return (db: Db, user: AccountHolder, methods: SignInMethod[]) => openSession(db, user, sign, signInDetails(request, methods));
  };

  /** Strangers who lock the account do not lock this device out. */
  const remember = async (request: FastifyRequest, reply: FastifyReply, user: AccountHolder) =>
    rememberDevice(deps.keyring, request, reply, (await accountLabel(deps.database.prisma, user)).name);

  postPublic('/login/second-factor', {
    operationId: 'loginWithSecondFactor',
    summary: 'Sign in with a second factor after the password',
    description: 'Answers the challenge of POST /login. A wrong code leaves the challenge open; 429 after five in five minutes.',
    body: SecondFactorSignIn,
    response: TokenResponse,
    handle: async ({ body, request, reply }) => {
      const { user, opened } = await completeSignIn(
        deps,
        { token: body.challenge, shown: toShownFactor(body), request },
        await opener(request),
      );
      await remember(request, reply, user);
      return fromTokens(opened, user, USER_TOKEN_SECONDS);
    },
  });

  postPublic('/login/passkey/options', {
    operationId: 'startPasskeyLogin',
    summary: 'Start to sign in with a passkey',
    description: 'The response is the same for everybody; the device offers the passkeys that it holds for this site.',
    body: NoFields,
    response: PasskeyRequestOptions,
    handle: async ({ request }) => {
      const { challenge, options } = await passkeySignInOptions(deps, request);
      return { data: { challenge, expires_in: CHALLENGE_SECONDS, options: { ...options } } };
    },
  });

  postPublic('/login/passkey', {
    operationId: 'loginWithPasskey',
    summary: 'Sign in with a passkey',
    description: 'A passkey verifies its user, so neither a password nor a second factor is required.',
    body: PasskeySignIn,
    response: TokenResponse,
    handle: async ({ body, request, reply }) => {
      const { user, opened } = await signInByPasskey(
        deps,
        { token: body.challenge, passkey: body.passkey, request },
        await opener(request),
      );
      await remember(request, reply, user);
      return fromTokens(opened, user, USER_TOKEN_SECONDS);
    },
  });
}
