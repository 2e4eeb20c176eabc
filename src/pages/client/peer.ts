import type { SignalData } from './protocol.ts';

export interface PeerOptions {
  iceServers: RTCIceServer[];
  localStream: MediaStream;
  /** Gives way where both browsers make an offer at the same time. */
  polite: boolean;
  sendSignal(data: SignalData): void;
  onStateChange(state: RTCPeerConnectionState): void;
}

const KINDS = ['audio', 'video'] as const;

/**
 * The connection to one other browser, by the perfect negotiation pattern (W3C, WebRTC 1.0, section 10.7). It has one audio and
 * one video transceiver from the start, so that a device that is turned on later needs no new offer.
 */
export class Peer {
  /** Video and audio of the other person. */
  readonly stream = new MediaStream();
  readonly #connection: RTCPeerConnection;
  readonly #options: PeerOptions;
  #isOffering = false;

  constructor(options: PeerOptions) {
    const connection = new RTCPeerConnection({ iceServers: options.iceServers });
    this.#options = options;
    this.#connection = connection;
    connection.addEventListener('track', ({ track }) => this.stream.addTrack(track));
    connection.addEventListener('icecandidate', ({ candidate }) => options.sendSignal({ candidate: candidate?.toJSON() ?? null }));
    connection.addEventListener('negotiationneeded', () => void this.#offer());
    connection.addEventListener('connectionstatechange', () => {
      options.onStateChange(connection.connectionState);
      if (connection.connectionState === 'failed') connection.restartIce();
    });
  }

  get connected(): boolean {
    return this.#connection.connectionState === 'connected';
  }

  /** Makes the offer; the other side answers. */
  call(): void {
    for (const kind of KINDS) this.#connection.addTransceiver(this.#localTrack(kind) ?? kind, { direction: 'sendrecv' });
  }

  /** Handles a signal of the other browser. */
  async receiveSignal({ description, candidate }: SignalData): Promise<void> {
    try {
      if (description) await this.#applyDescription(description);
      else if (candidate) await this.#connection.addIceCandidate(candidate);
    } catch {
      // The signal belongs to an abandoned offer or to a closed connection. Where a connection fails for another reason, the
      // mesh replaces it after a timeout.
    }
  }

  close(): void {
    this.#connection.close();
  }

  #localTrack(kind: string): MediaStreamTrack | null {
    return this.#options.localStream.getTracks().find((track) => track.kind === kind) ?? null;
  }

  async #offer(): Promise<void> {
    try {
      this.#isOffering = true;
      await this.#sendDescription();
    } catch {
      // The connection was closed, or the offer of the other browser was first.
    } finally {
      this.#isOffering = false;
    }
  }

  async #sendDescription(): Promise<void> {
    await this.#connection.setLocalDescription();
    const { localDescription } = this.#connection;
    if (localDescription) this.#options.sendSignal({ description: localDescription.toJSON() });
  }

  async #applyDescription(description: RTCSessionDescriptionInit): Promise<void> {
    const collides = description.type === 'offer' && (this.#isOffering || this.#connection.signalingState !== 'stable');
    if (collides && !this.#options.polite) return;
    await this.#connection.setRemoteDescription(description);
    if (description.type !== 'offer') return;
    await this.#addLocalTracks();
    await this.#sendDescription();
  }

  /** Sends the own tracks on the transceivers of the other browser's offer. */
  async #addLocalTracks(): Promise<void> {
    for (const transceiver of this.#connection.getTransceivers()) {
      if (transceiver.direction === 'sendrecv') continue;
      transceiver.direction = 'sendrecv';
      await transceiver.sender.replaceTrack(this.#localTrack(transceiver.receiver.track.kind));
    }
  }
}
