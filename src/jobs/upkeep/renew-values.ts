import { before, databaseTime } from '../../database/clock.ts';
import type { Db } from '../../database/database.ts';
import { decryptIn, type EncryptedColumn, encryptIn, nameOfColumn } from '../../database/encryption/encrypted-columns.ts';
import { replaceValues, type StoredValue } from '../../database/encryption/encrypted-values.sql.ts';
import { type Keyring, KeyringError } from '../../database/encryption/keyring.ts';
import type { Caller } from '../../domain/caller.ts';

/** A column with a hash of the decrypted value under the same master key, which is renewed with the value. */
export interface HashOfValue {
  column: string;
  hash: (keyring: Keyring, value: string) => Uint8Array;
}

export interface Renewal {
  renewed: number;
  /** Values that others changed in between, which are kept. */
  changed: number;
  /** Values that cannot be decrypted: altered, moved, or encrypted with a key that is gone. They are left as they are. */
  unreadable: number;
}

/**
 * Encrypts values with the current master key, and renews their hashes, where the value is still the one that was read. This is
 * no change of the record: there is no event, and `updated_at` stays; an audit row of each caller says how many values there were.
 */
export async function renewValues(
  db: Db,
  keyring: Keyring,
  callers: readonly Caller[],
  { column, hash, old }: { column: EncryptedColumn; hash?: HashOfValue | undefined; old: readonly StoredValue[] },
): Promise<Renewal> {
  const renewed = old.flatMap(({ value: before, ...of }) => {
    const opened = tryDecrypt(() => decryptIn(keyring, column, of, before));
    if (opened === null) return [];
    const hex = hash === undefined ? null : Buffer.from(hash.hash(keyring, opened)).toString('hex');
    return [{ row: of.row, before, value: encryptIn(keyring, column, of, opened), hash: hex }];
  });
  const [first] = old;
  const written = first ? await replaceValues(db, column, first.organizationId, renewed, hash?.column) : 0;
  if (written > 0) for (const caller of callers) recordRenewal(caller, nameOfColumn(column), written, keyring);
  return { renewed: written, changed: renewed.length - written, unreadable: old.length - renewed.length };
}

/**
 * Deletes the successors of refresh tokens that are kept for concurrent refreshes of one device, after a minute: they need no
 * new key.
 * @returns how many
 */
export async function forgetOldSuccessors(db: Db, { currentId }: Keyring, organizationId: number): Promise<number> {
  const minuteAgo = before(await databaseTime(db), 60_000);
  return db.$executeRaw`
    UPDATE refresh_token SET successor = NULL
     WHERE organization_id = ${organizationId} AND split_part(successor, '.', 1) <> ${currentId}
       AND used_at < ${minuteAgo}::timestamptz`;
}

function recordRenewal({ journal }: Caller, column: string, values: number, { currentId }: Keyring): void {
  journal.audits.push({
    action: 'administer',
    resource: 'master_key',
    ids: [],
    detail: `${values} of ${column} renewed under ${currentId}`,
  });
}

/** Null where no master key decrypts the value. */
function tryDecrypt(decrypted: () => string): string | null {
  try {
    return decrypted();
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}
