import type { Asker } from './access.ts';
import type { ServerUnderTest } from './process.ts';
import type { Question, Workload } from './workloads/workload.ts';

/** A server that answers the workloads. */
export interface Contender {
  name: string;
  address: string;
  /** Of each who may ask. */
  tokens: Record<Asker, string>;
  server: ServerUnderTest;
  /** Whether all that it put off until after its answers is done; a server that puts nothing off has none. */
  settled?(): Promise<boolean>;
  /** A peer's own way to ask the n-th question; null where it has none. The floor and ours take the workload's own. */
  question?(workload: Workload, n: number): Question | null;
}

/** The n-th question of a workload as this server is asked it; null where it has no way to answer. */
export function questionFor(contender: Contender, workload: Workload, n: number): Question | null {
  return contender.question ? contender.question(workload, n) : workload.question(n);
}

/** The same, of a server that is known to have an answer. */
export function mustAsk(contender: Contender, workload: Workload): (n: number) => Question {
  return (n) => {
    const question = questionFor(contender, workload, n);
    if (question === null) throw new Error(`${contender.name} has no way to answer ${workload.name}`);
    return question;
  };
}
