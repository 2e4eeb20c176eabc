import type { Person } from '../../../realtime/room-protocol.ts';
import type { Joined, SignalData } from '../protocol.ts';
import type { Media, MediaEvents } from './media.ts';
import { Peer, type VideoLimits } from './peer.ts';

interface PeerEntry {
  peer: Peer;
  /** The session id in the descriptions of the other browser (RFC 8866, 5.2), which tells its connections apart. */
  session: string | null;
  /** It has been connected at least once. */
  hasConnected: boolean;
}

/**
 * A connection that is not established after this time is replaced. Each attempt has twice the time of the one before, since a
 * slow device may need longer, and would otherwise never be done.
 */
const CONNECT_TIMEOUT_MS = 15_000;
const LONGEST_TIMEOUT_MS = 120_000;
/** By the number of people in the room: each of three or four sends to two or three others. */
const LIMITS_OF_TWO: VideoLimits = { height: 720, bitrate: 1_500_000 };
const LIMITS_OF_MORE: VideoLimits = { height: 360, bitrate: 500_000 };
const QUALITY_INTERVAL_MS = 5_000;
/** Share of lost packets from which on pictures stand still or break. */
const POOR_LOSS = 0.08;
/** Signal that greets another browser and asks it to drop an earlier connection. */
const HELLO: SignalData = { description: { type: 'rollback' } };

const readSessionId = (sdp: string | undefined): string | null => /^o=\S+ (\d+)/m.exec(sdp ?? '')?.[1] ?? null;

/**
 * Connects this browser directly with each of the others. A browser that joins greets the others; of two browsers, the one with
 * the larger id makes the offer.
 */
export class Mesh implements Media {
  readonly way = 'mesh';
  readonly #me: number;
  readonly #local: MediaStream;
  readonly #events: MediaEvents;
  #iceServers: RTCIceServer[];
  readonly #peers = new Map<number, PeerEntry>();
  readonly #greeted = new Set<number>();
  /** Ids of browsers that have sent something. */
  readonly #heardFrom = new Set<number>();
  readonly #attempts = new Map<number, number>();
  readonly #qualityTimer = setInterval(() => void this.#readQuality(), QUALITY_INTERVAL_MS);
  #limits = LIMITS_OF_TWO;

  constructor(joined: Joined, local: MediaStream, events: MediaEvents) {
    this.#me = joined.you.id;
    this.#iceServers = joined.ice_servers;
    this.#local = local;
    this.#events = events;
  }

  setPeople(people: Person[]): void {
    const others = people.map(({ id }) => id).filter((id) => id !== this.#me);
    for (const id of [...this.#peers.keys(), ...this.#greeted]) if (!others.includes(id)) this.#forget(id);
    for (const id of others) if (!this.#greeted.has(id)) this.#greet(id);
    const limits = others.length > 1 ? LIMITS_OF_MORE : LIMITS_OF_TWO;
    if (limits === this.#limits) return;
    this.#limits = limits;
    for (const { peer } of this.#peers.values()) void peer.limitVideo(limits);
  }

  replaceVideo(track: MediaStreamTrack | null): void {
    for (const { peer } of this.#peers.values()) void peer.replaceVideo(track).then(() => peer.limitVideo(this.#limits));
  }

  receiveSignal(from: number, data: SignalData): void {
    if (data.description?.type === 'rollback') this.#receiveHello(from);
    else this.#receivePeerSignal(from, data);
  }

  /** Signals that were sent while the socket was down are lost, so browsers without a connection are greeted again. */
  rejoin({ ice_servers }: Joined): void {
    this.#iceServers = ice_servers;
    for (const [id, { peer }] of this.#peers) {
      if (peer.connected) continue;
      this.#greeted.delete(id);
      this.#heardFrom.delete(id);
    }
  }

  close(): void {
    clearInterval(this.#qualityTimer);
    for (const id of [...this.#peers.keys()]) this.#forget(id);
  }

  #receivePeerSignal(from: number, data: SignalData): void {
    this.#heardFrom.add(from);
    const session = data.description?.type === 'offer' ? readSessionId(data.description.sdp) : null;
    let one = this.#peers.get(from);
    const isAnother = session !== null && one !== undefined && one.session !== null && one.session !== session;
    if (!one || isAnother) one = this.#begin(from);
    if (session !== null) one.session = session;
    void one.peer.receiveSignal(data);
  }

  #greet(id: number): void {
    this.#greeted.add(id);
    this.#events.sendMessage({ type: 'signal', to: id, data: HELLO });
    if (this.#me > id) this.#call(id);
  }

  #receiveHello(by: number): void {
    // Both greeted at the same time: this browser's greeting was already sent, so none is needed in return.
    const crossed = this.#greeted.has(by) && !this.#heardFrom.has(by);
    this.#heardFrom.add(by);
    this.#greeted.add(by);
    if (this.#me < by) {
      if (!crossed) this.#begin(by);
    } else if (!crossed || !this.#peers.has(by)) this.#call(by);
  }

  #call(id: number): void {
    const one = this.#begin(id);
    one.peer.call();
    const attempts = this.#attempts.get(id) ?? 0;
    this.#attempts.set(id, attempts + 1);
    setTimeout(
      () => {
        if (this.#peers.get(id) === one && !one.hasConnected) this.#call(id);
      },
      Math.min(LONGEST_TIMEOUT_MS, CONNECT_TIMEOUT_MS * 2 ** attempts),
    );
  }

  #begin(id: number): PeerEntry {
    this.#peers.get(id)?.peer.close();
    const one: PeerEntry = { session: null, hasConnected: false, peer: this.#connect(id, (state) => this.#changed(id, one, state)) };
    this.#peers.set(id, one);
    this.#events.onStream(id, one.peer.stream);
    return one;
  }

  #connect(id: number, onStateChange: (state: RTCPeerConnectionState) => void): Peer {
    return new Peer({
      iceServers: this.#iceServers,
      localStream: this.#local,
      polite: this.#me < id,
      onStateChange,
      sendSignal: (data) => this.#events.sendMessage({ type: 'signal', to: id, data }),
    });
  }

  #changed(id: number, one: PeerEntry, state: RTCPeerConnectionState): void {
    if (this.#peers.get(id) !== one) return;
    if (state === 'connected') {
      one.hasConnected = true;
      this.#attempts.delete(id);
      void one.peer.limitVideo(this.#limits);
    }
    this.#events.onQuality(id, state === 'connected' ? 'connected' : one.hasConnected ? 'reconnecting' : 'connecting');
  }

  async #readQuality(): Promise<void> {
    for (const [id, { peer }] of this.#peers) {
      if (!peer.connected) continue;
      const loss = await peer.readLoss();
      if (peer.connected) this.#events.onQuality(id, loss > POOR_LOSS ? 'poor' : 'connected');
    }
  }

  #forget(id: number): void {
    this.#peers.get(id)?.peer.close();
    this.#peers.delete(id);
    this.#greeted.delete(id);
    this.#heardFrom.delete(id);
    this.#attempts.delete(id);
    this.#events.onLeft(id);
  }
}
