import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { removeExpiredRows } from '../../database/logs/expired-rows.ts';
import { dropEmptyEventPartitions, makeLogPartitions } from '../../database/logs/log-partitions.ts';
import { rowsOf } from '../../database/statements/practice-rows.ts';
import { inTransaction } from '../../database/transaction.ts';
import { lockChain } from '../../domain/audit/chain/chain-lock.ts';
import { removeEndedSecrets } from '../../domain/identity/clients/client-secrets.ts';
import { deleteOldEvents, practicesWithOldEvents } from '../../domain/logs/event-retention.ts';

/** Deletes what has expired: rows of many tables, and the secrets of clients. */
export async function removeExpired({ prisma }: Database): Promise<void> {
  await removeEndedSecrets(prisma);
  await removeExpiredRows(prisma);
}

/** Makes the partitions of the months to come, and drops those of events that are empty. Where a table is in use, the next run does it. */
export async function keepLogPartitions({
  database: { pool },
  logger,
}: {
  database: Pick<Database, 'pool'>;
  logger: Pick<Logger, 'info'>;
}): Promise<void> {
  const made = await makeLogPartitions(pool);
  if (made.length > 0) logger.info({ partitions: made }, 'made partitions of the logs');
  const dropped = await dropEmptyEventPartitions(pool);
  if (dropped.length > 0) logger.info({ partitions: dropped }, 'dropped empty partitions of old events');
}

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
        async (prepared) =>
          (await lockChain(rowsOf(prepared, organizationId))) && deleteOldEvents(prepared, keyring, organizationId, before),
      );
    try {
      while (await removeBatch());
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
