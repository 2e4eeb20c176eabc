import { createBatcher } from './batcher.ts';

/** How many draw from a sequence by one question, at most. */
const MOST = 200;
/** Where so many ask at once, as many again will ask in a moment; what they are given then is drawn with it. */
const MANY = 3;
const AHEAD = 8;
/** Milliseconds after which what was drawn ahead is let go, so that ids stay nearly in the order of asking. */
const STALE_MS = 100;

/**
 * Ids for new rows that must be known before they are written, drawn for all who ask at once. What is drawn and not used is a
 * gap in the sequence, as after a transaction that was given up.
 * @param draw so many ids of a sequence
 */
export function createIdAllocator(draw: (count: number) => Promise<{ id: number }[]>): () => Promise<number> {
  let stock: number[] = [];
  let drawnAt = 0;
  const drawn = createBatcher<null, number>(MOST, async ({ length }) => {
    const ids = (await draw(length < MANY ? length : length * AHEAD)).map(({ id }) => id);
    if (ids.length < length) throw new Error('a sequence gave too few ids');
    drawnAt = performance.now();
    stock = ids.slice(length);
    return ids.slice(0, length);
  });
  return async () => (performance.now() - drawnAt < STALE_MS ? stock.shift() : undefined) ?? drawn(null);
}
