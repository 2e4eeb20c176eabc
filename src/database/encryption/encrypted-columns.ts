import { type Cell, type Keyring, KeyringError } from './keyring.ts';

export interface EncryptedColumn {
  table: string;
  column: string;
  /** Purpose of the encryption (see keyring.ts). */
  purpose: string;
  /** SQL of the row's name, unique in the practice; `id` in most tables. */
  row: string;
  /** The type of that name in SQL. */
  rowType: 'bigint' | 'uuid' | 'text';
  ofPractices: boolean;
  /** False where the values are gone after minutes, so that a new master key has nothing to renew. */
  renewed: boolean;
}

const ofPractices = { row: 'id', rowType: 'bigint', ofPractices: true, renewed: true } as const;
const ofServer = { row: 'id', ofPractices: false, renewed: true } as const;

/** Every column with encrypted values. The renewal of master keys and their counts follow from it; a test compares it with the database. */
export const ENCRYPTED = {
  ssn: { table: 'patient', column: 'ssn_encrypted', purpose: 'ssn', ...ofPractices },
  guarantorSsn: { table: 'patient', column: 'guarantor_ssn_encrypted', purpose: 'ssn', ...ofPractices },
  textSecrets: { table: 'sms_message', column: 'sealed', purpose: 'message-secrets', ...ofPractices },
  mailSecrets: { table: 'mail_message', column: 'sealed', purpose: 'message-secrets', ...ofPractices },
  pushSubscription: { table: 'push_subscription', column: 'subscription', purpose: 'push-subscription', ...ofPractices },
  webhookSecret: { table: 'webhook_secret', column: 'secret', purpose: 'webhook-secret', ...ofPractices },
  webhookSigningKey: { table: 'webhook_secret', column: 'signing_key', purpose: 'webhook-signing-key', ...ofPractices },
  providerSecret: {
    table: 'identity_provider',
    column: 'client_secret',
    purpose: 'identity-provider',
    ...ofPractices,
    row: 'organization_id',
  },
  idToken: {
    table: 'external_session',
    column: 'id_token',
    purpose: 'id-token',
    ...ofPractices,
    row: 'session_id',
    rowType: 'uuid',
  },
  authenticatorApp: { table: 'second_factor', column: 'secret', purpose: 'authenticator-app', ...ofPractices },
  refreshSuccessor: {
    table: 'refresh_token',
    column: 'successor',
    purpose: 'refresh-successor',
    row: "encode(hash, 'hex')",
    rowType: 'text',
    ofPractices: true,
    renewed: false,
  },
  // Kept by the simulated carrier and mailer, which know no practices.
  arrivedText: { table: 'carrier_text', column: 'body', purpose: 'message-secrets', ...ofServer, row: 'reference', rowType: 'text' },
  arrivedMail: { table: 'local_mail', column: 'body', purpose: 'message-secrets', ...ofServer, row: 'reference', rowType: 'text' },
  signingKey: { table: 'signing_key', column: 'private_pem', purpose: 'signing-key', rowType: 'text', ...ofServer },
  pushKey: { table: 'push_key', column: 'private_key', purpose: 'push-key', rowType: 'bigint', ...ofServer },
} as const satisfies Record<string, EncryptedColumn>;

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = Object.values(ENCRYPTED);

export const nameOfColumn = ({ table, column }: Pick<EncryptedColumn, 'table' | 'column'>): string => `${table}.${column}`;

/** The row of a value: its practice, null for rows of the server, and its name in the column's table. */
export type RowOfValue = Pick<Cell, 'organizationId' | 'row'>;

const toCell = ({ table, column }: EncryptedColumn, { organizationId, row }: RowOfValue): Cell => ({
  table,
  column,
  organizationId,
  row,
});

export const encryptIn = (keyring: Keyring, column: EncryptedColumn, of: RowOfValue, plaintext: string): string =>
  keyring.encrypt(column.purpose, plaintext, toCell(column, of));

/** @throws KeyringError where the value was altered, is of another row, column or practice, or its master key is gone */
export const decryptIn = (keyring: Keyring, column: EncryptedColumn, of: RowOfValue, value: string): string =>
  keyring.decrypt(column.purpose, value, toCell(column, of));

export function opensIn(keyring: Keyring, column: EncryptedColumn, of: RowOfValue, value: string): boolean {
  try {
    decryptIn(keyring, column, of, value);
    return true;
  } catch (error) {
    if (error instanceof KeyringError) return false;
    throw error;
  }
}
