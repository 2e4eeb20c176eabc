import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Caller } from '../caller.ts';
import { SIGNING_KEY_PURPOSE } from '../identity/signing-keys.ts';

/** A column with encrypted values in the rows of organizations. Each area exports its own. */
export interface EncryptedColumn {
  table: string;
  column: string;
  /** Purpose of the encryption (see keyring.ts). */
  purpose: string;
  /** A column with a hash of the value under the same master key, which is renewed with it. */
  hash?: { column: string; of: (keyring: Keyring, value: string) => Uint8Array };
}

export const nameOfColumn = ({ table, column }: EncryptedColumn): string => `${table}.${column}`;

/** Counts of a renewal. */
export interface Renewal {
  renewed: number;
  /** Values that others changed in between, which are kept. */
  changed: number;
  /** Values that cannot be decrypted: altered, or encrypted with a key that is gone. They are left as they are. */
  unreadable: number;
}

/** A value encrypted with an old master key. */
export interface OldValue {
  id: number;
  value: string;
}

/** The next values of one organization, by the ids of their rows, that are not encrypted with the current key. */
export function oldValues(
  db: Db,
  { currentId }: Keyring,
  organizationId: number,
  { table, column }: EncryptedColumn,
  { after, most }: { after: number; most: number },
): Promise<OldValue[]> {
  const name = Prisma.raw(column);
  return db.$queryRaw<OldValue[]>`
    SELECT id, ${name} AS value FROM ${Prisma.raw(table)}
     WHERE organization_id = ${organizationId} AND id > ${after} AND ${name} IS NOT NULL AND split_part(${name}, '.', 1) <> ${currentId}
     ORDER BY id LIMIT ${most}`;
}

/**
 * Encrypts values with the current master key, and renews their hashes, where the value is still the one that was read. This is
 * no change of the record: there is no event, and `updated_at` stays; an audit row says how many values there were.
 */
export async function renewValues(
  db: Db,
  keyring: Keyring,
  caller: Caller,
  sealed: EncryptedColumn,
  old: readonly OldValue[],
): Promise<Renewal> {
  const { purpose, hash } = sealed;
  const renewed = old.flatMap(({ id, value }) => {
    const opened = tryDecrypt(keyring, purpose, value);
    if (opened === null) return [];
    const hex = hash === undefined ? null : Buffer.from(hash.of(keyring, opened)).toString('hex');
    return [{ id, before: value, value: keyring.encrypt(purpose, opened), hash: hex }];
  });
  const [table, name] = [Prisma.raw(sealed.table), Prisma.raw(sealed.column)];
  const hashed = hash === undefined ? Prisma.empty : Prisma.sql`, ${Prisma.raw(hash.column)} = decode(renewed.hash, 'hex')`;
  const written = await db.$executeRaw`
    UPDATE ${table} t SET ${name} = renewed.value${hashed}
      FROM jsonb_to_recordset(${JSON.stringify(renewed)}::jsonb) AS renewed (id bigint, before text, value text, hash text)
     WHERE t.organization_id = ${caller.organizationId} AND t.id = renewed.id AND t.${name} = renewed.before`;
  if (written > 0) recordRenewal(caller, nameOfColumn(sealed), written, keyring);
  return { renewed: written, changed: renewed.length - written, unreadable: old.length - renewed.length };
}

/** As renewValues, for the few keys that sign access tokens, which belong to no organization. */
export async function renewSigningKeys(db: Db, keyring: Keyring, callers: readonly Caller[]): Promise<Renewal> {
  const result: Renewal = { renewed: 0, changed: 0, unreadable: 0 };
  for (const { id, privatePem } of await db.signingKey.findMany({ orderBy: { createdAt: 'asc' } })) {
    if (privatePem.startsWith(`${keyring.currentId}.`)) continue;
    const opened = tryDecrypt(keyring, SIGNING_KEY_PURPOSE, privatePem);
    if (opened === null) result.unreadable += 1;
    else {
      const data = { privatePem: keyring.encrypt(SIGNING_KEY_PURPOSE, opened) };
      const { count } = await db.signingKey.updateMany({ where: { id, privatePem }, data });
      result.renewed += count;
      result.changed += 1 - count;
    }
  }
  if (result.renewed > 0) for (const caller of callers) recordRenewal(caller, 'signing_key.private_pem', result.renewed, keyring);
  return result;
}

/**
 * Deletes the successors of refresh tokens that are kept for concurrent refreshes of one device, after a minute: they need no
 * new key.
 * @returns how many
 */
export function forgetOldSuccessors(db: Db, { currentId }: Keyring, organizationId: number): Promise<number> {
  return db.$executeRaw`
    UPDATE refresh_token SET successor = NULL
     WHERE organization_id = ${organizationId} AND split_part(successor, '.', 1) <> ${currentId}
       AND used_at < clock_timestamp() - interval '1 minute'`;
}

/** Adds the audit row of a renewal to the caller's journal. */
export function recordRenewal({ journal }: Caller, column: string, values: number, { currentId }: Keyring): void {
  journal.audits.push({
    action: 'administer',
    resource: 'master_key',
    ids: [],
    detail: `${values} of ${column} renewed under ${currentId}`,
  });
}

/** Decrypts a value; null where no master key does. */
export function tryDecrypt(keyring: Keyring, purpose: string, value: string): string | null {
  try {
    return keyring.decrypt(purpose, value);
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}
