/** How many draw from a sequence by one question, at most. */
const MOST = 200;
/** Where so many ask at once, as many again will ask in a moment; what they are given then is drawn with it. */
const MANY = 3;
const AHEAD = 8;
/** Milliseconds after which what was drawn ahead is let go, so that ids stay nearly in the order of asking. */
const STALE_MS = 100;

interface Waiting {
  give: (id: number) => void;
  fail: (error: unknown) => void;
}

/**
 * Ids for new rows that must be known before they are written. Those who ask while a question is under way share the next
 * one. What is drawn and not used is a gap in the sequence, as after a transaction that was given up.
 * @param draw so many ids of a sequence
 */
export function createIdSource(draw: (count: number) => Promise<{ id: number }[]>): () => Promise<number> {
  const waiting: Waiting[] = [];
  let drawing = false;
  let stock: number[] = [];
  let drawnAt = 0;

  async function drain(): Promise<void> {
    if (drawing) return;
    drawing = true;
    while (waiting.length > 0) await serve(waiting.splice(0, MOST));
    drawing = false;
  }

  async function serve(batch: Waiting[]): Promise<void> {
    try {
      const ids = await draw(batch.length < MANY ? batch.length : batch.length * AHEAD);
      batch.forEach(({ give, fail }, place) => {
        const drawn = ids[place];
        if (drawn) give(drawn.id);
        else fail(new Error('a sequence gave too few ids'));
      });
      drawnAt = performance.now();
      stock = ids.slice(batch.length).map(({ id }) => id);
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  }

  return async () => {
    const ready = performance.now() - drawnAt < STALE_MS ? stock.shift() : undefined;
    if (ready !== undefined) return ready;
    return new Promise((give, fail) => {
      waiting.push({ give, fail });
      // Not before all of this turn of the loop have asked.
      if (waiting.length === 1) setImmediate(() => void drain());
    });
  };
}
