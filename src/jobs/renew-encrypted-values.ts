import type { Db } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import type { Caller } from '../domain/caller.ts';
import { SEALED_MESSAGE_COLUMNS } from '../domain/messaging/templates/sealed-placeholders.ts';
import { SUBSCRIPTION_COLUMN } from '../domain/notifications/push-subscriptions.ts';
import { SSN_COLUMNS } from '../domain/patients/ssn.ts';
import {
  type EncryptedColumn,
  forgetOldSuccessors,
  nameOfColumn,
  oldValues,
  type Renewal,
  renewValues,
} from '../domain/security/key-renewal.ts';

/** The encrypted columns of all areas. */
const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [...SSN_COLUMNS, ...SEALED_MESSAGE_COLUMNS, SUBSCRIPTION_COLUMN];

export interface RenewalOptions {
  db: Db;
  keyring: Keyring;
  organizationIds: readonly number[];
  /** One transaction in the name of an organization, with its audit. */
  write<T>(organizationId: number, callback: (db: Db, caller: Caller) => Promise<T>): Promise<T>;
  /** Values per transaction. */
  batch: number;
  /** Called with the counts so far, after each transaction. */
  report(progress: { organizationId: number; column: string } & Renewal): void;
  signal?: AbortSignal;
}

/**
 * Encrypts the values in the practices' rows that old master keys encrypted with the current one, beside the running server: by
 * id, in batches of one short transaction each. A run that is stopped or killed loses nothing, and the next one continues with
 * the rest.
 * @returns the counts of each column
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
  { db, keyring, write, batch, report, signal }: RenewalOptions,
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
    const { renewed, changed, unreadable } = await write(organizationId, (tx, caller) => renewValues(tx, keyring, caller, column, old));
    sum.renewed += renewed;
    sum.changed += changed;
    sum.unreadable += unreadable;
    report({ organizationId, column: nameOfColumn(column), ...sum });
  }
}
