import type { SignalData } from './protocol.ts';

export interface PeerOptions {
  iceServers: RTCIceServer[];
  local: MediaStream;
  /** Gives way where both make an offer at once. */
  polite: boolean;
  tell(data: SignalData): void;
  changed(state: RTCPeerConnectionState): void;
}

const KINDS = ['audio', 'video'] as const;

/**
 * The connection to one other person, after the pattern of perfect negotiation (W3C, WebRTC 1.0, section 10.7). There is one
 * line for sound and one for the picture from the start, so that what is turned on later needs no new offer.
 */
export class Peer {
  /** Their picture and sound. */
  readonly stream = new MediaStream();
  readonly #connection: RTCPeerConnection;
  readonly #options: PeerOptions;
  #offering = false;

  constructor(options: PeerOptions) {
    const connection = new RTCPeerConnection({ iceServers: options.iceServers });
    this.#options = options;
    this.#connection = connection;
    connection.addEventListener('track', ({ track }) => this.stream.addTrack(track));
    connection.addEventListener('icecandidate', ({ candidate }) => options.tell({ candidate: candidate?.toJSON() ?? null }));
    connection.addEventListener('negotiationneeded', () => void this.#offer());
    connection.addEventListener('connectionstatechange', () => {
      options.changed(connection.connectionState);
      if (connection.connectionState === 'failed') connection.restartIce();
    });
  }

  get connected(): boolean {
    return this.#connection.connectionState === 'connected';
  }

  /** Makes the offer; the other side answers. */
  call(): void {
    for (const kind of KINDS) this.#connection.addTransceiver(this.#ours(kind) ?? kind, { direction: 'sendrecv' });
  }

  /** What the other browser said. */
  async take({ description, candidate }: SignalData): Promise<void> {
    try {
      if (description) await this.#describe(description);
      else if (candidate) await this.#connection.addIceCandidate(candidate);
    } catch {
      // It belongs to an offer that was given up, or to a connection that is closed: nothing follows from it any more. What
      // does not come to be connected for another reason is made anew by the mesh.
    }
  }

  close(): void {
    this.#connection.close();
  }

  #ours(kind: string): MediaStreamTrack | null {
    return this.#options.local.getTracks().find((track) => track.kind === kind) ?? null;
  }

  async #offer(): Promise<void> {
    try {
      this.#offering = true;
      await this.#describeUs();
    } catch {
      // Closed meanwhile, or the other one's offer was first.
    } finally {
      this.#offering = false;
    }
  }

  async #describeUs(): Promise<void> {
    await this.#connection.setLocalDescription();
    const { localDescription } = this.#connection;
    if (localDescription) this.#options.tell({ description: localDescription.toJSON() });
  }

  async #describe(description: RTCSessionDescriptionInit): Promise<void> {
    const collides = description.type === 'offer' && (this.#offering || this.#connection.signalingState !== 'stable');
    if (collides && !this.#options.polite) return;
    await this.#connection.setRemoteDescription(description);
    if (description.type !== 'offer') return;
    await this.#joinIn();
    await this.#describeUs();
  }

  /** Who answers sends on the lines that the offer made. */
  async #joinIn(): Promise<void> {
    for (const line of this.#connection.getTransceivers()) {
      if (line.direction === 'sendrecv') continue;
      line.direction = 'sendrecv';
      await line.sender.replaceTrack(this.#ours(line.receiver.track.kind));
    }
  }
}
