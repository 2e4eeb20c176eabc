import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { connectRedis } from './redis-connection.ts';
import { signalServerUp } from './signal-metrics.ts';
import { appendEntries, createRedisClock, RETAIN_MS, readClock, type StreamEntry } from './signal-stream.ts';

/** Entries of one transaction of the server: so many that a slow way to it does not bound the rate. */
export const BATCH = 1_000;
/**
 * After a lost connection the entries are added again that were younger than this at the server's last answer, however long it was away:
 * a server that was killed, or whose replica took over, may have taken them and not given them to every reader. Readers take each once.
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

/** The entries that were added last before the server's last answer. */
function createRecent() {
  let recent: { entry: StreamEntry; since: number; at: number }[] = [];
  return {
    /** The server has answered. @param entries what it has taken */
    add(entries: readonly StreamEntry[]): void {
      const now = performance.now();
      const kept = recent.filter(({ at }) => at > now - REPEAT.ms);
      recent = [...kept, ...entries.map((entry) => ({ entry, since: now, at: now }))].slice(-REPEAT.count);
    },
    /** Those to add again: not where their minute is over, since their receivers connect anew. */
    list: () => recent.filter(({ since }) => since > performance.now() - RETAIN_MS).map(({ entry }) => entry),
    /** They were added again, to a server that may be lost again. */
    addedAgain(): void {
      const at = performance.now();
      recent = recent.map((one) => ({ ...one, at }));
    },
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
      recent.addedAgain();
      return opened;
    } catch (error) {
      opened.disconnect();
      throw error;
    }
  }

  /** Does something on the connection, which is given up where that fails. @param entries what it adds */
  async function use(work: (connected: Redis) => Promise<unknown>, entries: readonly StreamEntry[] = []): Promise<void> {
    const mine = client ?? open();
    client = mine;
    try {
      await work(await mine);
      recent.add(entries);
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
    append: (entries: readonly StreamEntry[]): Promise<void> => use((connected) => appendEntries(connected, entries, clock), entries),
    /** Looks whether the server is there, and what its clock says. @throws Error where it is not */
    probe: () => use((connected) => readClock(connected, clock)),
    close: async () => (await client?.catch(() => null))?.disconnect(),
  };
}
