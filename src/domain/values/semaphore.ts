import { unavailable } from '../errors.ts';

/** Work of which a process does only so much at once. */
export interface Turns {
  /** Does it when its turn comes, in the order of asking. @throws Failure unavailable where the queue is full */
  take<T>(work: () => Promise<T>): Promise<T>;
  load(): { running: number; waiting: number; done: number };
}

export interface TurnRules {
  /** How many at once. */
  slots: number;
  /** How many wait beside; who comes then is told to come again. */
  longestQueue: number;
  /** What they are told. */
  tooMany: string;
}

export function createTurns({ slots, longestQueue, tooMany }: TurnRules): Turns {
  let running = 0;
  let done = 0;
  const queue: (() => void)[] = [];
  return {
    async take(work) {
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
