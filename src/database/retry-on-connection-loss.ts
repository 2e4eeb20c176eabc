import { setImmediate as events, setTimeout as sleep } from 'node:timers/promises';
import { isConnectionLost } from './errors.ts';

/** Long enough for the pool to hear which of its connections are gone, too short for a caller to notice. */
const PAUSE_MS = 30;

/**
 * Asks the database once more when the connection was lost under the question: after a restart of the database the
 * first question on each connection of the pool fails. Only for what may be asked twice.
 */
export async function retryOnConnectionLoss<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    await sleep(PAUSE_MS);
    await events();
    return ask();
  }
}
