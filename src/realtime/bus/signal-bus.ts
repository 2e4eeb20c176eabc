import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import {
  findRecentSignals,
  MAX_SIGNALS_PER_STATEMENT,
  type PeerSignal,
  readSignals,
  relayPeerSignals,
  type SignalAddress,
  type SignalReference,
} from '../../domain/telehealth/sessions/signals.ts';
import { createBatcher } from '../../domain/unit-of-work/batcher.ts';
import { createPgListener } from './pg-listener.ts';
import { createReceivedIds, createSubscriptions, type SignalListener } from './signal-subscriptions.ts';

/** Signals read in one statement. */
const READ_BATCH = 1_000;

/**
 * Carries signals between the processes of the server, also within one process: as rows of session_signal, announced by NOTIFY.
 * Signals of one browser arrive in their order, each at most once; none is lost while a connection is made again, for a minute.
 */
export interface SignalBus {
  /** Resolves when this process receives signals. @throws Error where the database cannot be reached */
  ready(): Promise<void>;
  /** Calls the listener with each signal to an address from now on. @returns a function that unsubscribes */
  subscribe(organizationId: number, address: SignalAddress, listener: SignalListener): () => void;
  /**
   * Sends a signal from one browser to another, only between two participants who are both in the present visit of the same session.
   * Signals that wait are checked in one statement, in their order. @returns whether it was sent
   */
  send(signal: PeerSignal): Promise<boolean>;
  close(): Promise<void>;
}

export function createSignalBus({ prisma, directUrl }: Database, logger: Pick<Logger, 'warn'>): SignalBus {
  const subscriptions = createSubscriptions();
  const reader = createReader(subscriptions, (references) => readSignals(prisma, references), logger);
  const listener = createPgListener(directUrl, {
    catchUp: async () => reader.receive(await findRecentSignals(prisma)),
    onSignals: reader.receive,
    logger,
  });
  return {
    ready: listener.ready,
    subscribe: subscriptions.subscribe,
    // One statement at a time, so that signals keep their order.
    send: createBatcher(MAX_SIGNALS_PER_STATEMENT, (signals) => relayPeerSignals(prisma, signals)),
    close: async () => {
      await listener.close();
      await reader.idle();
    },
  };
}

/** Reads each signal to an address with listeners once, and calls the listeners in the order in which the signals were stored. */
function createReader(
  subscriptions: ReturnType<typeof createSubscriptions>,
  read: (references: SignalReference[]) => Promise<{ organizationId: number; address: string; payload: unknown }[]>,
  logger: Pick<Logger, 'warn'>,
) {
  const isNew = createReceivedIds();
  const unread: SignalReference[] = [];
  let reading: Promise<void> | null = null;

  async function readAll(): Promise<void> {
    while (unread.length > 0) {
      const signals = await read(unread.splice(0, READ_BATCH)).catch((err: unknown) => {
        logger.warn({ err }, 'signals of rooms cannot be read');
        return [];
      });
      for (const signal of signals) subscriptions.deliver(signal);
    }
    reading = null;
  }

  return {
    receive(references: readonly SignalReference[]): void {
      for (const reference of references) if (isNew(reference.id) && subscriptions.has(reference)) unread.push(reference);
      if (unread.length > 0) reading ??= readAll();
    },
    idle: async () => {
      await reading;
    },
  };
}
