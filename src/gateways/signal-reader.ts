import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { connectRedis } from './redis-connection.ts';
import { newestPosition, type Position, RETAIN_MS, readAfter, resumeAfter, type StreamEntry } from './signal-stream.ts';

/** Milliseconds for which a browser that enters waits for the connection. */
const READY_WITHIN_MS = 4_000;
/** Milliseconds between attempts to connect: the pause doubles from the first to the longest. */
const RETRY_PAUSE_MS = { first: 200, longest: 2_000 } as const;

interface ReaderOptions {
  onEntries: (entries: StreamEntry[]) => void;
  /** Called where the reader was away for so long that entries may have gone unread. */
  onGap: () => void;
  logger: Pick<Logger, 'warn'>;
}

/** Reads the stream from its end on; after a lost connection, from where it was. */
export interface SignalReader {
  /** Resolves when entries from now on are read. @throws Error where the server cannot be reached */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export function createSignalReader(url: string, { onEntries, onGap, logger }: ReaderOptions): SignalReader {
  const state = createReadingState(logger);
  let position: Position | null = null;
  let readAt = performance.now();
  let closed = false;
  let running: Promise<void> | null = null;
  let client: Redis | null = null;

  async function read(connected: Redis): Promise<void> {
    let after = position === null ? await newestPosition(connected) : await resumeAfter(connected, position);
    if (position !== null && performance.now() - readAt > RETAIN_MS) onGap();
    state.begin();
    for (position = after; !closed; position = after) {
      readAt = performance.now();
      const read = await readAfter(connected, after);
      after = read?.position ?? (await resumeAfter(connected, after));
      if (read) onEntries(read.entries);
    }
  }

  async function run(): Promise<void> {
    for (let pause: number = RETRY_PAUSE_MS.first; !closed; pause = Math.min(pause * 2, RETRY_PAUSE_MS.longest)) {
      try {
        client = await connectRedis(url);
        if (!closed) await read(client);
      } catch (error) {
        if (state.isReading()) pause = RETRY_PAUSE_MS.first;
        if (!closed) state.lose(error);
      }
      client?.disconnect();
      if (!closed) await sleep(pause, undefined, { ref: false });
    }
  }

  return {
    async ready() {
      if (closed) throw new Error('the rooms are closed');
      running ??= run();
      await state.ready();
    },
    async close() {
      closed = true;
      client?.disconnect();
      await Promise.race([running, sleep(500, undefined, { ref: false })]);
    },
  };
}

/** Whether entries are read, and who waits for that. */
function createReadingState(logger: Pick<Logger, 'warn'>) {
  let reading = Promise.withResolvers<void>();
  let [isReading, isWarned] = [false, false];
  return {
    isReading: () => isReading,
    begin(): void {
      [isReading, isWarned] = [true, false];
      reading.resolve();
    },
    lose(error: unknown): void {
      if (isReading) reading = Promise.withResolvers<void>();
      isReading = false;
      if (!isWarned) logger.warn({ err: error }, 'signals of the rooms cannot be read; the connection is made anew');
      isWarned = true;
    },
    /** @throws Error where nothing is read within READY_WITHIN_MS */
    async ready(): Promise<void> {
      if (isReading) return;
      const late = sleep(READY_WITHIN_MS, undefined, { ref: false }).then(() => {
        throw new Error('the signal server cannot be reached');
      });
      await Promise.race([reading.promise, late]);
    },
  };
}
