import { unavailable } from '../errors.ts';

/** Work of which a process does only so much at once. */
export interface Semaphore {
  /** Does it when its turn comes, in the order of asking. @throws Failure unavailable where the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>;
  load(): { running: number; waiting: number; done: number };
}

export interface SemaphoreOptions {
  /** How many at once. */
  slots: number;
  /** How many wait beside; who comes then is told to come again. */
  longestQueue: number;
  /** What they are told. */
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
