import { z } from 'zod';
import type { Keyring } from '../../../database/keyring.ts';
import type { EncryptedColumn } from '../../security/key-renewal.ts';

/** Placeholder values that are never stored in plain text: the address of a page, a one-time code. */
export interface SecretPlaceholders {
  url?: string;
  code?: string;
}

/** Purpose of the encryption (see keyring.ts). */
const SEALED_PLACEHOLDERS_PURPOSE = 'message-secrets';

/** Columns whose values are encrypted again under a new master key. */
export const SEALED_MESSAGE_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'sms_message', column: 'sealed', purpose: SEALED_PLACEHOLDERS_PURPOSE },
  { table: 'mail_message', column: 'sealed', purpose: SEALED_PLACEHOLDERS_PURPOSE },
];

const secrets = z.object({ url: z.string().optional(), code: z.string().optional() });

/** Encrypts the values of `{{url}}` and `{{code}}` for the `sealed` column of a text or mail. */
export const sealPlaceholders = (keyring: Keyring, values: SecretPlaceholders): string =>
  keyring.encrypt(SEALED_PLACEHOLDERS_PURPOSE, JSON.stringify(values));

/**
 * The body as it is sent, with the sealed placeholders filled in. The sealed values are deleted after sending; of a
 * link only its hash stays.
 * @throws KeyringError where the sealed value cannot be decrypted
 */
export function fillSealedPlaceholders(keyring: Keyring, { body, sealed }: { body: string; sealed: string | null }): string {
  if (sealed === null) return body;
  const { url, code } = secrets.parse(JSON.parse(keyring.decrypt(SEALED_PLACEHOLDERS_PURPOSE, sealed)));
  return body.replaceAll('{{url}}', () => url ?? '').replaceAll('{{code}}', () => code ?? '');
}
