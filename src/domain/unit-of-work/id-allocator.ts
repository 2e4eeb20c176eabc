import { createBatcher } from './batcher.ts';

/** The largest number of requests that share one query. */
const MAX_BATCH = 200;
/** From so many concurrent requests on, more are expected: their ids are drawn with the same query. */
const MANY = 3;
/** Ids drawn for each of those requests. */
const AHEAD = 8;
/** Milliseconds after which ids drawn ahead are discarded, so that ids stay nearly in the order of the requests. */
const STALE_MS = 100;

/**
 * Allocates ids for rows before they are inserted, with one query for concurrent requests. An id that is not used leaves a gap in
 * the sequence, as a transaction that is rolled back does.
 * @param draw draws so many ids from a sequence
 */
export function createIdAllocator(draw: (count: number) => Promise<{ id: number }[]>): () => Promise<number> {
  let ahead: number[] = [];
  let drawnAt = 0;
  const drawn = createBatcher<null, number>(MAX_BATCH, async ({ length }) => {
    const ids = (await draw(length < MANY ? length : length * AHEAD)).map(({ id }) => id);
    if (ids.length < length) throw new Error('a sequence gave too few ids');
    drawnAt = performance.now();
    ahead = ids.slice(length);
    return ids.slice(0, length);
  });
  return async () => (performance.now() - drawnAt < STALE_MS ? ahead.shift() : undefined) ?? drawn(null);
}
