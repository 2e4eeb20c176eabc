import { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../database.ts';
import type { EncryptedColumn } from './encrypted-columns.ts';
import type { Keyring } from './keyring.ts';

/** A stored value, with the name of its row as text. */
export interface StoredValue {
  organizationId: number | null;
  row: string;
  value: string;
}

/** Which values of a column are read: those of one practice, or of the server. */
export interface ValueRange {
  organizationId: number | null;
  /** The row after which to begin; null for the first. */
  after: string | null;
  most: number;
}

/** The next values of a column, in the order of their rows, that are not encrypted with the current key. */
export function readOldValues(
  db: Db,
  { currentId }: Pick<Keyring, 'currentId'>,
  column: EncryptedColumn,
  { organizationId, after, most }: ValueRange,
): Promise<StoredValue[]> {
  const [table, row, value, type] = [column.table, column.row, column.column, column.rowType].map((name) => Prisma.raw(name));
  return db.$queryRaw<StoredValue[]>`
    SELECT ${organizationId}::int AS "organizationId", (${row})::text AS row, ${value} AS value
      FROM ${table}, LATERAL (SELECT ${value} AS value) AS stored
     WHERE ${ofOwner(column, organizationId)} AND (${after}::text IS NULL OR ${row} > ${after}::${type})
       AND stored.value IS NOT NULL AND split_part(stored.value, '.', 1) <> ${currentId}
     ORDER BY ${row} LIMIT ${most}`;
}

/** A value that replaces another, and optionally the hash of its content, in hexadecimal. */
export interface ReplacedValue {
  row: string;
  before: string;
  value: string;
  hash: string | null;
}

/**
 * Replaces values where they are still the ones that were read. `updated_at` stays: this is no change of the record.
 * @param hashColumn gets the hashes
 * @returns how many were replaced
 */
export function replaceValues(
  db: Db,
  column: EncryptedColumn,
  organizationId: number | null,
  values: readonly ReplacedValue[],
  hashColumn: string | null = null,
): Promise<number> {
  const [table, row, name, type] = [column.table, column.row, column.column, column.rowType].map((one) => Prisma.raw(one));
  const hashed = hashColumn === null ? Prisma.empty : Prisma.sql`, ${Prisma.raw(hashColumn)} = decode(replaced.hash, 'hex')`;
  return db.$executeRaw`
    UPDATE ${table} SET ${name} = replaced.value${hashed}
      FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS replaced ("row" text, before text, value text, hash text)
     WHERE ${ofOwner(column, organizationId)} AND ${row} = replaced."row"::${type} AND ${table}.${name} = replaced.before`;
}

const ofOwner = ({ ofPractices }: EncryptedColumn, organizationId: number | null): Prisma.Sql =>
  ofPractices ? Prisma.sql`organization_id = ${organizationId}::int` : Prisma.sql`${organizationId}::int IS NULL`;
