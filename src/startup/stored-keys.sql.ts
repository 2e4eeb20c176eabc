import { ENCRYPTED, ENCRYPTED_COLUMNS, type EncryptedColumn } from '../database/encryption/encrypted-columns.ts';
import { type Statement, statement } from '../database/statements/statement.ts';

/** A stored value and the id of its master key. */
interface SampleRow {
  keyId: string;
  organizationId: number | null;
  row: string;
  value: string;
}

const BECAUSE = 'a start tries every master key';

/** Values of each key that are looked at: one alone could be damaged. */
const SAMPLES = 3;

/** Bodies that the simulated carrier and mailer keep for 30 days: no start depends on them. */
const ARRIVED: readonly EncryptedColumn[] = [ENCRYPTED.arrivedText, ENCRYPTED.arrivedMail];

/** The statements that read some values of every master key from a column, from one key to the next by the index on its keys. */
interface Sampling {
  /** Value: a key, or an empty text. The key after it, in the order of their bytes. */
  next: Statement<{ keyId: string }>;
  /** Value: a key. */
  samples: Statement<SampleRow>;
}

/** The columns whose values stay, and for each the statements that read some of its values of every master key, without values. */
export const SAMPLES_OF: ReadonlyMap<EncryptedColumn, Sampling> = new Map(
  ENCRYPTED_COLUMNS.filter((column) => column.renewed && !ARRIVED.includes(column)).map((column) => [column, samplesOf(column)]),
);

/**
 * It takes as long as there are keys. One key after the other, since rows on several nodes have no statement for all. The column's names
 * are constants.
 */
function samplesOf({ table, column, row, ofPractices }: EncryptedColumn): Sampling {
  const key = `split_part(${column}, '.', 1)`;
  return {
    next: statement(
      `key_after_in_${table}_${column}`,
      `SELECT ${key} AS "keyId" FROM ${table} WHERE ${column} IS NOT NULL AND ${key} > $1::text ORDER BY ${key} LIMIT 1`,
      { overAllPractices: BECAUSE },
    ),
    samples: statement(
      `samples_of_${table}_${column}`,
      `SELECT ${key} AS "keyId", ${ofPractices ? 'organization_id' : 'NULL::int'} AS "organizationId", (${row})::text AS row, ${column} AS value
         FROM ${table} WHERE ${column} IS NOT NULL AND ${key} = $1::text LIMIT ${SAMPLES}`,
      { overAllPractices: BECAUSE },
    ),
  };
}

/** Values: names of tables, and of a column of each. The columns that exist: a database may be older than this program, or empty. */
export const EXISTING_COLUMNS = statement<{ table: string; column: string }>(
  'existing_columns',
  `SELECT wanted."table", wanted."column"
     FROM unnest($1::text[], $2::text[]) AS wanted ("table", "column")
     JOIN pg_attribute a ON a.attrelid = to_regclass(quote_ident(wanted."table")) AND a.attname = wanted."column" AND NOT a.attisdropped`,
);
