import type { Closing, FromServer, Joined, ToServer } from './protocol.ts';
import { failureWords, WORDS } from './words/words.ts';

export interface SocketEvents {
  onMessage(message: FromServer): void;
  /** The connection was lost; the page should join again. */
  onLost(): void;
  /** Nothing arrives at the moment, or something does again. */
  onSilent(isSilent: boolean): void;
  /** The connection ended for good. `why` is the code of the server's `closing` message (docs/telehealth-protocol.md), if there was one. */
  onOver(words: string | null, why: Closing['code'] | null): void;
}

/**
 * The server answers each ping, which goes every two seconds. Without an answer for so long the person is told at the next one, so within five
 * seconds, and later the connection is given up, whatever its state says.
 */
const TOLD_AFTER_MS = 3_000;
const SILENT_AFTER_MS = 25_000;
/** Close codes after which joining again would fail the same way. */
const FINAL_CODES = [1000, 4410, 4409, 1008, 1009];

const CODE_MESSAGES: Record<number, string> = {
  4409: WORDS.socket.otherWindow,
  1008: WORDS.socket.protocol,
  1009: WORDS.socket.protocol,
};

/** The WebSocket to the server, while the person waits or is in a session. It is entered with the token of a join. */
export class RoomSocket {
  readonly #socket: WebSocket;
  readonly #pingTimer = new Worker(new URL('./ping-timer.ts', import.meta.url), { type: 'module' });
  readonly #events: SocketEvents;
  #closing: Closing | null = null;
  #lastMessageAt = performance.now();
  #ended = false;
  #isSilent = false;

  constructor({ signal, token }: Joined, events: SocketEvents) {
    this.#events = events;
    this.#socket = new WebSocket(
      `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${signal}?lang=${document.documentElement.lang}`,
    );
    this.#socket.addEventListener('open', () => this.send({ type: 'enter', token }));
    this.#socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))));
    this.#socket.addEventListener('close', ({ code }) => this.#close(code));
    this.#pingTimer.addEventListener('message', () => this.#ping());
  }

  /** @returns whether the socket is open */
  send(message: ToServer): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Closes without calling any event. */
  closeSilently(): void {
    this.#ended = true;
    this.#pingTimer.terminate();
    this.#socket.close();
  }

  #receive(message: FromServer): void {
    if (this.#ended) return;
    this.#lastMessageAt = performance.now();
    this.#tellSilent(false);
    if (message.type === 'closing') this.#closing = message;
    this.#events.onMessage(message);
  }

  #ping(): void {
    if (this.#ended) return;
    const silent = performance.now() - this.#lastMessageAt;
    if (silent > TOLD_AFTER_MS) this.#tellSilent(true);
    if (silent > SILENT_AFTER_MS) this.#close(null);
    else this.send({ type: 'ping' });
  }

  #tellSilent(isSilent: boolean): void {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    this.#events.onSilent(isSilent);
  }

  #closingWords(): string | null {
    return this.#closing && failureWords(this.#closing.code, this.#closing.message);
  }

  #close(code: number | null): void {
    if (this.#ended) return;
    this.closeSilently();
    if (code === null || !FINAL_CODES.includes(code)) this.#events.onLost();
    else this.#events.onOver(this.#closingWords() ?? CODE_MESSAGES[code] ?? null, this.#closing?.code ?? null);
  }
}
