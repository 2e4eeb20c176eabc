import { createHash } from 'node:crypto';
import type { JWTPayload, RemoteJWKSet } from 'jose';
import type { Configuration } from 'openid-client';
import { z } from 'zod';

/** Seconds by which the clocks of a provider and of this server may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** Seconds after which a logout token is too old. */
const LOGOUT_TOKEN_SECONDS = 300;
/** Seconds since the last proof at the provider, where the user is to prove again. */
export const FRESH_PROOF_SECONDS = 300;

/** Signatures by keys that the provider publishes. An HMAC would be by the client's secret, and `none` is no signature. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  scopes: readonly string[];
}

/** The values that bind a response of the provider to the browser that was sent there. */
export interface SignInBinding {
  redirectUri: string;
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
  /** The user must prove who they are at the provider now, even if signed in there. */
  proveAgain: boolean;
}

/** A user whom a provider has verified. */
export interface ExternalSignIn {
  /** As the provider spells it. */
  issuer: string;
  subject: string;
  /** Of the session at the provider; null where it names none. */
  sessionId: string | null;
  idToken: string;
  claims: Record<string, unknown>;
}

/** The user or the session that has ended at the provider; at least one of the two is named. */
export interface ExternalLogout {
  issuer: string;
  subject: string | null;
  sessionId: string | null;
  /** Of the token, by which it is taken once. */
  tokenId: string;
  /** When it is too old to be taken. */
  endsAt: Date;
}

/** The provider does not answer, or not as OpenID Connect. The message is for people who set it up. */
export class ProviderUnreachable extends Error {}

/** The provider refuses, or the response is not one to trust. The message has no token. */
export class ProviderRefusal extends Error {
  /** The error of the provider, such as `access_denied`; null where this server refuses the response. */
  readonly providerError: string | null;
  constructor(message: string, { cause, providerError = null }: { cause?: unknown; providerError?: string | null } = {}) {
    super(message, { cause });
    this.providerError = providerError;
  }
}

export interface KnownProvider {
  /** Milliseconds of the monotonic clock. */
  readAt: number;
  config: Configuration;
  keys: RemoteJWKSet;
}

const idTokenClaims = z.looseObject({
  sub: z.string().min(1).max(255),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  iat: z.number(),
  at_hash: z.string().optional(),
  sid: z.string().max(255).optional(),
});

/**
 * Exchanges the code of a response and verifies the ID token: state, issuer, nonce, PKCE, audience, authorized party, times, signature,
 * and the hash of the access token where there is one.
 * @param wanted names of claims; where the ID token lacks one, the provider is asked for it
 * @throws ProviderRefusal, ProviderUnreachable
 */
export async function finish(
  { config, keys }: KnownProvider,
  callback: URL,
  binding: SignInBinding,
  wanted: readonly string[],
): Promise<ExternalSignIn> {
  const tokens = await exchangeCode(config, callback, binding);
  const idToken = tokens.id_token ?? '';
  const { payload, algorithm } = await verify({ config, keys }, idToken);
  const claims = idTokenClaims.safeParse(payload).data;
  if (!claims) throw new ProviderRefusal('The ID token names no user.');
  requireForUs(claims, config.clientMetadata().client_id);
  if (claims.at_hash !== undefined && claims.at_hash !== leftHalfOfHash(tokens.access_token, algorithm))
    throw new ProviderRefusal('The access token does not belong to the ID token.');
  const more = wanted.every((name) => name in claims) ? {} : await readUserInfo(config, tokens.access_token, claims.sub);
  return {
    issuer: config.serverMetadata().issuer,
    subject: claims.sub,
    sessionId: claims.sid ?? null,
    idToken,
    claims: { ...more, ...claims },
  };
}

/** OpenID Connect Core 1.0, section 3.1.3.7: a token that was issued to another client, or is of tomorrow, is not for this server. */
function requireForUs({ aud, azp, iat }: z.output<typeof idTokenClaims>, clientId: string): void {
  const isShared = [aud].flat().length > 1;
  if (isShared ? azp !== clientId : (azp ?? clientId) !== clientId) throw new ProviderRefusal('The ID token was issued to another client.');
  if (iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS) throw new ProviderRefusal('The ID token was issued in the future.');
}

async function exchangeCode(config: Configuration, callback: URL, { state, nonce, verifier, proveAgain }: SignInBinding) {
  const client = await import('openid-client');
  return client
    .authorizationCodeGrant(config, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
      ...(proveAgain ? { maxAge: FRESH_PROOF_SECONDS } : {}),
    })
    .catch((error: unknown) => {
      if (error instanceof client.AuthorizationResponseError) throw refusalBy(error);
      if (error instanceof client.ResponseBodyError) throw refusalBy(error);
      if (isNoResponse(error)) throw new ProviderUnreachable(`The provider does not answer: ${describeError(error)}.`, { cause: error });
      throw new ProviderRefusal(`The response of the provider is not valid: ${describeError(error)}.`, { cause: error });
    });
}

/** @param error with the code of RFC 6749 */
function refusalBy(error: Error & { error: string }): ProviderRefusal {
  const providerError = error.error.replaceAll(/[^\w.-]/g, '').slice(0, 60);
  return new ProviderRefusal(`The provider refuses: ${providerError}.`, { cause: error, providerError });
}

/** Claims that a provider keeps out of its ID tokens. Most do so with groups, and some with the email. */
async function readUserInfo(config: Configuration, accessToken: string, subject: string): Promise<Record<string, unknown>> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  const client = await import('openid-client');
  try {
    return await client.fetchUserInfo(config, accessToken, subject);
  } catch (error) {
    if (isNoResponse(error)) throw new ProviderUnreachable(`The provider does not answer: ${describeError(error)}.`, { cause: error });
    throw new ProviderRefusal(`The provider returned no data about the user: ${describeError(error)}.`, { cause: error });
  }
}

const logoutClaims = z.object({
  jti: z.string().min(1),
  iat: z.number(),
  sub: z.string().max(255).optional(),
  sid: z.string().max(255).optional(),
  events: z.object({ [LOGOUT_EVENT]: z.looseObject({}) }),
  nonce: z.undefined().optional(),
});

/** OpenID Connect Back-Channel Logout 1.0, section 2.6. @throws ProviderRefusal, ProviderUnreachable */
export async function verifyLogoutToken(provider: Pick<KnownProvider, 'config' | 'keys'>, token: string): Promise<ExternalLogout> {
  const { payload } = await verify(provider, token, LOGOUT_TOKEN_SECONDS);
  const { data } = logoutClaims.safeParse(payload);
  if (!data || (data.sub === undefined && data.sid === undefined)) throw new ProviderRefusal('This is not a logout token.');
  const endsAt = new Date((data.iat + LOGOUT_TOKEN_SECONDS + CLOCK_TOLERANCE_SECONDS) * 1000);
  const { issuer } = provider.config.serverMetadata();
  return { issuer, subject: data.sub ?? null, sessionId: data.sid ?? null, tokenId: data.jti, endsAt };
}

/** @param maxAge seconds since the token was issued; without it the token has an end of its own */
async function verify(
  { config, keys }: Pick<KnownProvider, 'config' | 'keys'>,
  token: string,
  maxAge?: number,
): Promise<{ payload: JWTPayload; algorithm: string }> {
  const jose = await import('jose');
  try {
    const { payload, protectedHeader } = await jose.jwtVerify(token, keys, {
      issuer: config.serverMetadata().issuer,
      audience: config.clientMetadata().client_id,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      ...(maxAge === undefined ? { requiredClaims: ['sub', 'exp', 'iat'] } : { maxTokenAge: maxAge }),
    });
    return { payload, algorithm: protectedHeader.alg };
  } catch (error) {
    if (isNoResponse(error)) throw new ProviderUnreachable('The provider does not give out its keys.', { cause: error });
    throw new ProviderRefusal(`A token of the provider is not valid: ${describeError(error)}.`, { cause: error });
  }
}

/** Whether no response came, so that trying again later may help. */
const isNoResponse = (error: unknown): boolean => {
  const code = readErrorCode(error);
  return (
    code === undefined ||
    ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC'].includes(
      code,
    ) ||
    /^E(?!RR_)[A-Z_]+$/.test(code)
  );
};

const coded = z.object({ code: z.string() });
const readErrorCode = (error: unknown): string | undefined => coded.safeParse(error).data?.code;

/** The stable code of an error of the libraries or of the network, else its message: neither has a token. */
export function describeError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const network = readErrorCode(cause);
  return network ?? readErrorCode(error) ?? (error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown');
}

/** The at_hash of an access token (OpenID Connect Core 1.0, section 3.1.3.6). */
function leftHalfOfHash(accessToken: string, algorithm: string): string {
  const bits = /256$/.test(algorithm) ? 'sha256' : /384$/.test(algorithm) ? 'sha384' : 'sha512';
  const hash = createHash(bits).update(accessToken).digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
