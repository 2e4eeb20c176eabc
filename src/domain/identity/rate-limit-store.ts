import type { Pool } from 'pg';
import { retryOnConnectionLoss } from '../../database/retry-on-connection-loss.ts';
import { createSemaphore } from '../values/semaphore.ts';

/** A window is a minute, and begins with the first request in it. */
export const WINDOW_SECONDS = 60;
/** Milliseconds after which nobody waits for an answer of the database any more. */
export const LONGEST_QUESTION_MS = 1_500;

/**
 * Takes units out of the window of a key, which all processes share.
 * @returns `taken`: by whichever process, with these; `endsInMs`: by the database's clock, which all have in common
 */
export type Take = (key: string, units: number) => Promise<{ taken: number; endsInMs: number }>;

/** An end that is further away than any was set at is from before the clock of the database was set back. */
const RUNS = `c.ends_at > now() AND c.ends_at < now() + interval '${2 * WINDOW_SECONDS} seconds'`;

const TAKE = {
  name: 'request-count-take',
  text: `
    INSERT INTO request_count AS c (key, taken, ends_at) VALUES ($1, $2, now() + interval '${WINDOW_SECONDS} seconds')
    ON CONFLICT (key) DO UPDATE SET
      taken = CASE WHEN ${RUNS} THEN c.taken + excluded.taken ELSE excluded.taken END,
      ends_at = CASE WHEN ${RUNS} THEN c.ends_at ELSE excluded.ends_at END
    RETURNING taken, (extract(epoch FROM ends_at - now()) * 1000)::float8 AS ends_in_ms`,
};

/** Takes in the database, a few at a time: where many keys come at once, what they wait for is not the whole pool. */
export function takeFrom(pool: Pool): Take {
  const semaphore = createSemaphore({ slots: 2, longestQueue: 10_000, tooMany: 'Too many requests begin to be counted.' });
  return (key, units) => {
    const asked = performance.now();
    return semaphore.run(async () => {
      if (performance.now() - asked > LONGEST_QUESTION_MS) throw new Error('nobody waits for it any more');
      const answer = await retryOnConnectionLoss(() =>
        pool.query<{ taken: number; ends_in_ms: number }>({ ...TAKE, values: [key, units] }),
      );
      const [row] = answer.rows;
      if (!row) throw new Error('the count was not told');
      return { taken: row.taken, endsInMs: row.ends_in_ms };
    });
  };
}
