import { timingSafeEqual } from 'node:crypto';
import { type Keyring, KeyringError } from './keyring.ts';

/** Signs claims for a purpose. @returns `key.claims.mac`, in characters that need no escaping in addresses and cookies */
export function signClaims(keyring: Keyring, purpose: string, claims: object): string {
  const body = `${keyring.currentId}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${body}.${keyring.mac(purpose, body).toString('base64url')}`;
}

/** The claims that signClaims has signed for the same purpose; null for a text that is malformed or was altered. */
export function readClaims(keyring: Keyring, purpose: string, signed: string): unknown {
  const [, keyId, claims, mac] = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{1,3000})\.([A-Za-z0-9_-]{43})$/.exec(signed) ?? [];
  if (keyId === undefined || claims === undefined || mac === undefined) return null;
  const expected = tryMac(keyring, purpose, { body: `${keyId}.${claims}`, keyId });
  if (!expected || !timingSafeEqual(expected, Buffer.from(mac, 'base64url'))) return null;
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}

function tryMac(keyring: Keyring, purpose: string, { body, keyId }: { body: string; keyId: string }): Buffer | null {
  try {
    return keyring.mac(purpose, body, keyId);
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}
