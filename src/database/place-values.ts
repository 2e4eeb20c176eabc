import { Prisma } from '../generated/prisma/client.ts';
import { type Db, openDatabase } from './database.ts';
import { ENCRYPTED_COLUMNS, type EncryptedColumn, encryptIn, nameOfColumn } from './encrypted-columns.ts';
import { readValues, replaceValues, type StoredValue } from './encrypted-values.sql.ts';
import { type Keyring, KeyringError } from './keyring.ts';

/** Values a statement. */
const BATCH = 500;
/** A value without a place has four parts. */
const UNPLACED = Prisma.sql`split_part(stored.value, '.', 5) = ''`;

/**
 * Encrypts values from before values contained their place for the rows in which they are now: once, at the first start after the
 * migration that lists their columns. Several processes may do so at once, and one that is killed leaves the rest to the next. From
 * then on the former form is refused; of a column with values that do not open, because their master key is gone, the list keeps
 * the name.
 * @param report receives a sentence for the operator
 */
export async function placeEncryptedValues(url: string, keyring: Keyring, report: (sentence: string) => void): Promise<void> {
  const database = openDatabase({ url, poolSize: 1, statementTimeout: 60_000 });
  try {
    const db = database.prisma;
    for (const { tableName, columnName } of await db.unplacedColumn.findMany()) {
      const column = ENCRYPTED_COLUMNS.find(({ table, column: name }) => table === tableName && name === columnName);
      if (!column) continue;
      const { placed, unreadable } = await placeColumn(db, keyring, column);
      report(`encrypting values for their rows: ${placed} of ${nameOfColumn(column)}`);
      if (unreadable > 0) report(`leaving ${unreadable} values of ${nameOfColumn(column)}, which no master key opens`);
      else await db.unplacedColumn.deleteMany({ where: { tableName, columnName } });
    }
  } finally {
    await database.close();
  }
}

async function placeColumn(db: Db, keyring: Keyring, column: EncryptedColumn): Promise<{ placed: number; unreadable: number }> {
  const owners = column.ofPractices ? (await db.organization.findMany({ select: { id: true } })).map(({ id }) => id) : [null];
  const sum = { placed: 0, unreadable: 0 };
  for (const organizationId of owners) {
    let after: string | null = null;
    for (;;) {
      const old: StoredValue[] = await readValues(db, column, { organizationId, after, most: BATCH }, UNPLACED);
      const last = old.at(-1);
      if (!last) break;
      after = last.row;
      const values = old.flatMap((one) => placed(keyring, column, one));
      sum.placed += await replaceValues(db, column, organizationId, values);
      sum.unreadable += old.length - values.length;
    }
  }
  return sum;
}

function placed(keyring: Keyring, column: EncryptedColumn, { value: before, ...of }: StoredValue) {
  try {
    const value = encryptIn(keyring, column, of, keyring.decryptUnplaced(column.purpose, before));
    return [{ row: of.row, before, value, hash: null }];
  } catch (error) {
    if (error instanceof KeyringError) return [];
    throw error;
  }
}
