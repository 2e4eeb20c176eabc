import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Keyring, SealedPlace } from '../database/keyring.ts';
import { createSignalReader, type SignalReader } from './signal-reader.ts';
import type { StreamEntry } from './signal-stream.ts';
import { createSignalWriter } from './signal-writer.ts';

/** A signal to the connections at an address of a practice. */
export interface SentSignal {
  organizationId: number;
  address: string;
  payload: object;
}

/** A signal as it was read. `open` decrypts its payload: most are for connections of other processes. */
export interface ReceivedSignal extends Pick<StreamEntry, 'id' | 'organizationId' | 'address'> {
  /** @throws KeyringError where it was altered, or encrypted under a key that is not configured */
  open(): unknown;
}

/** The Redis or Valkey server of SIGNAL_URL, whose one stream carries the signals of all rooms, encrypted, for a minute or two. */
export interface SignalServer {
  /**
   * Signals of one process arrive in their order. While the server is away they wait, for a minute at most.
   * @param id the same for a signal that another process may send too, so that each reader takes it once
   * @throws Error where it was given up
   */
  send(signal: SentSignal, id?: string): Promise<void>;
  /** @param options.onGap called where signals may have been missed */
  listen(options: { onSignals: (signals: ReceivedSignal[]) => void; onGap: () => void }): SignalReader;
  /** Whether the server took signals, or answered, when it was last asked: two seconds ago at most. */
  isUp(): boolean;
  /** Whether it is up, and nothing waits for it. */
  isIdle(): boolean;
  close(): Promise<void>;
}

const PURPOSE = 'room-signal';
/** A payload opens for its address alone, and in the entry of its id. */
const placeOf = ({ organizationId, address, id }: Pick<StreamEntry, 'organizationId' | 'address' | 'id'>): SealedPlace => ({
  table: 'signal_stream',
  column: address,
  organizationId,
  row: id,
});

export function createSignalServer(url: string, keyring: Keyring, logger: Pick<Logger, 'warn' | 'info'>): SignalServer {
  const writer = createSignalWriter(url, logger);
  const process = randomUUID();
  let count = 0;
  function nextId(): string {
    count += 1;
    return `${process}.${count}`;
  }

  function received(entry: StreamEntry): ReceivedSignal {
    const { id, organizationId, address } = entry;
    return { id, organizationId, address, open: () => JSON.parse(keyring.decrypt(PURPOSE, entry.sealed, placeOf(entry))) };
  }

  return {
    send({ organizationId, address, payload }, id = nextId()) {
      const sealed = keyring.encrypt(PURPOSE, JSON.stringify(payload), placeOf({ organizationId, address, id }));
      return writer.append({ id, organizationId, address, sealed });
    },
    listen: ({ onSignals, onGap }) => createSignalReader(url, { onEntries: (entries) => onSignals(entries.map(received)), onGap, logger }),
    isUp: writer.isUp,
    isIdle: writer.isIdle,
    close: writer.close,
  };
}
