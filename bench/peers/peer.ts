import type { BenchRequest } from '../workloads/workload.ts';

/** A tool that a team might use instead of a server of its own. */
export interface Peer {
  /** Of the contender. */
  name: string;
  title: string;
  /** The package whose version is reported. */
  package: string;
  /** Its server, beside this file. */
  entry: string;
  /** The translation of a request; null if the peer has no equivalent. */
  translate(request: BenchRequest): BenchRequest | null;
  /** Prepares the translation of a read that would take two requests; called before the measurement. */
  learn?(request: BenchRequest, send: Send): Promise<void>;
}

/** @returns the parsed answer of this peer */
export type Send = (request: BenchRequest) => Promise<unknown>;

/** A GraphQL query in a POST. The text repeats with other variables, so it is parsed once. */
export function graphql(query: string, variables: object): BenchRequest {
  return { method: 'POST', path: '/graphql', client: 'client', body: JSON.stringify({ query, variables }), type: 'application/json' };
}
