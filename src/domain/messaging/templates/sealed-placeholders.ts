import { z } from 'zod';
import { decryptIn, ENCRYPTED, encryptIn } from '../../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { RowKey } from '../../values/row-key.ts';

/** Placeholder values that are never stored in plain text: the address of a page, a one-time code. */
export interface SecretPlaceholders {
  url?: string;
  code?: string;
}

/** The columns that hold the sealed values of texts and of mails. */
const COLUMNS = { text: ENCRYPTED.textSecrets, mail: ENCRYPTED.mailSecrets };

/** Encrypts the placeholder values of a message for its row, once that has an id. */
export type PlaceholderSealer = (kind: keyof typeof COLUMNS, message: RowKey) => string;

const secrets = z.object({ url: z.string().optional(), code: z.string().optional() });

/** Seals the values of `{{url}}` and `{{code}}` for the `sealed` column of a text or mail. */
export const sealPlaceholders =
  (keyring: Keyring, values: SecretPlaceholders): PlaceholderSealer =>
  (kind, { organizationId, id }) =>
    encryptIn(keyring, COLUMNS[kind], { organizationId, row: id }, JSON.stringify(values));

/**
 * The body as it is sent, with the sealed placeholders filled in. The sealed values are deleted after sending; of a
 * link only its hash stays.
 * @throws KeyringError where the sealed value cannot be decrypted
 */
export function fillSealedPlaceholders(
  keyring: Keyring,
  kind: keyof typeof COLUMNS,
  { organizationId, id, body, sealed }: RowKey & { body: string; sealed: string | null },
): string {
  if (sealed === null) return body;
  const { url, code } = secrets.parse(JSON.parse(decryptIn(keyring, COLUMNS[kind], { organizationId, row: id }, sealed)));
  return body.replaceAll('{{url}}', () => url ?? '').replaceAll('{{code}}', () => code ?? '');
}
