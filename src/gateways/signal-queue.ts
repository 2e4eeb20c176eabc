import { droppedSignals, waitingSignals } from './signal-metrics.ts';
import { RETAIN_MS, type StreamEntry } from './signal-stream.ts';

/** Bytes of entries that wait while the server is away; later ones are dropped. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

interface Waiting {
  entry: StreamEntry;
  at: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Entries that wait for the server, in their order: for RETAIN_MS at most, and so many as fit into MAX_WAITING_BYTES. */
export function createSignalQueue() {
  const waiting: Waiting[] = [];
  let bytes = 0;

  /** Takes entries from the front, and settles them. @param error why they were given up; null where the server has them */
  function settle(count: number, error: Error | null): void {
    for (const { entry, resolve, reject } of waiting.splice(0, count)) {
      bytes -= entry.sealed.length;
      if (error === null) resolve();
      else reject(error);
    }
    waitingSignals.set(waiting.length);
    if (error !== null) droppedSignals.inc(count);
  }

  return {
    /** Resolves when the server has the entry. @throws Error where it was given up */
    push(entry: StreamEntry): Promise<void> {
      if (bytes > MAX_WAITING_BYTES) {
        droppedSignals.inc();
        return Promise.reject(new Error('too many signals wait for the signal server'));
      }
      bytes += entry.sealed.length;
      return new Promise((resolve, reject) => {
        waiting.push({ entry, at: performance.now(), resolve, reject });
        waitingSignals.set(waiting.length);
      });
    },
    isEmpty: () => waiting.length === 0,
    first: (count: number): StreamEntry[] => waiting.slice(0, count).map(({ entry }) => entry),
    sent: (count: number) => settle(count, null),
    dropOld(): void {
      const young = waiting.findIndex(({ at }) => at > performance.now() - RETAIN_MS);
      settle(young === -1 ? waiting.length : young, new Error('the signal server was away for too long'));
    },
    dropAll: () => settle(waiting.length, new Error('the process stops')),
  };
}
