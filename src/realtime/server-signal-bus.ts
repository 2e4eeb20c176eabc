import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { createPrepared } from '../database/statement.ts';
import { unavailable } from '../domain/errors.ts';
import type { RoomNotices } from '../domain/telehealth/room-notices.ts';
import { mayRelay } from '../domain/telehealth/signals.sql.ts';
import type { PeerSignal } from '../domain/telehealth/signals.ts';
import { createBatcher } from '../domain/unit-of-work/batcher.ts';
import type { ReceivedSignal, SignalServer } from '../gateways/signal-server.ts';
import type { SignalBus } from './signal-bus.ts';
import { createReceivedIds, createSubscriptions } from './signal-subscriptions.ts';

/** Signals checked in one statement. */
const CHECK_BATCH = 1_000;
/** Milliseconds between two looks for notices that their process did not send. */
const SWEEP_INTERVAL_MS = 1_000;

export interface ServerBusDeps {
  database: Pick<Database, 'pool'>;
  signalServer: SignalServer;
  roomNotices: RoomNotices;
  logger: Pick<Logger, 'warn'>;
  /** Called where signals to connections of this process may have been missed, so that they connect anew. */
  onGap: () => void;
}

/** Signals through the server of SIGNAL_URL; the database says who may reach whom. */
export function createServerSignalBus({ database, signalServer, roomNotices, logger, onGap }: ServerBusDeps): SignalBus {
  const [subscriptions, prepared] = [createSubscriptions(), createPrepared(database.pool)];
  const isNew = createReceivedIds<string>();

  function receive(signals: readonly ReceivedSignal[]): void {
    for (const signal of signals) {
      if (!subscriptions.has(signal) || !isNew(signal.id)) continue;
      try {
        subscriptions.deliver({ ...signal, payload: signal.open() });
      } catch (err) {
        logger.warn({ err }, 'a signal of a room was not taken');
      }
    }
  }

  /** A signal that waits for the server counts as sent: it arrives within a minute, or its receiver connects anew. */
  async function sendAll(signals: readonly PeerSignal[]): Promise<boolean[]> {
    const allowed = await mayRelay(prepared, signals);
    for (const [place, { organizationId, from, to, data }] of signals.entries()) {
      if (!allowed[place]) continue;
      signalServer.send({ organizationId, address: `participant:${to}`, payload: { type: 'signal', from, data } }).catch(() => {});
    }
    return allowed;
  }

  const reader = signalServer.listen({ onSignals: receive, onGap });
  let sweeping: Promise<void> | null = null;
  let sweeps: NodeJS.Timeout | null = null;
  async function sweep(): Promise<void> {
    await roomNotices.sweep().catch((err: unknown) => logger.warn({ err }, 'notices to rooms were not sent yet'));
    sweeping = null;
  }
  return {
    async ready() {
      await reader.ready().catch((cause: unknown) => {
        throw unavailable('Try again in a moment.', cause);
      });
      sweeps ??= setInterval(() => {
        sweeping ??= sweep();
      }, SWEEP_INTERVAL_MS).unref();
    },
    subscribe: subscriptions.subscribe,
    // One batch at a time, so that signals keep their order.
    send: createBatcher(CHECK_BATCH, sendAll),
    async close() {
      clearInterval(sweeps ?? undefined);
      await reader.close();
      await sweeping;
    },
  };
}
