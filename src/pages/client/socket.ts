import type { Closing, FromServer, Joined, ToServer } from './protocol.ts';

export interface LineEvents {
  heard(message: FromServer): void;
  /** It broke, and is worth joining anew. */
  lost(): void;
  /** It is over, and stays so. `why` as docs/telehealth.md has it, where the server said so. */
  over(words: string | null, why: Closing['code'] | null): void;
}

/** The server answers each ping; a line on which it does not is dead, whatever the browser says. */
const DEAD_AFTER_MS = 25_000;
/** Joining anew would end the same way. */
const FINAL = [1000, 4410, 4409, 1008, 1009];

const BROKEN = 'The connection was ended because of an error of this page. Reload it to join again.';
const WORDS: Record<number, string> = {
  4409: 'This visit was opened in another window. It goes on there.',
  1008: BROKEN,
  1009: BROKEN,
};

/** The line to the server while one waits or is in a session, opened with the token of a join. */
export class Line {
  readonly #socket: WebSocket;
  readonly #clock = new Worker(new URL('./clock.ts', import.meta.url), { type: 'module' });
  readonly #events: LineEvents;
  #goodbye: Closing | null = null;
  #heardAt = performance.now();
  #ended = false;

  constructor({ signal, token }: Joined, events: LineEvents) {
    this.#events = events;
    this.#socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${signal}`);
    this.#socket.addEventListener('open', () => this.say({ type: 'enter', token }));
    this.#socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data))));
    this.#socket.addEventListener('close', ({ code }) => this.#close(code));
    this.#clock.addEventListener('message', () => this.#beat());
  }

  /** @returns whether the line stands */
  say(message: ToServer): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Ends it without a word. */
  drop(): void {
    this.#ended = true;
    this.#clock.terminate();
    this.#socket.close();
  }

  #hear(message: FromServer): void {
    if (this.#ended) return;
    this.#heardAt = performance.now();
    if (message.type === 'closing') this.#goodbye = message;
    this.#events.heard(message);
  }

  #beat(): void {
    if (this.#ended) return;
    if (performance.now() - this.#heardAt > DEAD_AFTER_MS) this.#close(null);
    else this.say({ type: 'ping' });
  }

  #close(code: number | null): void {
    if (this.#ended) return;
    this.drop();
    if (code === null || !FINAL.includes(code)) this.#events.lost();
    else this.#events.over(this.#goodbye?.message ?? WORDS[code] ?? null, this.#goodbye?.code ?? null);
  }
}
