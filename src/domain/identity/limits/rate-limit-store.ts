import type { Pool } from 'pg';
import { retryOnConnectionLoss } from '../../../database/connections/retry-on-connection-loss.ts';
import { timeStatement } from '../../../database/statements/statement-times.ts';
import { createSemaphore } from '../../values/semaphore.ts';

/** Length of a window, which begins with the first request in it. */
export const WINDOW_SECONDS = 60;
/** Milliseconds after which a query is given up. */
export const QUERY_TIMEOUT_MS = 1_500;

/**
 * Takes units out of the window of a key, which all processes share.
 * @returns `taken`: units taken by all processes, these included; `resetsInMs`: by the database's clock
 */
export type TakeUnits = (key: string, units: number) => Promise<{ taken: number; resetsInMs: number }>;

const TAKE = {
  name: 'request-count-take',
  text: `
    INSERT INTO request_count AS c (key, taken, ends_at) VALUES ($1, $2, now() + interval '${WINDOW_SECONDS} seconds')
    ON CONFLICT (key) DO UPDATE SET
      taken = CASE WHEN c.ends_at > now() THEN c.taken + excluded.taken ELSE excluded.taken END,
      ends_at = CASE WHEN c.ends_at > now() THEN c.ends_at ELSE excluded.ends_at END
    RETURNING taken, (extract(epoch FROM ends_at - now()) * 1000)::float8 AS ends_in_ms`,
};

/** A store in PostgreSQL that uses at most two connections of the pool at a time. */
export function createRateLimitStore(pool: Pool): TakeUnits {
  const semaphore = createSemaphore({ slots: 2, longestQueue: 10_000, tooMany: 'Too many requests are waiting for the rate limiter.' });
  return (key, units) => {
    const queuedAt = performance.now();
    return semaphore.run(async () => {
      if (performance.now() - queuedAt > QUERY_TIMEOUT_MS) throw new Error('the query waited longer than its timeout');
      const answer = await retryOnConnectionLoss(() =>
        timeStatement(TAKE, () => pool.query<{ taken: number; ends_in_ms: number }>({ ...TAKE, values: [key, units] })),
      );
      const [row] = answer.rows;
      if (!row) throw new Error('the statement returned no row');
      return { taken: row.taken, resetsInMs: row.ends_in_ms };
    });
  };
}
