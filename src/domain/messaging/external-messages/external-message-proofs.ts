import { timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../../../database/encryption/keyring.ts';

/** Key of the message that a proof opens, or of a link of something else. */
export interface MessageKey {
  organizationId: number;
  id: number | string;
}

const PURPOSE = 'external-message-proof';

/** Seconds for which a correct code keeps the message open in the browser where it was entered. */
export const PROOF_SECONDS = 30 * 60;

/** Creates the evidence of a correct code: `keyId.end.mac`, which needs no escaping. It is not stored. */
export function createProof(keyring: Keyring, key: MessageKey, now: Date): string {
  const end = Math.floor(now.getTime() / 1_000) + PROOF_SECONDS;
  return `${keyring.currentId}.${end}.${signProof(keyring, key, end, keyring.currentId).toString('base64url')}`;
}

/** Whether a proof was issued by this server for this message and has not expired. */
export function isValidProof(keyring: Keyring, key: MessageKey, proof: string | undefined, now: Date): boolean {
  const [, keyId = '', end = '', written = ''] = /^([A-Za-z0-9_-]{1,32})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(proof ?? '') ?? [];
  if (!keyring.ids.includes(keyId) || now.getTime() >= Number(end) * 1_000) return false;
  return timingSafeEqual(signProof(keyring, key, Number(end), keyId), Buffer.from(written, 'base64url'));
}

const signProof = (keyring: Keyring, { organizationId, id }: MessageKey, end: number, keyId: string): Buffer =>
  keyring.mac(PURPOSE, `${organizationId}/${id}/${end}`, keyId);
