import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { dropEmptyEventPartitions, makeLogPartitions } from '../../database/logs/log-partitions.ts';

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
