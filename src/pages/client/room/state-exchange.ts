import type { PersonState } from '../protocol.ts';

interface StateExchangeOptions {
  own(): PersonState;
  send(to: number, state: PersonState): void;
  show(id: number, state: PersonState): void;
}

/** A person who was told less than this ago gets no answer, or two browsers would answer each other forever. */
const ANSWER_AFTER_MS = 5_000;

/** Tells the other browsers which of the own devices are on, and shows theirs. */
export class StateExchange {
  readonly #options: StateExchangeOptions;
  readonly #toldAt = new Map<number, number>();

  constructor(options: StateExchangeOptions) {
    this.#options = options;
  }

  tell(ids: number[]): void {
    const state = this.#options.own();
    for (const id of ids) {
      this.#toldAt.set(id, performance.now());
      this.#options.send(id, state);
    }
  }

  /** Somebody who came back after a lost connection tells first, and is answered. */
  receive(from: number, state: PersonState): void {
    this.#options.show(from, state);
    const toldAt = this.#toldAt.get(from);
    if (toldAt === undefined || performance.now() - toldAt > ANSWER_AFTER_MS) this.tell([from]);
  }
}
