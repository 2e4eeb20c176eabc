import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../../database/encryption/keyring.ts';
import {
  type App,
  findApp,
  findCodeHolder,
  isSessionOfApp,
  type ShownCode,
  sessionOfApp,
  sessionOfUsedCode,
  useCode,
} from '../../domain/identity/clients/authorization-codes.ts';
import { refreshSession } from '../../domain/identity/sessions/refresh-session.ts';
import { revokeSession } from '../../domain/identity/sessions/session-ends.ts';
import { openAppSession, type SignedIn, sessionUser, type TokenPair } from '../../domain/identity/sessions/sessions.ts';
import { inheritExternalSession } from '../../domain/identity/single-sign-on/external-sessions.ts';
import { inPractice } from '../../domain/tx.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { type Tokens, USER_TOKEN_SECONDS } from '../auth/tokens.ts';
import { endMisusedSession } from '../sign-in/misused-sessions.ts';
import { logRefusedSignIn } from '../sign-in/refused-sign-ins.ts';
import { toSignedInCaller } from '../sign-in/sign-in.ts';
import { readUserAgent, signInDetails } from '../sign-in/sign-in-details.ts';
import type { ClientAuthDeps } from './clients.ts';
import { clientCredentials, type Form, OAuthFailure } from './wire.ts';

export interface AppGrantDeps extends ClientAuthDeps {
  keyring: Keyring;
  unitOfWork: UnitOfWork;
  tokens: Tokens;
  authenticator: Authenticator;
}

/**
 * The app that sent a request; null for a request with credentials, which are those of a machine client.
 * @throws OAuthFailure invalid_client for an unknown app
 */
export async function findCallingApp({ db }: ClientAuthDeps, request: FastifyRequest, form: Form): Promise<App | null> {
  const credentials = clientCredentials(request, form);
  if (credentials.kind !== 'none') return null;
  const app = await findApp(db, credentials.id);
  if (!app) throw new OAuthFailure(401, 'invalid_client', 'Client authentication is required.');
  return app;
}

/** The tokens of a person for an app (RFC 6749 4.1.3 with RFC 7636, and 6). */
export async function grantToApp(deps: AppGrantDeps, shown: { app: App; form: Form }, request: FastifyRequest): Promise<object> {
  try {
    return await (shown.form.grant_type === 'authorization_code' ? redeemCode : refresh)(deps, shown, request);
  } catch (error) {
    if (error instanceof OAuthFailure) logRefusedSignIn(request, { client: shown.app.id, reason: error.error });
    throw error;
  }
}

const invalidGrant = (description: string) => new OAuthFailure(400, 'invalid_grant', description);
const CODE_REFUSED = 'The code is invalid, has expired, or was issued for another client_id, redirect_uri or code_verifier.';
const TOKEN_REFUSED = 'The refresh token is invalid or has expired.';

async function redeemCode(deps: AppGrantDeps, { app, form }: { app: App; form: Form }, request: FastifyRequest): Promise<object> {
  const { db, unitOfWork } = deps;
  const shown = readShownCode(app, form);
  const used = await sessionOfUsedCode(db, shown.code, app.id);
  if (used) await endMisusedSession(deps, { session: used, detail: 'an authorization code was used twice' }, request);
  const holder = used ? null : await findCodeHolder(db, shown);
  if (!holder) throw invalidGrant(CODE_REFUSED);
  const { user, methods, asksProof } = holder;
  const scopes = holder.scopes.filter((scope) => app.scopes.includes(scope));
  if (scopes.length === 0) throw invalidGrant(CODE_REFUSED);
  const sign = await deps.tokens.userSigner();
  const pair = await unitOfWork.write(toSignedInCaller(user, request), async (tx) => {
    const details = { ...signInDetails(request, methods), clientId: app.id, scopes, verifiedAt: user.verifiedAt, ownProof: asksProof };
    const opened = await openAppSession(tx.prisma, user, sign, details);
    if (!(await useCode(tx.prisma, shown.code, opened.session.sessionId))) throw invalidGrant(CODE_REFUSED);
    await inheritExternalSession(tx.prisma, user, opened.session.sessionId);
    tx.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId], detail: `app ${app.id}: ${scopes.join(' ')}` });
    return opened.pair;
  });
  return fromTokenPair(pair, scopes);
}

function readShownCode(app: App, { code, redirect_uri, code_verifier }: Form): ShownCode {
  for (const [name, value] of Object.entries({ code, redirect_uri, code_verifier }))
    if (!value) throw new OAuthFailure(400, 'invalid_request', `Missing parameter: \`${name}\``);
  return { code: code ?? '', clientId: app.id, redirectUri: redirect_uri ?? '', verifier: code_verifier ?? '' };
}

async function refresh(deps: AppGrantDeps, { app, form }: { app: App; form: Form }, request: FastifyRequest): Promise<object> {
  const token = form.refresh_token;
  if (!token) throw new OAuthFailure(400, 'invalid_request', 'Missing parameter: `refresh_token`');
  const use = { clientId: app.id, sign: await deps.tokens.userSigner(), address: request.ip, userAgent: readUserAgent(request) };
  const outcome = await deps.db.$transaction((tx) => refreshSession(tx, deps.keyring, token, use));
  if (outcome.kind === 'renewed') return fromTokenPair(outcome.pair, outcome.session.scopes);
  if (outcome.kind === 'reused')
    await endMisusedSession(deps, { session: outcome.session, detail: 'a refresh token was used twice' }, request);
  throw invalidGrant(TOKEN_REFUSED);
}

const fromTokenPair = ({ accessToken, refreshToken }: TokenPair, scopes: readonly string[]) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: USER_TOKEN_SECONDS,
  refresh_token: refreshToken,
  scope: scopes.join(' '),
});

/** Ends the session of a token of an app (RFC 7009); nothing happens for the token of another. */
export async function revokeForApp(
  deps: AppGrantDeps,
  { app, token }: { app: App; token: string },
  request: FastifyRequest,
): Promise<void> {
  const session = await findSignedIn(deps, app, token);
  if (!session) return;
  await deps.unitOfWork.write(toSignedInCaller(session, request), async (tx) => {
    await revokeSession(tx.prisma, session, 'logout');
    tx.journal.audits.push({ action: 'sign_out', resource: 'user', ids: [session.userId], detail: `app ${app.id}` });
  });
  deps.authenticator.revoke(session.sessionId);
}

async function findSignedIn({ db, tokens, authenticator }: AppGrantDeps, app: App, token: string): Promise<SignedIn | null> {
  const byRefreshToken = await sessionOfApp(db, app.id, token);
  if (byRefreshToken) return byRefreshToken;
  const claims = await tokens.verify(token);
  const principal = claims && (await authenticator.findPrincipal(claims));
  if (principal?.kind !== 'user' || !(await isSessionOfApp(db, app.id, principal))) return null;
  return sessionUser(inPractice(db, principal.organizationId), principal.sessionId);
}
