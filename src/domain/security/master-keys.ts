import type { Db } from '../../database/database.ts';
import { Prisma } from '../../generated/prisma/client.ts';

/** Where a master key is still needed: values of a column that it encrypted, or links of a chain that it sealed. */
export interface MasterKeyUse {
  keyId: string;
  table: string;
  column: string;
  rows: number;
}

/** Every column whose values name their master key: `id.iv.ciphertext.tag` (see keyring.ts), or the id alone. */
const COLUMNS: readonly { table: string; column: string }[] = [
  { table: 'signing_key', column: 'private_pem' },
  { table: 'audit_link', column: 'key_id' },
  { table: 'refresh_token', column: 'successor' },
  { table: 'patient', column: 'ssn_encrypted' },
  { table: 'patient', column: 'guarantor_ssn_encrypted' },
  { table: 'sms_message', column: 'sealed' },
  { table: 'mail_message', column: 'sealed' },
  { table: 'push_subscription', column: 'subscription' },
  { table: 'push_key', column: 'private_key' },
  { table: 'webhook_endpoint', column: 'secret' },
];

/** Which master keys the stored values name, and how often. */
export async function masterKeyUse(db: Db): Promise<MasterKeyUse[]> {
  const counts = COLUMNS.map(
    ({ table, column }) => Prisma.sql`
      SELECT split_part(${Prisma.raw(column)}, '.', 1) AS "keyId", ${table}::text AS "table", ${column}::text AS "column", count(*)::int AS rows
        FROM ${Prisma.raw(table)} WHERE ${Prisma.raw(column)} IS NOT NULL GROUP BY 1`,
  );
  return db.$queryRaw<MasterKeyUse[]>`${Prisma.join(counts, ' UNION ALL ')} ORDER BY 1, 2, 3`;
}

/**
 * What a master key that makes no new values any more is still needed for: to open values, which can be renewed under the
 * current key; only to verify seals of the audit, which stay as they are, or they would prove nothing; or for nothing.
 */
export type OldKeyNeed = 'values' | 'audit' | 'nothing';

export function needOf(keyId: string, uses: readonly MasterKeyUse[]): OldKeyNeed {
  const its = uses.filter((use) => use.keyId === keyId);
  if (its.some(({ table }) => table !== 'audit_link')) return 'values';
  return its.length > 0 ? 'audit' : 'nothing';
}
