import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { MasterKey } from '../../src/config/master-keys.ts';

/** A value as it was encrypted before values had a place: `id.iv.ciphertext.tag`. */
export function unplaced({ id, key }: MasterKey, purpose: string, plaintext: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(hkdfSync('sha256', key, '', `triptych/${purpose}`, 32)), iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return [id, ...[iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
}
