import type { Auth, Connection } from './client.ts';
import { toError } from './errors.ts';
import { memoryStore, type Store } from './stores.ts';

/** Tokens as they are kept. */
interface KeptTokens {
  access_token: string;
  refresh_token?: string;
  /** Milliseconds since 1970. */
  expires_at: number;
}

/** An answer of the token endpoint, or `data` of the sign-in of a user. */
export interface TokenAnswer {
  access_token: string;
  expires_in: number;
  refresh_token?: string;
}

/** Milliseconds before its end at which a token is renewed. */
const MARGIN = 30_000;

/**
 * Keeps tokens, and renews them one request at a time, also among the tabs of a browser.
 * @param renew asks for new ones; undefined where somebody must sign in again
 */
export function keptTokens(store: Store, renew: (connection: Connection, kept: KeptTokens | null) => Promise<TokenAnswer | undefined>) {
  let renewing: Promise<string | undefined> | undefined;
  const read = async (): Promise<KeptTokens | null> => JSON.parse((await store.get()) ?? 'null');
  const keep = ({ access_token, refresh_token, expires_in }: TokenAnswer) =>
    store.set(JSON.stringify({ access_token, refresh_token, expires_at: Date.now() + expires_in * 1000 }));
  const validIn = (kept: KeptTokens | null, refused: string | undefined) =>
    kept && kept.access_token !== refused && kept.expires_at - MARGIN > Date.now() ? kept.access_token : undefined;
  const renewed = async (connection: Connection, refused: string | undefined) => {
    // Another tab may have renewed them while this one waited.
    const kept = await read();
    const valid = validIn(kept, refused);
    if (valid) return valid;
    const answer = await renew(connection, kept);
    if (answer) await keep(answer);
    return answer?.access_token;
  };
  return {
    read,
    keep,
    clear: () => store.set(null),
    async token(connection: Connection, refused?: string): Promise<string | undefined> {
      const valid = validIn(await read(), refused);
      if (valid) return valid;
      renewing ??= alone(`triptych ${connection.url}`, () => renewed(connection, refused)).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}

/** Runs while no other tab of the browser does the same. */
const alone = async <T>(name: string, work: () => Promise<T>): Promise<T> =>
  globalThis.navigator?.locks ? navigator.locks.request(name, work) : work();

/** Asks the token endpoint. @throws TriptychError with its code, such as invalid_client */
export async function askForToken({ url, fetch }: Connection, form: Record<string, string | undefined>): Promise<TokenAnswer> {
  const given = Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  // Without credentials of its own, a browser asks nobody for a password when a client is refused.
  const init: RequestInit = { method: 'POST', body: new URLSearchParams(given), credentials: 'omit' };
  const response = await fetch(`${url}/oauth2/v1/token`, init);
  if (!response.ok) throw await toError(response);
  return response.json();
}

interface ClientId {
  clientId: string;
  /** Scopes with blanks between them; all that the client has by default. */
  scope?: string;
  /** Keeps the token over restarts; for as long as the program runs by default. */
  store?: Store;
}

/** A program that has a secret. */
export function clientCredentials({ clientId, clientSecret, scope, store = memoryStore() }: ClientId & { clientSecret: string }): Auth {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  return keptTokens(store, (connection) => askForToken(connection, form));
}
