import { inTurns, type Workload } from './workload.ts';

/** A part of a mix: how many of each hundred are its own. */
export interface Share {
  workload: Workload;
  ofHundred: number;
}

interface Slot extends Share {
  /** The index of this request among those of its part in one round. */
  ordinal: number;
}

/** Eighty reads and twenty writes in a hundred requests, in the same order in each run. */
export function mix(shares: readonly Share[]): Workload {
  const slots = interleave(shares);
  return {
    name: 'mix',
    title: '80 reads and 20 writes of 100',
    connections: 32,
    rows: null,
    compared: 0,
    writes: true,
    parts: shares.map(({ workload }) => workload),
    request(n) {
      const { workload, ofHundred, ordinal } = inTurns(slots, n);
      return workload.request(Math.floor(n / slots.length) * ofHundred + ordinal);
    },
  };
}

/** Spread evenly: each slot goes to the part that is furthest behind its share. */
function interleave(shares: readonly Share[]): Slot[] {
  const parts = shares.map((share) => ({ ...share, behind: 0, given: 0 }));
  return Array.from({ length: 100 }, () => {
    for (const part of parts) part.behind += part.ofHundred;
    const next = parts.reduce((most, part) => (part.behind > most.behind ? part : most));
    next.behind -= 100;
    next.given += 1;
    return { workload: next.workload, ofHundred: next.ofHundred, ordinal: next.given - 1 };
  });
}
