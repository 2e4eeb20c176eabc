import type { Database } from '../database/database.ts';
import { endpointsToQueue, queueForEndpoint } from '../domain/webhooks/fan-out.ts';

/**
 * Queues deliveries of what is new in the log. Endpoints take turns, a batch each, so that one with much to catch up on holds no other
 * up.
 * @throws the first error, after all endpoints were tried
 */
export async function queueWebhooks({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const failures: unknown[] = [];
  let waiting = await endpointsToQueue(pool);
  while (waiting.length > 0) {
    const unfinished: typeof waiting = [];
    for (const endpoint of waiting) {
      try {
        if (await queueForEndpoint(pool, endpoint)) unfinished.push(endpoint);
      } catch (error) {
        failures.push(error);
      }
    }
    waiting = unfinished;
  }
  if (failures.length > 0) throw failures[0];
}
