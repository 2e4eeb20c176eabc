import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import {
  findRecentSignals,
  MAX_SIGNALS_PER_STATEMENT,
  type PeerSignal,
  readSignals,
  relayPeerSignals,
  type SignalAddress,
  type SignalReference,
} from '../domain/telehealth/signals.ts';
import { createBatcher } from '../domain/unit-of-work/batcher.ts';
import { createEar } from './pg-listener.ts';

type Hear = (payload: unknown) => void;

/** How rooms reach each other over processes: everything goes through the database, also to somebody on this same process. */
export interface Exchange {
  /** Once this process hears what is told. @throws where the database cannot be reached */
  ready(): Promise<void>;
  /** Hears what is told to an address from now on. @returns how to stop */
  listen(organizationId: number, address: SignalAddress, hear: Hear): () => void;
  /** Passes on what a browser says; several that come together go in one statement, in their order. @returns whether it was passed on */
  say(said: PeerSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** Longer than what is read again after a loss. */
const REMEMBERED_MS = 120_000;

export function createExchange({ prisma, pool }: Database, logger: Pick<Logger, 'warn'>): Exchange {
  const post = createPost((said) => relayPeerSignals(prisma, said));
  const desk = createDesk((notes) => readSignals(prisma, notes), logger);
  const ear = createEar(pool.options, {
    catchUp: async () => desk.take(await findRecentSignals(prisma)),
    hear: desk.take,
    logger,
  });
  return {
    ready: ear.ready,
    listen: desk.listen,
    say: post,
    close: async () => {
      await ear.close();
      await desk.settled();
    },
  };
}

/** Outgoing: one statement at a time, so that nothing overtakes. */
const createPost = (send: (said: PeerSignal[]) => Promise<boolean[]>): ((said: PeerSignal) => Promise<boolean>) =>
  createBatcher(MAX_SIGNALS_PER_STATEMENT, async (said) => {
    const passed = await send(said);
    return said.map((_, place) => passed[place] === true);
  });

/** Incoming: reads what is for somebody here, each once, and hands it over in the order in which it was stored. */
function createDesk(
  read: (notes: SignalReference[]) => Promise<{ organizationId: number; address: string; payload: unknown }[]>,
  logger: Pick<Logger, 'warn'>,
) {
  const ears = new Map<string, Set<Hear>>();
  const seen = new Map<bigint, number>();
  const unread: SignalReference[] = [];
  let reading: Promise<void> | null = null;
  const keyOf = ({ organizationId, address }: { organizationId: number; address: string }) => `${organizationId} ${address}`;

  function forget(now: number): void {
    for (const [id, at] of seen) {
      if (at > now - REMEMBERED_MS) break;
      seen.delete(id);
    }
  }

  async function readAll(): Promise<void> {
    while (unread.length > 0) {
      const notes = unread.splice(0, 1_000);
      const signals = await read(notes).catch((err: unknown) => {
        logger.warn({ err }, 'signals of rooms cannot be read');
        return [];
      });
      for (const signal of signals) for (const hear of [...(ears.get(keyOf(signal)) ?? [])]) hear(signal.payload);
    }
    reading = null;
  }

  return {
    take(notes: readonly SignalReference[]): void {
      const now = performance.now();
      forget(now);
      for (const note of notes) {
        if (seen.has(note.id)) continue;
        seen.set(note.id, now);
        if (ears.has(keyOf(note))) unread.push(note);
      }
      if (unread.length > 0) reading ??= readAll();
    },
    listen(organizationId: number, address: SignalAddress, hear: Hear): () => void {
      const key = keyOf({ organizationId, address });
      const those = ears.get(key) ?? new Set();
      ears.set(key, those.add(hear));
      return () => {
        those.delete(hear);
        if (those.size === 0 && ears.get(key) === those) ears.delete(key);
      };
    },
    settled: async () => {
      await reading;
    },
  };
}
