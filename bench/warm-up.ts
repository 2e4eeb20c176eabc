import { send } from './compare-responses.ts';
import { type Contender, requireRequest } from './contender.ts';
import type { BenchRequest, Workload } from './workloads/workload.ts';

const ATTEMPTS = 5;

/** Retries a request: a database that has just started reads from the disk, which may exceed the server's time limit. */
export async function sendWithRetries(contender: Contender, request: BenchRequest): Promise<{ body: unknown }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(contender, request);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Sends the first requests one after another, so that the data of a workload is in memory. */
export async function warm(contender: Contender, workload: Workload, count: number): Promise<void> {
  const request = requireRequest(contender, workload);
  for (let n = 0; n < count; n += 1) await sendWithRetries(contender, request(n));
}
