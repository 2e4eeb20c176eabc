import type { Db } from './database.ts';

/**
 * Watches the clock of a database against the monotonic one of this process, which no change of the time moves.
 * @returns looks: milliseconds by which the database's clock was set since the look before, forward above 0; null at the first look
 */
export function watchClock(db: Db): () => Promise<number | null> {
  let before: { database: number; own: number } | null = null;
  return async () => {
    const asked = performance.now();
    const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
    if (!row) throw new Error('the statement returned no row');
    const seen = { database: row.now.getTime(), own: (asked + performance.now()) / 2 };
    const moved = before && seen.database - before.database - (seen.own - before.own);
    before = seen;
    return moved;
  };
}
