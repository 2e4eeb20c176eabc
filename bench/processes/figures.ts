import type { Load } from '../load.ts';

/** One turn of a set-up: what it answered, and milliseconds of processor time that it took. */
export interface Seen {
  load: Load;
  /** Of each server process. */
  serversMs: readonly number[];
  proxyMs: number;
  /** Null where the system does not tell. */
  databaseMs: number | null;
}

export interface ProcessesResult {
  /** Its title. */
  workload: string;
  one: readonly Seen[];
  two: readonly Seen[];
  machine: readonly string[];
}

/** Two processes may cost so many times what one does for a request; more says that they are in each other's way. */
export const MOST_COST = 1.15;

export const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

export const requestsOf = (seen: readonly Seen[]): number => sum(seen.map(({ load }) => load.requests));

export const ratesOf = (seen: readonly Seen[]): number[] => seen.map(({ load }) => (load.requests / load.elapsedMs) * 1000);

/** Milliseconds of processor time of all server processes for one request. */
export const serversCost = (seen: readonly Seen[]): number => sum(seen.map(({ serversMs }) => sum(serversMs))) / requestsOf(seen);

/** What a request costs the server processes of two, by what it costs that of one. */
export const costRatio = ({ one, two }: ProcessesResult): number => serversCost(two) / serversCost(one);

export const costsTooMuch = (result: ProcessesResult): boolean => costRatio(result) > MOST_COST;
