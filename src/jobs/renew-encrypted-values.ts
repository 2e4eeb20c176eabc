import type { Db } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import type { Caller } from '../domain/caller.ts';
import {
  ENCRYPTED_COLUMNS,
  type EncryptedColumn,
  forgetOldSuccessors,
  nameOfColumn,
  oldValues,
  type Renewal,
  renewValues,
} from '../domain/security/key-renewal.ts';

export interface RenewalOptions {
  db: Db;
  keyring: Keyring;
  organizationIds: readonly number[];
  /** One transaction in the name of an organization, with its audit. */
  change<T>(organizationId: number, job: (db: Db, caller: Caller) => Promise<T>): Promise<T>;
  /** Values a transaction. */
  batch: number;
  /** Is told how far it has come, after each transaction. */
  tell(progress: { organizationId: number; column: string } & Renewal): void;
  signal?: AbortSignal;
}

/**
 * Renews what old master keys encrypted in the practices' rows, beside the running server: by id, some at a time, each time in
 * a transaction of its own that holds nobody up for long. Stopped or killed it loses nothing, and the next run goes on
 * with what is left.
 * @returns what came of each column
 */
export async function renewEncryptedValues(options: RenewalOptions): Promise<Map<string, Renewal>> {
  const results = new Map<string, Renewal>();
  for (const column of ENCRYPTED_COLUMNS) {
    const result: Renewal = { renewed: 0, changed: 0, unreadable: 0 };
    for (const organizationId of options.organizationIds) await renewColumn(options, organizationId, column, result);
    results.set(nameOfColumn(column), result);
  }
  for (const organizationId of options.organizationIds) {
    if (!options.signal?.aborted) await forgetOldSuccessors(options.db, options.keyring, organizationId);
  }
  return results;
}

async function renewColumn(
  { db, keyring, change, batch, tell, signal }: RenewalOptions,
  organizationId: number,
  column: EncryptedColumn,
  sum: Renewal,
): Promise<void> {
  let after = 0;
  while (!signal?.aborted) {
    const old = await oldValues(db, keyring, organizationId, column, { after, most: batch });
    const last = old.at(-1);
    if (!last) return;
    after = last.id;
    const { renewed, changed, unreadable } = await change(organizationId, (tx, caller) => renewValues(tx, keyring, caller, column, old));
    sum.renewed += renewed;
    sum.changed += changed;
    sum.unreadable += unreadable;
    tell({ organizationId, column: nameOfColumn(column), ...sum });
  }
}
