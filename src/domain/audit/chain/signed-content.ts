import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';

const PURPOSE = 'audit-anchor-key';
/** PKCS #8 of an Ed25519 key, up to its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const jws = z.object({ payload: z.string(), protected: z.string(), signature: z.string() });
const header = z.object({
  alg: z.literal('EdDSA'),
  kid: z.string(),
  typ: z.string().optional(),
  jwk: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() }),
});

/** A JWS in its flattened form (RFC 7515), with the public key in its header. */
export type Signed = z.output<typeof jws>;

/**
 * Signs evidence of the audit that is kept outside of the database, so that others can check it with the public key in its header. The
 * key follows from the current master key and is stored nowhere.
 * @param typ says what kind of evidence it is
 */
export function signContent(keyring: Keyring, typ: string, content: object): Signed {
  const key = signingKey(keyring, keyring.currentId);
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const head = inBase64({ alg: 'EdDSA', kid: keyring.currentId, typ, jwk });
  const payload = inBase64(content);
  return { protected: head, payload, signature: sign(null, Buffer.from(`${head}.${payload}`), key).toString('base64url') };
}

/** Signed content that holds: under one of our keys, or under the one in its own header, which is none of ours. */
interface ReadContent {
  content: unknown;
  typ: string | undefined;
  isOurs: boolean;
}

/** Checks a signature. @param text the JSON of what signContent made @returns null where it was altered */
export function readSigned(keyring: Keyring, text: string): ReadContent | null {
  try {
    const signed = jws.parse(JSON.parse(text));
    const { kid, typ, jwk } = header.parse(fromBase64(signed.protected));
    const bytes = Buffer.from(`${signed.protected}.${signed.payload}`);
    const holdsUnder = (key: KeyObject) => verify(null, bytes, key, Buffer.from(signed.signature, 'base64url'));
    const isOurs = keyring.ids.includes(kid) && holdsUnder(createPublicKey(signingKey(keyring, kid)));
    if (!isOurs && !holdsUnder(createPublicKey({ key: jwk, format: 'jwk' }))) return null;
    return { content: fromBase64(signed.payload), typ, isOurs };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || isKeyError(error)) return null;
    throw error;
  }
}

/** Of a public key in a header that is none. */
const isKeyError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ERR_CRYPTO_INVALID_JWK' || error.code === 'ERR_INVALID_ARG_VALUE');

const signingKey = (keyring: Keyring, keyId: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, keyring.mac(PURPOSE, 'ed25519', keyId)]), format: 'der', type: 'pkcs8' });

const inBase64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const fromBase64 = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
