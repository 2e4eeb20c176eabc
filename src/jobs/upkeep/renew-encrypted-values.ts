import type { Db } from '../../database/database.ts';
import { ENCRYPTED, ENCRYPTED_COLUMNS, type EncryptedColumn, nameOfColumn } from '../../database/encryption/encrypted-columns.ts';
import { readOldValues } from '../../database/encryption/encrypted-values.sql.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import { renewCheckpoints } from '../../domain/audit/archive/checkpoints.ts';
import { renewHeads } from '../../domain/audit/chain/chain-heads.ts';
import type { Caller } from '../../domain/caller.ts';
import { ssnHash } from '../../domain/patients/record/ssn.ts';
import type { Tx } from '../../domain/tx.ts';
import { forgetOldSuccessors, type HashOfValue, type Renewal, renewValues } from './renew-values.ts';

/** Columns with a hash of their value beside it. */
const HASHES: ReadonlyMap<EncryptedColumn, HashOfValue> = new Map([[ENCRYPTED.ssn, { column: 'ssn_hash', hash: ssnHash }]]);

export interface RenewalOptions {
  db: Db;
  keyring: Keyring;
  organizationIds: readonly number[];
  /** One transaction in the name of an organization, with its audit. */
  write<T>(organizationId: number, callback: (tx: Tx) => Promise<T>): Promise<T>;
  /** One transaction for values of the server, with the audit of every practice. */
  writeEach<T>(organizationIds: readonly number[], callback: (db: Db, callers: Caller[]) => Promise<T>): Promise<T>;
  /** Values per transaction. */
  batch: number;
  /** Called with the counts so far, after each transaction. */
  report(progress: { organizationId: number | null; column: string } & Renewal): void;
  signal?: AbortSignal;
}

/**
 * Encrypts the values that old master keys encrypted with the current one, beside the running server: by
 * id, in batches of one short transaction each. A run that is stopped or killed loses nothing, and the next one continues with
 * the rest.
 * @returns the counts of each column
 */
export async function renewEncryptedValues(options: RenewalOptions): Promise<Map<string, Renewal>> {
  const results = new Map<string, Renewal>();
  for (const column of ENCRYPTED_COLUMNS.filter(({ renewed }) => renewed)) {
    const result: Renewal = { renewed: 0, changed: 0, unreadable: 0 };
    for (const organizationId of column.ofPractices ? options.organizationIds : [null])
      await renewColumn(options, organizationId, column, result);
    results.set(nameOfColumn(column), result);
  }
  for (const organizationId of options.organizationIds) {
    if (!options.signal?.aborted) await forgetOldSuccessors(options.db, options.keyring, organizationId);
  }
  // Last: the entries of the renewal are sealed under the current key.
  if (!options.signal?.aborted)
    await options.writeEach(options.organizationIds, async (tx) => {
      await renewHeads(preparedIn(tx), options.keyring);
      await renewCheckpoints(preparedIn(tx), options.keyring);
    });
  return results;
}

async function renewColumn(
  { db, keyring, organizationIds, write, writeEach, batch, report, signal }: RenewalOptions,
  organizationId: number | null,
  column: EncryptedColumn,
  sum: Renewal,
): Promise<void> {
  let after: string | null = null;
  while (!signal?.aborted) {
    const old = await readOldValues(db, keyring, column, { organizationId, after, most: batch });
    const last = old.at(-1);
    if (!last) return;
    after = last.row;
    const renew = (tx: Db, callers: Caller[]) => renewValues(tx, keyring, callers, { column, hash: HASHES.get(column), old });
    const { renewed, changed, unreadable } =
      organizationId === null ? await writeEach(organizationIds, renew) : await write(organizationId, (tx) => renew(tx.prisma, [tx]));
    sum.renewed += renewed;
    sum.changed += changed;
    sum.unreadable += unreadable;
    report({ organizationId, column: nameOfColumn(column), ...sum });
  }
}
