import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { inTransaction } from '../../database/transaction.ts';
import { lockChain } from '../../domain/audit/chain/chain-lock.ts';
import { deleteOldEvents, practicesWithOldEvents } from '../../domain/events/log/event-retention.ts';

/**
 * Deletes the events that are older than their practice keeps them, in batches of one transaction each. A practice whose chain
 * another process holds is left for the next run.
 * @throws the first error, after all practices were tried
 */
export async function removeOldEvents({ pool }: Database, keyring: Keyring): Promise<void> {
  const failures: unknown[] = [];
  for (const { organizationId, before } of await practicesWithOldEvents(pool)) {
    const removeBatch = () =>
      inTransaction(
        pool,
        async (prepared) => (await lockChain(prepared, organizationId)) && deleteOldEvents(prepared, keyring, organizationId, before),
      );
    try {
      while (await removeBatch());
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
