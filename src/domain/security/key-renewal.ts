import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';
import { PUSH_KEY_PURPOSE } from '../../gateways/push-keys.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Caller } from '../caller.ts';
import { SIGNING_KEY_PURPOSE } from '../identity/signing-keys.ts';
import { SEALED_PLACEHOLDERS_PURPOSE } from '../messaging/templates/sealed-placeholders.ts';
import { SUBSCRIPTION_PURPOSE } from '../monitoring/push-subscriptions.ts';
import { SSN_PURPOSE, ssnHash } from '../patients/ssn.ts';

/** A column of an organization's rows with encrypted values; a hash made under the same master key goes with its value. */
export interface EncryptedColumn {
  table: string;
  column: string;
  purpose: string;
  hash?: 'ssn_hash';
}

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'patient', column: 'ssn_encrypted', purpose: SSN_PURPOSE, hash: 'ssn_hash' },
  { table: 'patient', column: 'guarantor_ssn_encrypted', purpose: SSN_PURPOSE },
  { table: 'sms_message', column: 'sealed', purpose: SEALED_PLACEHOLDERS_PURPOSE },
  { table: 'mail_message', column: 'sealed', purpose: SEALED_PLACEHOLDERS_PURPOSE },
  { table: 'push_subscription', column: 'subscription', purpose: SUBSCRIPTION_PURPOSE },
];

export const nameOfColumn = ({ table, column }: EncryptedColumn): string => `${table}.${column}`;

/** What came of renewing values. */
export interface Renewal {
  renewed: number;
  /** Others changed them in between: these stand as they were written. */
  changed: number;
  /** They do not open: altered, or made with a key that is gone. Left as they are. */
  unreadable: number;
}

/** A value that an old master key made. */
export interface OldValue {
  id: number;
  value: string;
}

/** Of one organization the next values, by the id of their rows, that another key than the current one made. */
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
 * Writes values anew under the current master key, and the hashes that belong to them, where the value is still the one
 * that was read. It is no change of the record: no event, and `updated_at` stays; the audit says how many there were.
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
    const opened = open(keyring, purpose, value);
    if (opened === null) return [];
    const hex = hash === undefined ? null : Buffer.from(ssnHash(keyring, opened)).toString('hex');
    return [{ id, before: value, value: keyring.encrypt(purpose, opened), hash: hex }];
  });
  const [table, name] = [Prisma.raw(sealed.table), Prisma.raw(sealed.column)];
  const hashed = hash === undefined ? Prisma.empty : Prisma.sql`, ${Prisma.raw(hash)} = decode(renewed.hash, 'hex')`;
  const written = await db.$executeRaw`
    UPDATE ${table} t SET ${name} = renewed.value${hashed}
      FROM jsonb_to_recordset(${JSON.stringify(renewed)}::jsonb) AS renewed (id int, before text, value text, hash text)
     WHERE t.organization_id = ${caller.organizationId} AND t.id = renewed.id AND t.${name} = renewed.before`;
  if (written > 0) noteRenewal(caller, nameOfColumn(sealed), written, keyring);
  return { renewed: written, changed: renewed.length - written, unreadable: old.length - renewed.length };
}

/** As renewValues, for the keys that sign access tokens: they are few, and belong to no organization. */
export async function renewSigningKeys(db: Db, keyring: Keyring, callers: readonly Caller[]): Promise<Renewal> {
  const result: Renewal = { renewed: 0, changed: 0, unreadable: 0 };
  for (const { id, privatePem } of await db.signingKey.findMany({ orderBy: { createdAt: 'asc' } })) {
    if (privatePem.startsWith(`${keyring.currentId}.`)) continue;
    const opened = open(keyring, SIGNING_KEY_PURPOSE, privatePem);
    if (opened === null) result.unreadable += 1;
    else {
      const data = { privatePem: keyring.encrypt(SIGNING_KEY_PURPOSE, opened) };
      const { count } = await db.signingKey.updateMany({ where: { id, privatePem }, data });
      result.renewed += count;
      result.changed += 1 - count;
    }
  }
  if (result.renewed > 0) for (const caller of callers) noteRenewal(caller, 'signing_key.private_pem', result.renewed, keyring);
  return result;
}

/** As renewSigningKeys, for the one key by which push services know this server. */
export async function renewPushKey(db: Db, keyring: Keyring, callers: readonly Caller[]): Promise<Renewal> {
  const result: Renewal = { renewed: 0, changed: 0, unreadable: 0 };
  const kept = await db.pushKey.findUnique({ where: { id: 1 } });
  if (!kept || kept.privateKey.startsWith(`${keyring.currentId}.`)) return result;
  const opened = open(keyring, PUSH_KEY_PURPOSE, kept.privateKey);
  if (opened === null) return { ...result, unreadable: 1 };
  const data = { privateKey: keyring.encrypt(PUSH_KEY_PURPOSE, opened) };
  const { count } = await db.pushKey.updateMany({ where: { id: 1, privateKey: kept.privateKey }, data });
  if (count > 0) for (const caller of callers) noteRenewal(caller, 'push_key.private_key', count, keyring);
  return { ...result, renewed: count, changed: 1 - count };
}

/**
 * Forgets the answers kept for devices that raced themselves, once no race is so long: they need no new key.
 * @returns how many
 */
export function forgetOldSuccessors(db: Db, { currentId }: Keyring, organizationId: number): Promise<number> {
  return db.$executeRaw`
    UPDATE refresh_token SET successor = NULL
     WHERE organization_id = ${organizationId} AND split_part(successor, '.', 1) <> ${currentId}
       AND used_at < clock_timestamp() - interval '1 minute'`;
}

function noteRenewal({ journal }: Caller, what: string, values: number, { currentId }: Keyring): void {
  journal.audits.push({ action: 'administer', resource: 'master_key', ids: [], detail: `${values} of ${what} renewed under ${currentId}` });
}

function open(keyring: Keyring, purpose: string, value: string): string | null {
  try {
    return keyring.decrypt(purpose, value);
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}
