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
}

/** A series of requests that every server gets. */
export interface Workload {
  /** For `--only`, and for the log. */
  name: string;
  title: string;
  /** Concurrent requests. */
  connections: number;
  /** The field with the rows of a response; null when the response is a single record. */
  rows: 'patients' | 'data' | 'body' | null;
  /** The n-th request, from 0. Reads repeat after a while, as the identical object; writes never repeat. */
  request(n: number): BenchRequest;
  /** The number of requests, from 0, whose responses are compared before the measurement. */
  compared: number;
  writes: boolean;
  /** For a workload that writes one patient at a time: the comparison of the written rows. */
  written?: Written;
  /** The workloads of a mix, each compared separately. */
  parts?: readonly Workload[];
}

/** The comparison of a write's rows in the database. */
export interface Written {
  /** The id of the patient in a response. */
  patientId(answer: unknown): number;
  /** Each response is about a new patient, so ids differ. */
  creates: boolean;
  /** A write that resets the patient to a common state before the n-th request. */
  before?(n: number): BenchRequest;
}

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
