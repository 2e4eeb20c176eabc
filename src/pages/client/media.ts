import type { Joined, Person, SignalData, ToServer } from './protocol.ts';

/** How pictures and sound reach the others. */
export interface Media {
  readonly way: Joined['way'];
  /** Who is in the room, oneself among them. */
  people(people: Person[]): void;
  /** Another browser's signal. */
  take(from: number, data: SignalData): void;
  /** After joining anew. */
  renew(joined: Joined): void;
  close(): void;
}

export interface MediaEvents {
  say(message: ToServer): void;
  /** This is what is seen and heard of a person from now on. */
  shown(id: number, stream: MediaStream): void;
  left(id: number): void;
  /** Their connection is bad, or good again. */
  faltering(id: number, bad: boolean): void;
}
