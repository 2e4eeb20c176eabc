import { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../database.ts';
import { overAllPractices } from '../statements/all-practices.ts';
import { ENCRYPTED_COLUMNS } from './encrypted-columns.ts';

/** The number of values in one column that one master key encrypted or sealed. */
export interface MasterKeyUse {
  keyId: string;
  table: string;
  column: string;
  rows: number;
}

/** Every column whose values name their master key: encrypted values (see keyring.ts), or its id alone. */
const COLUMNS: readonly { table: string; column: string }[] = [
  ...['audit_link', 'audit_head', 'audit_roll', 'audit_checkpoint'].map((table) => ({
    table,
    column: 'key_id',
  })),
  ...ENCRYPTED_COLUMNS,
];

export async function countMasterKeyUses(db: Db): Promise<MasterKeyUse[]> {
  const counts = COLUMNS.map(
    ({ table, column }) => Prisma.sql`
      SELECT split_part(${Prisma.raw(column)}, '.', 1) AS "keyId", ${table}::text AS "table", ${column}::text AS "column", count(*)::int AS rows
        FROM ${Prisma.raw(table)} WHERE ${Prisma.raw(column)} IS NOT NULL GROUP BY 1`,
  );
  return db.$queryRaw<
    MasterKeyUse[]
  >`${Prisma.join(counts, ' UNION ALL ')} ORDER BY 1, 2, 3 ${overAllPractices('the keys of all values are counted')}`;
}

/**
 * The reason to keep a master key that is no longer current: `values`: to decrypt values, which can be renewed under the
 * current key; `audit`: only to verify seals of the audit, which cannot be renewed; `nothing`: it can be removed.
 */
export type RetiredKeyNeed = 'values' | 'audit' | 'nothing';

export function retiredKeyNeed(keyId: string, uses: readonly MasterKeyUse[]): RetiredKeyNeed {
  const its = uses.filter((use) => use.keyId === keyId);
  if (its.some(({ table }) => table !== 'audit_link')) return 'values';
  return its.length > 0 ? 'audit' : 'nothing';
}
