import { createHash } from 'node:crypto';
import type { GuardedRequests } from '../requests/guarded-requests.ts';
import { describeError, type KnownProvider, type ProviderSettings, ProviderUnreachable } from './openid-verification.ts';

/** Seconds for each request to a provider. */
const TIMEOUT_SECONDS = 5;
/** Milliseconds for which the metadata of a provider is used without reading it again. */
const METADATA_MS = 10 * 60_000;
const MAX_PROVIDERS = 200;

/** Finds providers by their settings. What a process has read is used for ten minutes, and read by one request at a time. */
export function rememberProviders(discoverProvider: (provider: ProviderSettings) => Promise<KnownProvider>) {
  const known = new Map<string, Promise<KnownProvider>>();
  return async (provider: ProviderSettings): Promise<KnownProvider> => {
    const name = createHash('sha256').update(JSON.stringify(provider)).digest('base64url');
    const found = await known.get(name)?.catch(() => undefined);
    if (found && performance.now() - found.readAt < METADATA_MS) return found;
    const reading = discoverProvider(provider);
    known.delete(name);
    known.set(name, reading);
    reading.catch(() => known.delete(name));
    const [oldest] = known.keys();
    if (known.size > MAX_PROVIDERS && oldest !== undefined) known.delete(oldest);
    return reading;
  };
}

/** Reads the keys of a provider at once. @throws ProviderUnreachable */
export async function withKeys(provider: KnownProvider): Promise<KnownProvider> {
  await provider.keys.reload().catch((cause: unknown) => {
    throw new ProviderUnreachable('The provider does not publish its keys.', { cause });
  });
  return provider;
}

/** Reads the metadata of a provider. Its addresses are as little trusted as its own. */
export async function discover(provider: ProviderSettings, requests: GuardedRequests, cooldownDuration: number): Promise<KnownProvider> {
  const [client, jose] = await Promise.all([import('openid-client'), import('jose')]);
  const { issuer, clientId, clientSecret } = provider;
  const fetch: GuardedRequests['fetch'] = (url, init) => requests.fetch(url, init);
  const config = await client
    .discovery(new URL(issuer), clientId, clientSecret ?? undefined, chooseAuthentication(clientSecret, client), {
      [client.customFetch]: (url, { method, headers, body, signal }) => fetch(url, { method, headers, body, signal }),
      timeout: TIMEOUT_SECONDS,
      // The guard of requests has the rule for http:, which is allowed in networks of one's own.
      ...(requests.accepts(issuer) && issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}),
    })
    .catch((cause: unknown) => {
      throw new ProviderUnreachable(`The provider's metadata cannot be read: ${describeError(cause)}.`, { cause });
    });
  const metadata = config.serverMetadata();
  // Stricter than the library, which for a provider of many tenants takes the tokens of each of them.
  if (new URL(metadata.issuer).href !== new URL(issuer).href)
    throw new ProviderUnreachable(`The issuer of the provider is ${metadata.issuer}, not the one that was entered.`);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint'] as const) {
    const address = metadata[name];
    if (address === undefined && name !== 'end_session_endpoint') throw new ProviderUnreachable(`The provider's metadata lacks ${name}.`);
    if (address !== undefined && !requests.accepts(address))
      throw new ProviderUnreachable(`The provider's ${name} is not a public https address.`);
  }
  const keys = jose.createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
    [jose.customFetch]: (url, { method, headers, signal }) => fetch(url, { method, headers, signal }),
    timeoutDuration: TIMEOUT_SECONDS * 1_000,
    cooldownDuration,
    cacheMaxAge: METADATA_MS,
  });
  return { readAt: performance.now(), config, keys };
}

type Client = typeof import('openid-client');

/** Basic unless the provider lists other methods alone (OpenID Connect Discovery 1.0, section 3). */
function chooseAuthentication(secret: string | null, client: Client) {
  if (secret === null) return client.None();
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (...[as, ...rest]: Parameters<typeof basic>) =>
    (as.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true) ? basic(as, ...rest) : post(as, ...rest);
}
