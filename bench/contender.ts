import type { ClientKind } from './credentials.ts';
import type { ServerUnderTest } from './process.ts';
import type { BenchRequest, Workload } from './workloads/workload.ts';

/** A server that is measured. */
export interface Contender {
  name: string;
  address: string;
  /** Tokens by kind of client. */
  tokens: Record<ClientKind, string>;
  server: ServerUnderTest;
  /** Whether deferred work is done; absent for a server without deferred work. */
  settled?(): Promise<boolean>;
  /** A peer's translation of the n-th request; null if it has no equivalent. The floor and our server take the request itself. */
  request?(workload: Workload, n: number): BenchRequest | null;
}

/** The n-th request of a workload in the form of this server; null if it has no equivalent. */
export function requestFor(contender: Contender, workload: Workload, n: number): BenchRequest | null {
  return contender.request ? contender.request(workload, n) : workload.request(n);
}

/** The same for a server that is known to have an equivalent. */
export function requireRequest(contender: Contender, workload: Workload): (n: number) => BenchRequest {
  return (n) => {
    const request = requestFor(contender, workload, n);
    if (request === null) throw new Error(`${contender.name} has no way to answer ${workload.name}`);
    return request;
  };
}
