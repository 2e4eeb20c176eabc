import type { Media, MediaEvents } from './media.ts';
import { Peer } from './peer.ts';
import type { Joined, Person, SignalData } from './protocol.ts';

interface Known {
  peer: Peer;
  /** Which of the other browser's connections its words belong to: the session id of its descriptions (RFC 8866, 5.2). */
  session: string | null;
  /** Something came of it. */
  worked: boolean;
}

/** A connection that is not there after so long is made anew. */
const PATIENCE_MS = 10_000;
/** Says to another browser: I am new here, forget what we had. */
const AFRESH: SignalData = { description: { type: 'rollback' } };

const sessionOf = (sdp: string | undefined): string | null => /^o=\S+ (\d+)/m.exec(sdp ?? '')?.[1] ?? null;

/**
 * Connects this browser with each of the others, as long as they are few. Whoever comes greets those who are there; of two,
 * the one with the larger id calls.
 */
export class Mesh implements Media {
  readonly way = 'mesh';
  readonly #me: number;
  readonly #local: MediaStream;
  readonly #events: MediaEvents;
  #iceServers: RTCIceServer[];
  readonly #known = new Map<number, Known>();
  readonly #greeted = new Set<number>();
  /** Those who greeted us. */
  readonly #heardOf = new Set<number>();

  constructor(joined: Joined, local: MediaStream, events: MediaEvents) {
    this.#me = joined.you.id;
    this.#iceServers = joined.ice_servers;
    this.#local = local;
    this.#events = events;
  }

  people(people: Person[]): void {
    const others = people.map(({ id }) => id).filter((id) => id !== this.#me);
    for (const id of [...this.#known.keys(), ...this.#greeted]) if (!others.includes(id)) this.#forget(id);
    for (const id of others) if (!this.#greeted.has(id)) this.#greet(id);
  }

  take(from: number, data: SignalData): void {
    if (data.description?.type === 'rollback') this.#beGreeted(from);
    else this.#hear(from, data);
  }

  /** What was said while the line was down went nowhere: those who are not connected now are greeted again. */
  renew({ ice_servers }: Joined): void {
    this.#iceServers = ice_servers;
    for (const [id, { peer }] of this.#known) {
      if (peer.connected) continue;
      this.#greeted.delete(id);
      this.#heardOf.delete(id);
    }
  }

  close(): void {
    for (const id of [...this.#known.keys()]) this.#forget(id);
  }

  #hear(from: number, data: SignalData): void {
    this.#heardOf.add(from);
    const session = data.description?.type === 'offer' ? sessionOf(data.description.sdp) : null;
    let one = this.#known.get(from);
    const isAnother = session !== null && one !== undefined && one.session !== null && one.session !== session;
    if (!one || isAnother) one = this.#begin(from);
    if (session !== null) one.session = session;
    void one.peer.take(data);
  }

  #greet(id: number): void {
    this.#greeted.add(id);
    this.#events.say({ type: 'signal', to: id, data: AFRESH });
    if (this.#me > id) this.#call(id);
  }

  #beGreeted(by: number): void {
    // Both came at once: the greeting that was sent stands for both.
    const crossed = this.#greeted.has(by) && !this.#heardOf.has(by);
    this.#heardOf.add(by);
    this.#greeted.add(by);
    if (this.#me < by) {
      if (!crossed) this.#begin(by);
    } else if (!crossed || !this.#known.has(by)) this.#call(by);
  }

  #call(id: number): void {
    const one = this.#begin(id);
    one.peer.call();
    setTimeout(() => {
      if (this.#known.get(id) === one && !one.worked) this.#call(id);
    }, PATIENCE_MS);
  }

  #begin(id: number): Known {
    this.#known.get(id)?.peer.close();
    const one: Known = { session: null, worked: false, peer: this.#connect(id, (state) => this.#changed(id, one, state)) };
    this.#known.set(id, one);
    this.#events.shown(id, one.peer.stream);
    return one;
  }

  #connect(id: number, changed: (state: RTCPeerConnectionState) => void): Peer {
    return new Peer({
      ...{ iceServers: this.#iceServers, local: this.#local, polite: this.#me < id, changed },
      tell: (data) => this.#events.say({ type: 'signal', to: id, data }),
    });
  }

  #changed(id: number, one: Known, state: RTCPeerConnectionState): void {
    if (this.#known.get(id) !== one) return;
    if (state === 'connected') one.worked = true;
    this.#events.faltering(id, state === 'disconnected' || state === 'failed');
  }

  #forget(id: number): void {
    this.#known.get(id)?.peer.close();
    this.#known.delete(id);
    this.#greeted.delete(id);
    this.#heardOf.delete(id);
    this.#events.left(id);
  }
}
