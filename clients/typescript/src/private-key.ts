import { askForToken, keptTokens } from './auth.ts';
import type { Auth } from './client.ts';
import { memoryStore, type Store } from './stores.ts';

/** Names of WebCrypto for the algorithms that the server takes. */
const ALGORITHMS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 },
  EdDSA: { name: 'Ed25519' },
} as const;

export interface PrivateKeyOptions {
  clientId: string;
  /** The private key, whose public half the client was registered with. */
  key: JsonWebKey & { kid?: string };
  /** By default `alg` of the key, else what fits its type: ES256, ES384, EdDSA or PS256. */
  alg?: keyof typeof ALGORITHMS;
  scope?: string;
  /** The name that the server gives itself, where that is not the address at which it is reached. */
  audience?: string;
  store?: Store;
}

/** A program that signs in with its private key (private_key_jwt, RFC 7523), so that it shares no secret with the server. */
export function privateKeyJwt({ clientId, key, alg = toAlgorithm(key), scope, audience, store = memoryStore() }: PrivateKeyOptions): Auth {
  const algorithm = ALGORITHMS[alg];
  // WebCrypto refuses a key whose members narrow its use.
  const { alg: _alg, use: _use, key_ops: _ops, ...plain } = key;
  let imported: Promise<CryptoKey> | undefined;
  return keptTokens(store, async (connection) => {
    imported ??= crypto.subtle.importKey('jwk', plain, algorithm, false, ['sign']);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: clientId, sub: clientId, aud: audience ?? connection.url, jti: crypto.randomUUID(), iat: now, exp: now + 60 };
    const signed = `${jsonPart({ alg, typ: 'JWT', kid: key.kid })}.${jsonPart(claims)}`;
    const signature = await crypto.subtle.sign(algorithm, await imported, new TextEncoder().encode(signed));
    return askForToken(connection, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${signed}.${base64url(new Uint8Array(signature))}`,
      scope,
    });
  });
}

function toAlgorithm({ alg, kty, crv }: JsonWebKey): keyof typeof ALGORITHMS {
  const fitting =
    alg === 'Ed25519' || crv === 'Ed25519' ? 'EdDSA' : (alg ?? (kty === 'RSA' ? 'PS256' : crv === 'P-384' ? 'ES384' : 'ES256'));
  if (fitting === 'ES256' || fitting === 'ES384' || fitting === 'RS384' || fitting === 'PS256' || fitting === 'EdDSA') return fitting;
  throw new TypeError(`alg must be one of ${Object.keys(ALGORITHMS).join(', ')}`);
}

const jsonPart = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)));

export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
