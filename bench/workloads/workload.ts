import type { ClientKind } from '../credentials.ts';

/** One request, the same for the floor and for our server; a peer translates it to its own interface. */
export interface BenchRequest {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  client: ClientKind;
  body?: string;
  type?: 'application/json' | 'application/x-www-form-urlencoded';
  /** The Idempotency-Key of a POST, which the others ignore. */
  key?: string;
  /** The signature of a carrier, which the floor ignores. */
  signature?: string;
}

/** A series of requests that every server gets. */
export interface Workload {
  /** For `--only`, and for the log. */
  name: string;
  title: string;
  /** Concurrent requests. */
  connections: number;
  /** The field with the rows of a response; null when the response is a single record, `nothing` when only what is written counts. */
  rows: 'patients' | 'data' | 'body' | 'nothing' | null;
  /** The n-th request, from 0. Reads repeat after a while, as the identical object; writes never repeat. */
  request(n: number): BenchRequest;
  /** The number of requests, from 0, whose responses are compared before the measurement. */
  compared: number;
  writes: boolean;
  /** The comparison of the written rows. */
  written?: Written;
  /** Makes the rows that this many requests use up, each one. */
  prepare?(superuserUrl: string, requests: number): Promise<void>;
  /** The workloads of a mix, each compared separately. */
  parts?: readonly Workload[];
}

/** The comparison of a write's rows in the database. */
export interface Written {
  /** A statement whose one row has all that a request writes, without ids and times of its own. `$1` is the id. */
  rows: string;
  /** The id of the record that was written, by the response or the number of the request. */
  id(answer: unknown, n: number): number;
  /** Names of fields of the response that differ between two records that were written in the same way. */
  own: readonly string[];
  /** The table in which each request makes a record. */
  creates?: 'patient' | 'appointment';
  /** A statement after which the same request makes another record. `$1` is the id. */
  setAside?: string;
  /** A write that resets the record to a common state before the n-th request. */
  before?(n: number): BenchRequest;
  /** A request uses up its rows: this server gets the one that is so much further on, with the same values. */
  twin?: number;
}

/** Requests of a write that are compared: enough for names of each kind, and for forms with and without what may be left out. */
export const COMPARED_WRITES = 40;

/** Requests below this number are for comparisons; measurements start here. */
export const TIMED_FROM = 1_000;

/** A workload that reads the paths in rotation. */
export function reads({
  client,
  paths,
  ...workload
}: Pick<Workload, 'name' | 'title' | 'connections' | 'rows'> & { client: ClientKind; paths: readonly string[] }): Workload {
  const requests = paths.map((path): BenchRequest => ({ method: 'GET', path, client }));
  return { ...workload, request: (n) => inTurns(requests, n), compared: paths.length, writes: false };
}

/** The n-th item of a list that repeats. */
export function inTurns<T>(list: readonly T[], n: number): T {
  const one = list[n % list.length];
  if (one === undefined) throw new Error('there is nothing to ask');
  return one;
}
