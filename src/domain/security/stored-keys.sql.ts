import { ENCRYPTED, ENCRYPTED_COLUMNS, type EncryptedColumn } from '../../database/encrypted-columns.ts';
import { type Statement, statement } from '../../database/statement.ts';

/** A stored value and the id of its master key. */
interface SampleRow {
  keyId: string;
  organizationId: number | null;
  row: string;
  value: string;
}

/** Values of each key that are looked at: one alone could be damaged. */
const SAMPLES = 3;

/** Bodies that the simulated carrier and mailer keep: those of the demo are plain text. */
const ARRIVED: readonly EncryptedColumn[] = [ENCRYPTED.arrivedText, ENCRYPTED.arrivedMail];

/** The columns whose values stay, and for each the statement that reads some of its values of every master key, without values. */
export const SAMPLES_OF: ReadonlyMap<EncryptedColumn, Statement<SampleRow>> = new Map(
  ENCRYPTED_COLUMNS.filter((column) => column.renewed && !ARRIVED.includes(column)).map((column) => [column, samplesOf(column)]),
);

/** From one key to the next by the index on the keys of a column, so that it takes as long as there are keys. The column's names are constants. */
function samplesOf({ table, column, row, ofPractices }: EncryptedColumn): Statement<SampleRow> {
  const key = `split_part(${column}, '.', 1)`;
  return statement(
    `samples_of_${table}_${column}`,
    `WITH RECURSIVE known AS (
       SELECT (SELECT min(${key}) FROM ${table} WHERE ${column} IS NOT NULL) AS id
       UNION ALL
       SELECT (SELECT min(${key}) FROM ${table} WHERE ${column} IS NOT NULL AND ${key} > known.id) FROM known WHERE known.id IS NOT NULL
     )
     SELECT known.id AS "keyId", sample.*
       FROM known
      CROSS JOIN LATERAL (
        SELECT ${ofPractices ? 'organization_id' : 'NULL::int'} AS "organizationId", (${row})::text AS row, ${column} AS value
          FROM ${table} WHERE ${column} IS NOT NULL AND ${key} = known.id LIMIT ${SAMPLES}
      ) AS sample
      WHERE known.id IS NOT NULL`,
    { overAllPractices: 'a start tries every master key' },
  );
}

/** Values: names of tables, and of a column of each. The columns that exist: a database may be older than this program, or empty. */
export const EXISTING_COLUMNS = statement<{ table: string; column: string }>(
  'existing_columns',
  `SELECT wanted."table", wanted."column"
     FROM unnest($1::text[], $2::text[]) AS wanted ("table", "column")
     JOIN pg_attribute a ON a.attrelid = to_regclass(quote_ident(wanted."table")) AND a.attname = wanted."column" AND NOT a.attisdropped`,
);
