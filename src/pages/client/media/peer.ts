import type { SignalData } from '../protocol.ts';

export interface PeerOptions {
  iceServers: RTCIceServer[];
  localStream: MediaStream;
  /** Gives way where both browsers make an offer at the same time. */
  polite: boolean;
  sendSignal(data: SignalData): void;
  onStateChange(state: RTCPeerConnectionState): void;
}

/** Bounds of the video that one other person is sent. */
export interface VideoLimits {
  /** Lines. */
  height: number;
  /** Bits a second. */
  bitrate: number;
}

/** Bits a second. */
const SCREEN_BITRATE = 1_500_000;

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
  /** Packets received and lost until the last reading. */
  #packets = { received: 0, lost: 0 };

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

  async receiveSignal({ description, candidate }: SignalData): Promise<void> {
    try {
      if (description) await this.#applyDescription(description);
      else if (candidate) await this.#connection.addIceCandidate(candidate);
    } catch {
      // The signal belongs to an abandoned offer or to a closed connection. Where a connection fails for another reason, the
      // mesh replaces it after a timeout.
    }
  }

  /** Sends another picture from now on, or none. */
  async replaceVideo(track: MediaStreamTrack | null): Promise<void> {
    await this.#videoSender()
      ?.replaceTrack(track)
      .catch(() => {});
  }

  /** Bounds size and bit rate of the video that is sent. It has no effect before the first description was exchanged. */
  async limitVideo({ height, bitrate }: VideoLimits): Promise<void> {
    const sender = this.#videoSender();
    const parameters = sender?.getParameters();
    const [encoding] = parameters?.encodings ?? [];
    if (!sender || !parameters || !encoding) return;
    // A shared screen keeps its size, so that its text can be read.
    const isScreen = sender.track?.contentHint === 'detail';
    encoding.maxBitrate = isScreen ? SCREEN_BITRATE : bitrate;
    encoding.scaleResolutionDownBy = isScreen ? 1 : Math.max(1, (sender.track?.getSettings().height ?? height) / height);
    await sender.setParameters(parameters).catch(() => {});
  }

  /** The share of video packets that were lost since the last call; 0 where none were sent. */
  async readLoss(): Promise<number> {
    const packets = { received: 0, lost: 0 };
    for (const entry of (await this.#connection.getStats()).values()) {
      const { type, kind, packetsReceived = 0, packetsLost = 0 }: RTCInboundRtpStreamStats = entry;
      if (type !== 'inbound-rtp' || kind !== 'video') continue;
      packets.received += packetsReceived;
      packets.lost += packetsLost;
    }
    const before = this.#packets;
    this.#packets = packets;
    const lost = Math.max(0, packets.lost - before.lost);
    return lost === 0 ? 0 : lost / (lost + Math.max(0, packets.received - before.received));
  }

  close(): void {
    this.#connection.close();
  }

  #videoSender(): RTCRtpSender | undefined {
    return this.#connection.getTransceivers().find(({ receiver }) => receiver.track.kind === 'video')?.sender;
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
