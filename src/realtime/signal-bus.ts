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
import { createPgListener } from './pg-listener.ts';

type SignalListener = (payload: unknown) => void;

/** Carries signals between the processes of the server. Every signal goes through the database, also within one process. */
export interface SignalBus {
  /** Resolves when this process receives signals. @throws Error where the database cannot be reached */
  ready(): Promise<void>;
  /** Calls the listener with each signal to an address from now on. @returns a function that unsubscribes */
  subscribe(organizationId: number, address: SignalAddress, listener: SignalListener): () => void;
  /** Sends a signal from one browser to another. Signals that wait go in one statement, in their order. @returns whether it was sent */
  send(signal: PeerSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** Milliseconds for which ids of received signals are kept; longer than the minute that is read again after a lost connection. */
const REMEMBER_IDS_MS = 120_000;
/** Signals read in one statement. */
const READ_BATCH = 1_000;

export function createSignalBus({ prisma, directUrl }: Database, logger: Pick<Logger, 'warn'>): SignalBus {
  const send = createSender((signals) => relayPeerSignals(prisma, signals));
  const dispatcher = createDispatcher((references) => readSignals(prisma, references), logger);
  const listener = createPgListener(directUrl, {
    catchUp: async () => dispatcher.receive(await findRecentSignals(prisma)),
    onSignals: dispatcher.receive,
    logger,
  });
  return {
    ready: listener.ready,
    subscribe: dispatcher.subscribe,
    send,
    close: async () => {
      await listener.close();
      await dispatcher.idle();
    },
  };
}

/** Sends one statement at a time, so that signals keep their order. */
const createSender = (send: (signals: PeerSignal[]) => Promise<boolean[]>): ((signal: PeerSignal) => Promise<boolean>) =>
  createBatcher(MAX_SIGNALS_PER_STATEMENT, async (signals) => {
    const sent = await send(signals);
    return signals.map((_, index) => sent[index] === true);
  });

/** Reads each signal to an address with listeners once, and calls the listeners in the order in which the signals were stored. */
function createDispatcher(
  read: (references: SignalReference[]) => Promise<{ organizationId: number; address: string; payload: unknown }[]>,
  logger: Pick<Logger, 'warn'>,
) {
  const listeners = new Map<string, Set<SignalListener>>();
  const receivedAt = new Map<number, number>();
  const unread: SignalReference[] = [];
  let reading: Promise<void> | null = null;
  const keyOf = ({ organizationId, address }: { organizationId: number; address: string }) => `${organizationId} ${address}`;

  function forgetOldIds(now: number): void {
    for (const [id, at] of receivedAt) {
      if (at > now - REMEMBER_IDS_MS) break;
      receivedAt.delete(id);
    }
  }

  async function readAll(): Promise<void> {
    while (unread.length > 0) {
      const signals = await read(unread.splice(0, READ_BATCH)).catch((err: unknown) => {
        logger.warn({ err }, 'signals of rooms cannot be read');
        return [];
      });
      for (const signal of signals) for (const listener of [...(listeners.get(keyOf(signal)) ?? [])]) listener(signal.payload);
    }
    reading = null;
  }

  return {
    receive(references: readonly SignalReference[]): void {
      const now = performance.now();
      forgetOldIds(now);
      for (const reference of references) {
        if (receivedAt.has(reference.id)) continue;
        receivedAt.set(reference.id, now);
        if (listeners.has(keyOf(reference))) unread.push(reference);
      }
      if (unread.length > 0) reading ??= readAll();
    },
    subscribe(organizationId: number, address: SignalAddress, listener: SignalListener): () => void {
      const key = keyOf({ organizationId, address });
      const subscribed = listeners.get(key) ?? new Set();
      listeners.set(key, subscribed.add(listener));
      return () => {
        subscribed.delete(listener);
        if (subscribed.size === 0 && listeners.get(key) === subscribed) listeners.delete(key);
      };
    },
    idle: async () => {
      await reading;
    },
  };
}
