import type { Question } from '../workloads/workload.ts';

/** A tool that a team would pick instead of a server of its own. */
export interface Peer {
  /** Of the contender. */
  name: string;
  title: string;
  /** The package whose version is told. */
  package: string;
  /** Its server, beside this file. */
  entry: string;
  /** Its own way to ask the same; null where it has none. */
  translate(question: Question): Question | null;
  /** What it must be asked beforehand to be asked in one request: told before anything is timed, for each read. */
  learn?(question: Question, ask: Ask): Promise<void>;
}

/** @returns the parsed answer of this peer */
export type Ask = (question: Question) => Promise<unknown>;

/** A query in a POST, as GraphQL clients send it. The same text comes again with other variables, so that it is parsed once. */
export function graphql(query: string, variables: object): Question {
  return { method: 'POST', path: '/graphql', asker: 'client', body: JSON.stringify({ query, variables }), type: 'application/json' };
}
