import { getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Pace {
  /** Passes a stream on, with a pause now and then. @throws the reason of the signal that ended the backup */
  through<T>(source: AsyncIterable<T>): AsyncIterable<T>;
  /** Gives processes of this machine, by their numbers, less of it where others want it too. 0 is this process. */
  yieldTo(...processes: number[]): void;
}

export const FULL_SPEED: Pace = { through: (source) => source, yieldTo: () => {} };

/**
 * Share of one processor that the process of a backup takes. PostgreSQL takes half as much to read the rows, so that together they take
 * less than a tenth of two processors.
 */
const SHARE = 0.12;
/** Milliseconds of the shortest pause: many short ones would cost more than they give. */
const SHORTEST_MS = 100;
/** Milliseconds of share that can be saved up: what was not used, since the place was slow or the process stood still, is not made up for later. */
const SAVED_MS = 1_000;
/**
 * Added to the niceness: a third of the processor that a server gets where both want it. Less would starve a backup on a machine whose
 * processors are never idle.
 */
const NICENESS = 5;

/**
 * A share of the machine, so that servers on it go on as before. It keeps account of the processor time of the whole process, also of what
 * its threads compress and encrypt during a pause, and makes each pause as long as that was too much: a backup that waits for its place, or
 * for a busy machine, is not slowed down further.
 */
export function boundedPace(stopping?: AbortSignal): Pace {
  const usedBefore = process.cpuUsage();
  // Of the account, which moves on where share is left over.
  let since = performance.now();
  const rest = async () => {
    const { user, system } = process.cpuUsage(usedBefore);
    const due = (user + system) / 1000 / SHARE - (performance.now() - since);
    if (due < -SAVED_MS) since += -due - SAVED_MS;
    if (due >= SHORTEST_MS) await sleep(due, undefined, stopping && { signal: stopping }).catch(() => stopping?.throwIfAborted());
  };
  return {
    async *through(source) {
      for await (const chunk of source) {
        yield chunk;
        await rest();
      }
    },
    yieldTo(...processes) {
      for (const one of processes) {
        try {
          setPriority(one, Math.min(19, getPriority(one) + NICENESS));
        } catch {
          // Not ours to change, or gone: the pauses are what bounds it.
        }
      }
    },
  };
}
