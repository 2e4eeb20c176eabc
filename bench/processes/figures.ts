import type { Load } from '../load.ts';

/** One measurement of a set-up: its load and its processor time in milliseconds. */
export interface Turn {
  load: Load;
  /** Of each server process. */
  serversMs: readonly number[];
  proxyMs: number;
  /** Null if the system does not report it. */
  databaseMs: number | null;
}

export interface ProcessesResult {
  /** Its title. */
  workload: string;
  one: readonly Turn[];
  two: readonly Turn[];
  machine: readonly string[];
}

/** The highest acceptable ratio of the cost of a request with two processes to that with one. */
export const MOST_COST = 1.15;

export const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

export const countRequests = (seen: readonly Turn[]): number => sum(seen.map(({ load }) => load.requests));

export const listRates = (seen: readonly Turn[]): number[] => seen.map(({ load }) => (load.requests / load.elapsedMs) * 1000);

/** Milliseconds of processor time of all server processes for one request. */
export const serversCost = (seen: readonly Turn[]): number => sum(seen.map(({ serversMs }) => sum(serversMs))) / countRequests(seen);

/** The server cost of a request with two processes, divided by that with one. */
export const costRatio = ({ one, two }: ProcessesResult): number => serversCost(two) / serversCost(one);

export const costsTooMuch = (result: ProcessesResult): boolean => costRatio(result) > MOST_COST;
