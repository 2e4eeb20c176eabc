import { decryptIn, type EncryptedColumn } from '../../database/encryption/encrypted-columns.ts';
import { type Keyring, KeyringError } from '../../database/encryption/keyring.ts';

/** The body of a message that the simulated carrier or mailer took, encrypted; null where it is not kept any more. */
interface ArrivedRow {
  reference: string;
  body: string | null;
}

/** The bodies by reference. One that does not open in its row is left out, as one that is not kept: the others stay readable. */
export function openBodies(keyring: Keyring, column: EncryptedColumn, rows: readonly ArrivedRow[]): Map<string, string> {
  const opened = new Map<string, string>();
  for (const { reference: row, body } of rows)
    try {
      if (body !== null) opened.set(row, decryptIn(keyring, column, { organizationId: null, row }, body));
    } catch (error) {
      if (!(error instanceof KeyringError)) throw error;
    }
  return opened;
}
