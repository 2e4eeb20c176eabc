import { unavailable } from '../errors.ts';

/** Limits how many calls run at the same time in this process. */
export interface Semaphore {
  /** Does it when its turn comes, in the order of asking. @throws Failure unavailable where the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>;
  load(): { running: number; waiting: number; done: number };
}

export interface SemaphoreOptions {
  /** Calls that run at the same time. */
  slots: number;
  /** Calls that may wait; beyond them a call is refused. */
  longestQueue: number;
  /** Message of the refusal. */
  tooMany: string;
}

export function createSemaphore({ slots, longestQueue, tooMany }: SemaphoreOptions): Semaphore {
  let running = 0;
  let done = 0;
  const queue: (() => void)[] = [];
  return {
    async run(work) {
      if (running < slots) running += 1;
      else if (queue.length < longestQueue) await new Promise<void>((resolve) => queue.push(resolve));
      else throw unavailable(tooMany);
      try {
        return await work();
      } finally {
        done += 1;
        const next = queue.shift();
        if (next) next();
        else running -= 1;
      }
    },
    load: () => ({ running, waiting: queue.length, done }),
  };
}
