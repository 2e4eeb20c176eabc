import { ENCRYPTED, ENCRYPTED_COLUMNS, type EncryptedColumn, nameOfColumn, opensIn } from '../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import { type Prepared, type Statement, statement } from '../database/statements/statement.ts';
import { newestCheckpointSeals } from '../domain/audit/archive/checkpoints.ts';
import { type FoundSeal, newestSeals } from '../domain/audit/chain/chain-heads.ts';

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
  ENCRYPTED_COLUMNS.filter((column) => column.renewed && !ARRIVED.includes(column)).map((column) => [column, createSampling(column)]),
);

/**
 * It takes as long as there are keys. One key after the other, since rows on several nodes have no statement for all. The column's names
 * are constants.
 */
function createSampling({ table, column, row, ofPractices }: EncryptedColumn): Sampling {
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
const EXISTING_COLUMNS = statement<{ table: string; column: string }>(
  'existing_columns',
  `SELECT wanted."table", wanted."column"
     FROM unnest($1::text[], $2::text[]) AS wanted ("table", "column")
     JOIN pg_attribute a ON a.attrelid = to_regclass(quote_ident(wanted."table")) AND a.attname = wanted."column" AND NOT a.attisdropped`,
);

interface StoredSample {
  keyId: string;
  column: EncryptedColumn;
  organizationId: number | null;
  row: string;
  value: string;
}

/** The evidence of a database for each master key: a few values of each column, and the heads of the audit. */
export interface StoredKeys {
  samples: StoredSample[];
  seals: FoundSeal[];
}

/** A master key that a database needs. */
export interface NeededKey {
  keyId: string;
  /** `missing` from the master keys, or they have another key of that id. */
  flaw: 'missing' | 'other';
  /** Columns with its values, and `the audit`. */
  places: string[];
}

/** A value without it is no encrypted one, and may be a text about a patient. */
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Reads what stands under each master key: a handful of lookups in indexes, however large the database is. Works on a database of
 * an older version, and on one without tables.
 */
export async function readStoredKeys(prepared: Prepared): Promise<StoredKeys> {
  const columns = [...SAMPLES_OF.keys()];
  const tables = [...columns, ...['audit_head', 'audit_roll', 'audit_checkpoint'].map((table) => ({ table, column: 'mac' }))];
  const exist = await prepared.rows(EXISTING_COLUMNS, [tables.map(({ table }) => table), tables.map(({ column }) => column)]);
  const names = new Set(exist.map(nameOfColumn));
  const samples: StoredSample[] = [];
  for (const [column, { next, samples: ofKey }] of SAMPLES_OF) {
    if (!names.has(nameOfColumn(column))) continue;
    for (let [key] = await prepared.rows(next, ['']); key !== undefined; [key] = await prepared.rows(next, [key.keyId]))
      for (const row of await prepared.rows(ofKey, [key.keyId])) if (KEY_ID.test(row.keyId)) samples.push({ ...row, column });
  }
  const heads = names.has('audit_head.mac') && names.has('audit_roll.mac') ? await newestSeals(prepared) : [];
  const checkpoints = names.has('audit_checkpoint.mac') ? await newestCheckpointSeals(prepared) : [];
  return { samples, seals: [...heads, ...checkpoints] };
}

/** The ids of the master keys under which something stands. */
export const listKeyIds = ({ samples, seals }: StoredKeys): string[] =>
  [...new Set([...samples, ...seals].map(({ keyId }) => keyId))].sort();

/**
 * The keys that a database needs and that the keyring lacks, or has otherwise. The key of an id is right where it opens a signing
 * key, which is never made anew under another one; without signing keys, where it opens a value; without values, where a seal holds.
 * A value that does not open beside others that do is damaged, and a seal an alteration: `keys renew` and `audit verify` name them.
 * @param options.seals whether a key that only the newest seals need is needed
 */
export function missingKeys(keyring: Keyring, { samples, seals }: StoredKeys, options: { seals: boolean }): NeededKey[] {
  return listKeyIds({ samples, seals }).flatMap((keyId): NeededKey[] => {
    const values = samples.filter((sample) => sample.keyId === keyId);
    const sealed = options.seals ? seals.filter((seal) => seal.keyId === keyId) : [];
    const places = [...new Set(values.map(({ column }) => nameOfColumn(column))), ...(sealed.length > 0 ? ['the audit'] : [])];
    if (places.length === 0) return [];
    if (!keyring.ids.includes(keyId)) return [{ keyId, flaw: 'missing', places }];
    return isRight(keyring, values, sealed) ? [] : [{ keyId, flaw: 'other', places }];
  });
}

function isRight(keyring: Keyring, values: readonly StoredSample[], seals: readonly FoundSeal[]): boolean {
  const signing = values.filter(({ column }) => column === ENCRYPTED.signingKey);
  const listOpened = (samples: readonly StoredSample[]) =>
    samples.filter(({ column, value, ...of }) => opensIn(keyring, column, of, value));
  if (signing.length > 0) return listOpened(signing).length > 0;
  const open = listOpened(values).length;
  const isClear = values.length > 0 && (open === 0 || open === values.length);
  if (isClear || seals.length === 0) return open > 0;
  return seals.some((seal) => seal.holds(keyring));
}
