/** From the one instant on and before the other, in milliseconds. */
export interface TimeSpan {
  from: number;
  before: number;
}

/**
 * How many whole minutes spans take, where what overlaps counts once: of two people who worked on one patient at the same
 * time, one is billed. What lies outside of `within` does not count.
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
