import { Counter } from 'prom-client';
import type { SignalAddress } from '../../domain/telehealth/sessions/signals.ts';

export type SignalListener = (payload: unknown) => void;

interface Addressed {
  organizationId: number;
  address: string;
}

/** Milliseconds for which ids of received signals are kept; longer than the minute that is read again after a lost connection. */
const REMEMBER_IDS_MS = 120_000;

const delivered = new Counter({
  name: 'video_signals_delivered_total',
  help: 'Signals of video rooms that this process passed to its connections',
});

/** The listeners of this process, by address. */
export function createSubscriptions() {
  const listeners = new Map<string, Set<SignalListener>>();
  const toKey = ({ organizationId, address }: Addressed) => `${organizationId} ${address}`;
  return {
    has: (signal: Addressed): boolean => listeners.has(toKey(signal)),
    deliver(signal: Addressed & { payload: unknown }): void {
      for (const listener of [...(listeners.get(toKey(signal)) ?? [])]) listener(signal.payload);
      delivered.inc();
    },
    subscribe(organizationId: number, address: SignalAddress, listener: SignalListener): () => void {
      const key = toKey({ organizationId, address });
      const subscribed = listeners.get(key) ?? new Set();
      listeners.set(key, subscribed.add(listener));
      return () => {
        subscribed.delete(listener);
        if (subscribed.size === 0 && listeners.get(key) === subscribed) listeners.delete(key);
      };
    },
  };
}

/** The ids of the signals that were received lately. @returns a function that says whether one is new, and remembers it */
export function createReceivedIds(): (id: number) => boolean {
  const receivedAt = new Map<number, number>();
  return (id) => {
    const now = performance.now();
    for (const [old, at] of receivedAt) {
      if (at > now - REMEMBER_IDS_MS) break;
      receivedAt.delete(old);
    }
    if (receivedAt.has(id)) return false;
    receivedAt.set(id, now);
    return true;
  };
}
