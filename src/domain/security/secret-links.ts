import { randomBytes } from 'node:crypto';
import { hashToken } from '../identity/secrets.ts';

/** What makes an address open something: its last part, and what of that is kept. */
export interface SecretLink {
  /** 32 characters that need no escaping. */
  token: string;
  hash: Uint8Array<ArrayBuffer>;
}

/** Whose it is, and by what it is found. */
export interface LinkKey {
  organizationId: number;
  hash: Uint8Array<ArrayBuffer>;
}

const OWNER_BYTES = 4;
/** 160 bits: nobody guesses one. */
const RANDOM_BYTES = 20;

/** The organization's id stands in front, so that a link is found as every row is, by organization and key. */
export function makeLink(organizationId: number): SecretLink {
  const bytes = Buffer.alloc(OWNER_BYTES + RANDOM_BYTES);
  bytes.writeInt32BE(organizationId);
  randomBytes(RANDOM_BYTES).copy(bytes, OWNER_BYTES);
  const token = bytes.toString('base64url');
  return { token, hash: hashToken(token) };
}

/** Null for what this server never made. */
export function readLink(token: string): LinkKey | null {
  if (!/^[A-Za-z0-9_-]{32}$/.test(token)) return null;
  const organizationId = Buffer.from(token, 'base64url').readInt32BE();
  return organizationId > 0 ? { organizationId, hash: hashToken(token) } : null;
}
