import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BATCH, createSignalConnection } from './signal-connection.ts';
import { createSignalQueue } from './signal-queue.ts';
import type { StreamEntry } from './signal-stream.ts';

/** Milliseconds between two probes of a connection, and between the first and later attempts to make it. */
const PROBE_INTERVAL_MS = 2_000;
const RETRY_PAUSE_MS = { first: 100, longest: 2_000 } as const;
/** Milliseconds for which a stop waits for entries that are not added yet. */
const CLOSE_WITHIN_MS = 1_000;

/** Adds entries to the stream in their order. While the server is away they wait, for a minute at most. */
export interface SignalWriter {
  /** Resolves when the server has the entry. @throws Error where it was given up */
  append(entry: StreamEntry): Promise<void>;
  isUp(): boolean;
  /** Whether the server is there, and nothing waits for it. */
  isIdle(): boolean;
  close(): Promise<void>;
}

export function createSignalWriter(url: string, logger: Pick<Logger, 'warn' | 'info'>): SignalWriter {
  const [connection, queue] = [createSignalConnection(url, logger), createSignalQueue()];
  let [draining, closed] = [false, false];

  async function drain(): Promise<void> {
    if (draining) return;
    draining = true;
    for (let pause: number = RETRY_PAUSE_MS.first; !queue.isEmpty() && !closed; ) {
      const batch = queue.first(BATCH);
      try {
        await connection.append(batch);
        queue.sent(batch.length);
        pause = RETRY_PAUSE_MS.first;
      } catch {
        await sleep(pause, undefined, { ref: false });
        pause = Math.min(pause * 2, RETRY_PAUSE_MS.longest);
        queue.dropOld();
      }
    }
    draining = false;
  }

  const probe = () => void (draining || connection.probe().catch(() => {}));
  const probes = setInterval(probe, PROBE_INTERVAL_MS).unref();
  probe();
  return {
    append(entry) {
      // After this turn of the event loop, so that all of its entries are in one transaction.
      setImmediate(() => void drain());
      return queue.push(entry);
    },
    isUp: connection.isUp,
    isIdle: () => queue.isEmpty() && connection.isUp(),
    async close() {
      const end = performance.now() + CLOSE_WITHIN_MS;
      while (!queue.isEmpty() && performance.now() < end) await sleep(10);
      closed = true;
      clearInterval(probes);
      queue.dropAll();
      await connection.close();
    },
  };
}
