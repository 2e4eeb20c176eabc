import { createPublicKey } from 'node:crypto';
import type { JSONWebKeySet, JWK } from 'jose';
import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { isStrongEd25519 } from './ed25519-points.ts';

/** The algorithms of client assertions. The last two are one, by its older and its newer name (RFC 9864). */
export const ASSERTION_ALGORITHMS = ['ES256', 'ES384', 'RS384', 'PS256', 'EdDSA', 'Ed25519'] as const;
export type AssertionAlgorithm = (typeof ASSERTION_ALGORITHMS)[number];

/** Key type and curve (RFC 7518, RFC 8037) of the key of an algorithm. */
const FITTING_KEYS: Record<AssertionAlgorithm, { kty: string; crv?: string }> = {
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  RS384: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
};

const toAlgorithmName = (algorithm: string): string => (algorithm === 'Ed25519' ? 'EdDSA' : algorithm);

const MOST_KEYS = 20;
const LEAST_RSA_BITS = 2_048;
/** Members of private and symmetric keys. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Where the public keys of a client are: with us, or at an address. */
export type ClientKeys = { jwks: JSONWebKeySet; jwksUri: null } | { jwks: null; jwksUri: string };

const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,1400}$/);
const publicKey = z.object({
  kty: z.enum(['EC', 'RSA', 'OKP']),
  crv: z.string().exactOptional(),
  x: base64url.exactOptional(),
  y: base64url.exactOptional(),
  n: base64url.exactOptional(),
  e: base64url.exactOptional(),
  kid: z.string().min(1).max(255).exactOptional(),
  alg: z.string().max(20).exactOptional(),
  use: z.string().max(20).exactOptional(),
  key_ops: z.array(z.string().max(20)).max(10).exactOptional(),
});
const keySet = z.object({ keys: z.array(z.unknown()) });

/** Whether a key fits an algorithm by type, curve and length; what the key itself says of its use is checked as well. */
export function fitsAlgorithm(key: JWK, algorithm: AssertionAlgorithm): boolean {
  const { kty, crv } = FITTING_KEYS[algorithm];
  if (key.kty !== kty || (crv !== undefined && key.crv !== crv)) return false;
  if (key.use !== undefined && key.use !== 'sig') return false;
  if (key.alg !== undefined && toAlgorithmName(key.alg) !== toAlgorithmName(algorithm)) return false;
  return kty !== 'RSA' || rsaBits(key.n) >= LEAST_RSA_BITS;
}

/** The keys of a set from the web that this server can use; those for other things are left out. */
export function usableKeys(input: unknown): JWK[] {
  const listed = keySet.safeParse(input).data?.keys.slice(0, MOST_KEYS) ?? [];
  return listed.flatMap((key) => {
    const { data } = publicKey.safeParse(key);
    return data && isComplete(data) && isSound(data) ? [data] : [];
  });
}

/** Reads a JSON Web Key Set (RFC 7517) of a client's public keys. @throws Failure invalid that names the key and what is wrong with it */
export function readKeySet(input: unknown): JSONWebKeySet {
  const { data } = keySet.safeParse(input);
  if (!data || data.keys.length === 0) throw invalid('jwks', 'must be a JSON Web Key Set: {"keys": [ … ]} with at least one key');
  if (data.keys.length > MOST_KEYS) throw invalid('jwks', `must have at most ${MOST_KEYS} keys`);
  const keys = data.keys.map((key, index) => readKey(key, `key ${index + 1}`));
  const ids = keys.flatMap(({ kid }) => kid ?? []);
  if (new Set(ids).size < ids.length) throw invalid('jwks', 'has two keys with the same kid');
  if (keys.length > 1 && ids.length < keys.length) throw invalid('jwks', 'has several keys, and one has no kid');
  return { keys };
}

function readKey(input: unknown, name: string): JWK {
  if (typeof input === 'object' && input !== null && SECRET_MEMBERS.some((member) => member in input))
    throw invalid('jwks', `${name} is secret. Send only public keys, and stop using this one`, 'secret_key');
  const { data: key } = publicKey.safeParse(input);
  if (!key) throw invalid('jwks', `${name} is not a public key of type EC, RSA or OKP`);
  if (key.kty === 'RSA' && rsaBits(key.n) < LEAST_RSA_BITS) throw invalid('jwks', `${name} has fewer than ${LEAST_RSA_BITS} bits`);
  if (!ASSERTION_ALGORITHMS.some((algorithm) => fitsAlgorithm(key, algorithm)) || !isComplete(key))
    throw invalid('jwks', `${name} matches none of ${ASSERTION_ALGORITHMS.join(', ')}`);
  if (!isSound(key))
    throw invalid(
      'jwks',
      `${name} is not secure: an EC point must lie on its curve, and an RSA exponent must be odd and at least 65537`,
      'weak_key',
    );
  return key;
}

function isComplete({ kty, x, y, n, e }: JWK): boolean {
  if (kty === 'RSA') return n !== undefined && e !== undefined;
  return x !== undefined && (kty === 'OKP' || y !== undefined);
}

/** Whether a signature by a key can only come from who has the private half. Others can make it for an RSA key with e = 1, for instance. */
function isSound(key: JWK): boolean {
  if (key.kty === 'OKP') return isStrongEd25519(key.x ?? '');
  try {
    createPublicKey({ key, format: 'jwk' });
  } catch {
    return false;
  }
  if (key.kty !== 'RSA') return true;
  const exponent = toNumber(Buffer.from(key.e ?? '', 'base64url'));
  return exponent % 2n === 1n && exponent > 65_536n && exponent < 2n ** 256n && toNumber(Buffer.from(key.n ?? '', 'base64url')) % 2n === 1n;
}

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);

function rsaBits(n: string | undefined): number {
  const bytes = Buffer.from(n ?? '', 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24;
}

/**
 * The keys that a client is registered with: a set, or the address of one.
 * @param accepts whether this server sends requests to an address
 * @throws Failure invalid for both or neither, an unusable key, or an address that is not public
 */
export function readClientKeys(
  { jwks, jwksUri }: { jwks?: unknown; jwksUri?: string | null | undefined },
  accepts: (address: string) => boolean,
): ClientKeys {
  const hasSet = jwks !== undefined && jwks !== null;
  if (hasSet === Boolean(jwksUri)) throw invalid('jwks', 'must be given, or jwks_uri instead, but not both');
  if (hasSet) return { jwks: readKeySet(jwks), jwksUri: null };
  const address = jwksUri ?? '';
  if (address.length > 2_000 || !accepts(address)) throw invalid('jwksUri', 'must be an https address on the public internet');
  return { jwks: null, jwksUri: address };
}
