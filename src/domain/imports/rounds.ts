import type { Outcome } from './outcomes.ts';

/**
 * Stores the rows of a batch in rounds, of which each has one row of each key: a row that may be about the record of an earlier one
 * sees what became of that.
 * @param sharesKey whether any number of such rows may be in one round, once a record has this key of theirs
 */
export async function inRounds<R>(
  rows: readonly R[],
  listKeys: (row: R) => readonly string[],
  store: (rows: readonly R[]) => Promise<Outcome[]>,
  sharesKey: (row: R, key: string) => boolean = () => false,
): Promise<Outcome[]> {
  const outcomes = new Map<R, Outcome>();
  const stored = new Set<string>();
  const keysByRow = new Map(rows.map((row) => [row, listKeys(row)]));
  let waiting = rows;
  while (waiting.length > 0) {
    const taken = new Set<string>();
    const { true: round = [], false: later = [] } = Object.groupBy(waiting, (row) => {
      const keys = (keysByRow.get(row) ?? []).filter((key) => !(stored.has(key) && sharesKey(row, key)));
      const isFirst = keys.every((key) => !taken.has(key));
      for (const key of keys) taken.add(key);
      return isFirst ? 'true' : 'false';
    });
    const results = await store(round);
    for (const [index, row] of round.entries()) {
      const outcome = results[index];
      if (!outcome) throw new Error('a row has no outcome');
      outcomes.set(row, outcome);
      if (outcome.outcome !== 'refused') for (const key of keysByRow.get(row) ?? []) stored.add(key);
    }
    waiting = later;
  }
  return rows.map((row) => {
    const outcome = outcomes.get(row);
    if (!outcome) throw new Error('a row has no outcome');
    return outcome;
  });
}
