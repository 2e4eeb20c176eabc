import { randomBytes } from 'node:crypto';
import { hashToken } from './secrets.ts';

/** The secret of a link: the last part of its address, and the hash that is stored. */
export interface SecretLink {
  /** 32 characters that need no escaping. */
  token: string;
  hash: Uint8Array<ArrayBuffer>;
}

/** The organization of a link and the hash by which it is found. */
export interface SecretLinkKey {
  organizationId: number;
  hash: Uint8Array<ArrayBuffer>;
}

const ORGANIZATION_BYTES = 4;
/** 160 bits, beyond guessing. */
const RANDOM_BYTES = 20;

/** Creates a link. It starts with the organization's id, so that it is looked up by organization and hash. */
export function createSecretLink(organizationId: number): SecretLink {
  const bytes = Buffer.alloc(ORGANIZATION_BYTES + RANDOM_BYTES);
  bytes.writeInt32BE(organizationId);
  randomBytes(RANDOM_BYTES).copy(bytes, ORGANIZATION_BYTES);
  const token = bytes.toString('base64url');
  return { token, hash: hashToken(token) };
}

const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/** Null for a text that is no token of a link. */
export function parseSecretLink(token: string): SecretLinkKey | null {
  if (!TOKEN.test(token)) return null;
  const organizationId = Buffer.from(token, 'base64url').readInt32BE();
  return organizationId > 0 ? { organizationId, hash: hashToken(token) } : null;
}
