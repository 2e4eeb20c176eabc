import type { PeerSignal, SignalAddress } from '../domain/telehealth/signals.ts';
import type { SignalListener } from './signal-subscriptions.ts';

/**
 * Carries signals between the processes of the server, also within one process: through PostgreSQL, or through the server of SIGNAL_URL.
 * Signals of one browser arrive in their order, each at most once; none is lost while a connection is made anew, for a minute.
 */
export interface SignalBus {
  /** Resolves when this process receives signals. @throws Error where what carries them cannot be reached */
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
