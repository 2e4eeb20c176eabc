import { askForToken, keptTokens, type TokenAnswer } from './auth.ts';
import type { Auth, Connection } from './client.ts';
import { hasCode, TriptychError, toError } from './errors.ts';
import { base64url } from './private-key.ts';
import { memoryStore, type Store } from './stores.ts';

/** A person who is signed in. Without one, requests are sent without a token. */
interface Session extends Auth {
  /** Whether there are tokens; they may have been revoked since. */
  isSignedIn(): Promise<boolean>;
  /** Forgets the tokens on this device. `logout` of the mobile API, or `signOut` of an app, ends the session on the server. */
  forget(): Promise<void>;
}

interface UserSession extends Session {
  /** Keeps the tokens of `login`, `loginWithSecondFactor` or `loginWithPasskey` of the mobile API. */
  keep(tokens: TokenAnswer): Promise<void>;
}

/** A user who signs in to your own app with `login` of the mobile API; the refresh token is kept and used for 30 days. */
export function userSession({ store = memoryStore() }: { store?: Store } = {}): UserSession {
  const tokens = keptTokens(store, async (connection, kept) => {
    if (!kept?.refresh_token) return undefined;
    const body = JSON.stringify({ token: kept.refresh_token });
    const { data } = await renewal(connection, tokens.clear, async ({ url, fetch }) => {
      const response = await fetch(`${url}/refresh`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      if (!response.ok) throw await toError(response);
      return response.json();
    });
    return data;
  });
  return { ...session(tokens), keep: async (answer) => tokens.keep(answer) };
}

/** A session that has ended is forgotten; its error goes to whoever asked. */
async function renewal<T>(connection: Connection, forget: () => unknown, ask: (connection: Connection) => Promise<T>): Promise<T> {
  try {
    return await ask(connection);
  } catch (error) {
    if (error instanceof TriptychError && (error.status === 401 || hasCode(error, 'invalid_grant'))) await forget();
    throw error;
  }
}

const session = ({ token, read, clear }: ReturnType<typeof keptTokens>): Session => ({
  token,
  isSignedIn: async () => (await read()) !== null,
  forget: async () => clear(),
});

export interface AppOptions {
  url: string;
  /** Of the registered app, which has no secret. */
  clientId: string;
  redirectUri: string;
  /** `mobile` by default; `platform.read` and `platform.manage` are asked for apart. */
  scope?: string;
  store?: Store;
  /** Keeps what the sign-in began with until it returns; the page may be loaded anew in between. */
  pendingStore?: Store;
  fetch?: typeof fetch;
}

interface AppSession extends Session {
  /** Begins a sign-in. @returns the address to open in the browser */
  begin(): Promise<string>;
  /** Ends it. @param returned the whole address to which the browser came back @throws TriptychError access_denied, and others */
  finish(returned: string): Promise<void>;
  /** Ends the session on the server, and forgets it. */
  signOut(): Promise<void>;
}

/** An app to which people sign in with their browser: the authorization code flow with PKCE (RFC 7636). */
export function appSession(options: AppOptions): AppSession {
  const { clientId, redirectUri, scope = 'mobile', store = memoryStore(), pendingStore = memoryStore() } = options;
  const connection = { url: options.url.replace(/\/+$/, ''), fetch: options.fetch ?? fetch };
  const tokens = keptTokens(store, async (_, kept) => {
    if (!kept?.refresh_token) return undefined;
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: kept.refresh_token };
    return renewal(connection, tokens.clear, () => askForToken(connection, form));
  });
  return {
    ...session(tokens),
    async begin() {
      const [verifier, state] = [random(), random()];
      const challenge = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
      await pendingStore.set(JSON.stringify({ verifier, state }));
      const asked = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, state };
      return `${connection.url}/oauth2/v1/authorize?${new URLSearchParams({ ...asked, code_challenge: challenge, code_challenge_method: 'S256' })}`;
    },
    async finish(returned) {
      const given = new URL(returned).searchParams;
      const pending = JSON.parse((await pendingStore.get()) ?? 'null');
      if (!pending || given.get('state') !== pending.state)
        throw refusal('invalid_state', 'This is not the return of the sign-in that began here.');
      await pendingStore.set(null);
      const [code, error] = [given.get('code'), given.get('error')];
      if (!code) throw refusal(error ?? 'invalid_request', given.get('error_description') ?? 'The sign-in was refused.');
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code,
        code_verifier: pending.verifier,
      };
      await tokens.keep(await askForToken(connection, form));
    },
    async signOut() {
      const token = (await tokens.read())?.refresh_token;
      await tokens.clear();
      const body = new URLSearchParams({ client_id: clientId, token: token ?? '' });
      if (token) await connection.fetch(`${connection.url}/oauth2/v1/revoke`, { method: 'POST', body });
    },
  };
}

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const refusal = (code: string, message: string) =>
  new TriptychError({ status: 400, code, message, fields: [], requestId: null, retryAfter: undefined, details: {} });
