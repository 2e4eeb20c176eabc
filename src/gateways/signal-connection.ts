import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { connectRedis } from './redis-connection.ts';
import { signalServerUp } from './signal-metrics.ts';
import { appendEntries, createRedisClock, readClock, type StreamEntry } from './signal-stream.ts';

/** Entries of one transaction of the server: so many that a slow way to it does not bound the rate. */
export const BATCH = 1_000;
/**
 * Entries are added again after a lost connection if they are younger than this: a server that was killed, or whose replica took over,
 * may have taken them and not given them to every reader. Readers take each once.
 */
const REPEAT = { ms: 5_000, count: 2_000 } as const;

type HealthLogger = Pick<Logger, 'warn' | 'info'>;

/** Whether the server takes signals: told once each time that it changes. */
function createHealth(logger: HealthLogger) {
  let up = true;
  signalServerUp.set(1);
  return {
    isUp: () => up,
    /** @param error null where something went well */
    note(error: unknown): void {
      if (up === (error === null)) return;
      up = error === null;
      signalServerUp.set(up ? 1 : 0);
      if (up) logger.info('the signal server of the rooms takes signals again');
      else logger.warn({ err: error }, 'the signal server of the rooms cannot be used; signals wait for it');
    },
  };
}

/** The entries that were added last. */
function createRecent() {
  let recent: { entry: StreamEntry; at: number }[] = [];
  const isYoung = ({ at }: { at: number }) => at > performance.now() - REPEAT.ms;
  return {
    add(entries: readonly StreamEntry[]): void {
      const at = performance.now();
      recent = [...recent.filter(isYoung), ...entries.map((entry) => ({ entry, at }))].slice(-REPEAT.count);
    },
    list: () => recent.filter(isYoung).map(({ entry }) => entry),
  };
}

/** A connection that adds entries to the stream, made anew by the next use where it was lost. */
export function createSignalConnection(url: string, logger: HealthLogger) {
  const [clock, health, recent] = [createRedisClock(), createHealth(logger), createRecent()];
  let client: Promise<Redis> | null = null;

  async function open(): Promise<Redis> {
    const opened = await connectRedis(url);
    try {
      await readClock(opened, clock);
      const again = recent.list();
      for (let start = 0; start < again.length; start += BATCH) await appendEntries(opened, again.slice(start, start + BATCH), clock);
      return opened;
    } catch (error) {
      opened.disconnect();
      throw error;
    }
  }

  /** Does something on the connection, which is given up where that fails. */
  async function use(work: (connected: Redis) => Promise<unknown>): Promise<void> {
    const mine = client ?? open();
    client = mine;
    try {
      await work(await mine);
      health.note(null);
    } catch (error) {
      if (client === mine) client = null;
      mine.then((connected) => connected.disconnect()).catch(() => {});
      health.note(error);
      throw error;
    }
  }

  return {
    isUp: health.isUp,
    /** @throws Error where none was added, or none is known to be */
    async append(entries: readonly StreamEntry[]): Promise<void> {
      await use((connected) => appendEntries(connected, entries, clock));
      recent.add(entries);
    },
    /** Looks whether the server is there, and what its clock says. @throws Error where it is not */
    probe: () => use((connected) => readClock(connected, clock)),
    close: async () => (await client?.catch(() => null))?.disconnect(),
  };
}
