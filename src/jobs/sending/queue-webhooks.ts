import type { Database } from '../../database/database.ts';
import { endpointsToQueue, queueForEndpoint } from '../../domain/webhooks/fan-out.ts';

/** Endpoints for which a process queues at a time. */
const AT_ONCE = 3;

/**
 * Queues deliveries of what is new in the log: a batch for each endpoint, so that one with much to catch up on holds no other up.
 * @returns whether there may be more
 * @throws the first error, after all endpoints were tried
 */
export async function queueWebhooks({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
  const failures: unknown[] = [];
  let hasMore = false;
  const waiting = await endpointsToQueue(pool);
  const queueNext = async (): Promise<void> => {
    for (let endpoint = waiting.shift(); endpoint; endpoint = waiting.shift()) {
      const isFull = await queueForEndpoint(pool, endpoint).catch((error: unknown) => void failures.push(error));
      hasMore ||= isFull === true;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, queueNext));
  if (failures.length > 0) throw failures[0];
  return hasMore;
}
