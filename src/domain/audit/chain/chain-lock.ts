import type { PracticeRows } from '../../../database/statements/practice-rows.ts';
import { statement } from '../../../database/statements/statement.ts';

/** First key of the advisory lock of a chain; the second one is the organization's id. */
const CHAIN_LOCK = 7_410_256;

/** Values: both keys of the lock. */
const LOCK_CHAIN = statement<{ locked: boolean }>('audit_lock_chain', 'SELECT pg_try_advisory_xact_lock($1::int, $2::int) AS locked');

/** Locks the chain of an organization until the transaction ends. @returns whether nobody else holds the lock */
export async function lockChain(tx: PracticeRows): Promise<boolean> {
  const [lock] = await tx.prepared.rows(LOCK_CHAIN, [CHAIN_LOCK, tx.organizationId]);
  return lock?.locked === true;
}
