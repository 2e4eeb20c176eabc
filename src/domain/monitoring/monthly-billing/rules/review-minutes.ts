/** From one instant, inclusive, to another, exclusive; milliseconds since 1970. */
export interface TimeSpan {
  from: number;
  before: number;
}

/**
 * Whole minutes of the union of spans. Where two people worked on one patient at the same time, only one is billed.
 * @param within parts outside of this span do not count
 */
export function countMinutes(spans: readonly TimeSpan[], within: TimeSpan): number {
  const inside = spans
    .map(({ from, before }) => ({ from: Math.max(from, within.from), before: Math.min(before, within.before) }))
    .filter(({ from, before }) => from < before)
    .toSorted((one, other) => one.from - other.from);
  let sum = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { from, before } of inside) {
    sum += Math.max(0, before - Math.max(from, reached));
    reached = Math.max(reached, before);
  }
  return Math.floor(sum / 60_000);
}
