import type { Outcome } from './outcomes.ts';

/**
 * Stores the rows of a batch in rounds, of which each has one row of each key: a row that may be about the record of an earlier one
 * sees what became of that.
 */
export async function inRounds<R>(
  rows: readonly R[],
  keysOf: (row: R) => readonly string[],
  store: (rows: readonly R[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes = new Map<R, Outcome>();
  let waiting = rows;
  while (waiting.length > 0) {
    const taken = new Set<string>();
    const { true: round = [], false: later = [] } = Object.groupBy(waiting, (row) => {
      const keys = keysOf(row);
      const isFirst = keys.every((key) => !taken.has(key));
      for (const key of keys) taken.add(key);
      return isFirst ? 'true' : 'false';
    });
    const stored = await store(round);
    for (const [index, row] of round.entries()) {
      const outcome = stored[index];
      if (!outcome) throw new Error('a row has no outcome');
      outcomes.set(row, outcome);
    }
    waiting = later;
  }
  return rows.map((row) => {
    const outcome = outcomes.get(row);
    if (!outcome) throw new Error('a row has no outcome');
    return outcome;
  });
}
