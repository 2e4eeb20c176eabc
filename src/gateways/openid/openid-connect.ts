import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardedRequests } from '../requests/guarded-requests.ts';
import { discover, rememberProviders, withKeys } from './openid-discovery.ts';
import {
  type ExternalLogout,
  type ExternalSignIn,
  FRESH_PROOF_SECONDS,
  finish,
  type ProviderSettings,
  ProviderUnreachable,
  type SignInBinding,
  verifyLogoutToken,
} from './openid-verification.ts';

export {
  type ExternalLogout,
  type ExternalSignIn,
  ProviderRefusal,
  type ProviderSettings,
  ProviderUnreachable,
  type SignInBinding,
} from './openid-verification.ts';

/** Milliseconds for all requests of one step together: the browser has its response within 5 s. */
const STEP_MS = 4_000;
/** A key id that is unknown makes the keys of a provider be read again, at most once in so many milliseconds. */
const KEYS_COOLDOWN_MS = 10_000;

export interface ProviderReport {
  issuer: string;
  authorizationEndpoint: string;
  keys: number;
  endsSessions: boolean;
}

/** Sign-in with the identity providers of practices. All throw ProviderUnreachable where metadata or keys cannot be read. */
export interface OpenIdConnect {
  /** The address to which a browser goes to sign in. */
  authorizationUrl(provider: ProviderSettings, binding: SignInBinding, loginHint?: string): Promise<string>;
  /**
   * Verifies the response with which a browser came back.
   * @param callback the whole address
   * @param wanted names of the claims that matter
   * @throws ProviderRefusal
   */
  finishSignIn(provider: ProviderSettings, callback: URL, binding: SignInBinding, wanted: readonly string[]): Promise<ExternalSignIn>;
  /** The address at which the user signs out of the provider; null where it has none. */
  logoutUrl(provider: ProviderSettings, idToken: string | null, returnTo: string): Promise<string | null>;
  /** @throws ProviderRefusal for anything but a fresh logout token of the provider for this client */
  readLogoutToken(provider: ProviderSettings, token: string): Promise<ExternalLogout>;
  /** Reads metadata and keys anew. */
  check(provider: ProviderSettings): Promise<ProviderReport>;
}

/** @param requests to addresses that somebody gave us, which the address of a provider and all in its metadata are */
export function createOpenIdConnect(requests: GuardedRequests, { keysCooldownMs = KEYS_COOLDOWN_MS } = {}): OpenIdConnect {
  const find = rememberProviders((provider) => discover(provider, requests, keysCooldownMs));

  return {
    async authorizationUrl(provider, { redirectUri, state, nonce, verifier, proveAgain }, loginHint) {
      const [{ config }, client] = await Promise.all([inTime(find(provider)), import('openid-client')]);
      return client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: provider.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(proveAgain ? { prompt: 'login', max_age: String(FRESH_PROOF_SECONDS) } : {}),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      }).href;
    },

    async finishSignIn(provider, callback, binding, wanted) {
      return inTime(find(provider).then((found) => finish(found, callback, binding, wanted)));
    },

    async logoutUrl(provider, idToken, returnTo) {
      const [{ config }, client] = await Promise.all([inTime(find(provider)), import('openid-client')]);
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const hint = idToken === null ? {} : { id_token_hint: idToken };
      return client.buildEndSessionUrl(config, { ...hint, post_logout_redirect_uri: returnTo }).href;
    },

    async readLogoutToken(provider, token) {
      return inTime(find(provider).then((found) => verifyLogoutToken(found, token)));
    },

    async check(provider) {
      const { config, keys } = await inTime(discover(provider, requests, keysCooldownMs).then(withKeys));
      const { issuer, authorization_endpoint: authorizationEndpoint = '', end_session_endpoint: end } = config.serverMetadata();
      return { issuer, authorizationEndpoint, keys: keys.jwks()?.keys.length ?? 0, endsSessions: end !== undefined };
    },
  };
}

/** @throws ProviderUnreachable after STEP_MS */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const failLate = async (): Promise<never> => {
    await sleep(STEP_MS, undefined, { signal: stop.signal });
    throw new ProviderUnreachable('The provider did not answer in time.');
  };
  try {
    return await Promise.race([work, failLate()]);
  } finally {
    stop.abort();
  }
}
