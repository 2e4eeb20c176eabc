import type { Asker } from '../access.ts';

/** One request, the same for the floor and for ours; a peer puts it into its own words. */
export interface Question {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  asker: Asker;
  body?: string;
  type?: 'application/json' | 'application/x-www-form-urlencoded';
  /** The Idempotency-Key of a POST, which ours keeps and the others do not look at. */
  key?: string;
}

/** What is asked of all servers. */
export interface Workload {
  /** For `--only`, and for the log. */
  name: string;
  title: string;
  /** Requests under way at any moment. */
  connections: number;
  /** Where the rows of an answer are; null when the answer is a single record. */
  rows: 'patients' | 'data' | 'body' | null;
  /** The n-th question, from 0. A read comes again after a while, as the very same object; a write never does. */
  question(n: number): Question;
  /** How many questions are asked of each server before anything is timed, from 0. */
  compared: number;
  writes: boolean;
  /** Of a workload that writes one patient at a time: how to compare what was written. */
  written?: Written;
  /** Of a mix: what it is made of, each compared by itself. */
  parts?: readonly Workload[];
}

/** What a write leaves behind is compared in the database, too. */
export interface Written {
  /** The id of the patient whom an answer is about. */
  patientId(answer: unknown): number;
  /** Each answer is about a new patient, so that ids differ. */
  creates: boolean;
  /** A write that leaves the patient as both servers are to find him before the n-th question. */
  before?(n: number): Question;
}

/** The first questions are for comparing answers; what is timed asks from here on. */
export const TIMED_FROM = 1_000;

/** A workload that only reads, each path in turns. */
export function reads({
  asker,
  paths,
  ...workload
}: Pick<Workload, 'name' | 'title' | 'connections' | 'rows'> & { asker: Asker; paths: readonly string[] }): Workload {
  const questions = paths.map((path): Question => ({ method: 'GET', path, asker }));
  return { ...workload, question: (n) => inTurns(questions, n), compared: paths.length, writes: false };
}

/** The n-th of a list that begins again at its end. */
export function inTurns<T>(list: readonly T[], n: number): T {
  const one = list[n % list.length];
  if (one === undefined) throw new Error('there is nothing to ask');
  return one;
}
