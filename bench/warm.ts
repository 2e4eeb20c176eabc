import { ask } from './compare.ts';
import { type Contender, mustAsk } from './contender.ts';
import type { Question, Workload } from './workloads/workload.ts';

const ATTEMPTS = 5;

/** A database that has just been started reads from the disk, which may take longer than a request of the server may. */
export async function askPatiently(contender: Contender, question: Question): Promise<{ body: unknown }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask(contender, question);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Asks the first questions one after another, so that what a workload reads is in memory. */
export async function warm(contender: Contender, workload: Workload, count: number): Promise<void> {
  const question = mustAsk(contender, workload);
  for (let n = 0; n < count; n += 1) await askPatiently(contender, question(n));
}
