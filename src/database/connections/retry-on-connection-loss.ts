import { setImmediate as events, setTimeout as sleep } from 'node:timers/promises';
import { isConnectionLost } from '../errors.ts';

/** Milliseconds: long enough for the pool to notice its lost connections, too short for a caller to notice. */
const PAUSE_MS = 30;

/**
 * Runs a query once more when its connection was lost: after a restart of the database the first query on each connection of the
 * pool fails. Only for queries that may run twice.
 */
export async function retryOnConnectionLoss<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    await sleep(PAUSE_MS);
    await events();
    return query();
  }
}
