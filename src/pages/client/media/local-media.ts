import type { PersonState } from '../protocol.ts';
import { canBlur, type Facing, openCamera } from './devices.ts';

interface LocalMediaEvents {
  /** Another picture is sent from now on, or none. */
  onVideo(track: MediaStreamTrack | null): void;
  /** Something that the page shows of the own devices has changed. */
  onChange(): void;
}

/** The media that this person sends: microphone, and camera or screen. */
export class LocalMedia {
  /** The tracks that are sent at present. */
  readonly stream: MediaStream;
  isBlurred = false;
  events: LocalMediaEvents = { onVideo() {}, onChange() {} };
  #camera: MediaStreamTrack | null;
  #screen: MediaStreamTrack | null = null;
  #facing: Facing = 'user';
  #isChanging = false;

  constructor(stream: MediaStream) {
    this.stream = stream;
    this.#camera = stream.getVideoTracks()[0] ?? null;
    this.hasCamera = this.#camera !== null;
    this.#watch(this.#camera);
  }

  /** Whether there is a camera, be it on or off. */
  readonly hasCamera: boolean;

  get hasMicrophone(): boolean {
    return this.stream.getAudioTracks().length > 0;
  }

  get state(): PersonState {
    return {
      microphone: this.stream.getAudioTracks().some(({ enabled, readyState }) => enabled && readyState === 'live'),
      camera: this.#camera !== null,
      sharing: this.#screen !== null,
    };
  }

  /** Whether the own picture is shown as in a mirror: of the front camera alone. */
  get isMirrored(): boolean {
    return this.#screen === null && this.#facing === 'user';
  }

  get canBlur(): boolean {
    return this.#camera !== null && canBlur(this.#camera);
  }

  toggleMicrophone(): void {
    const wasOn = this.state.microphone;
    for (const track of this.stream.getAudioTracks()) track.enabled = !wasOn;
    this.events.onChange();
  }

  /** Lets go of the camera, so that its light goes out, or opens it again. @throws DOMException where it cannot be opened */
  toggleCamera(): Promise<void> {
    return this.#change(async () => {
      if (this.#camera) this.#setCamera(null);
      else this.#setCamera(await openCamera(this.#facing));
    });
  }

  /** Goes on with the other camera of the device. @throws DOMException where it cannot be opened */
  switchCamera(): Promise<void> {
    return this.#change(async () => {
      const facing = this.#facing === 'user' ? 'environment' : 'user';
      // Many phones cannot open two cameras at once.
      this.#setCamera(null);
      this.#setCamera(await openCamera(facing).catch(() => openCamera(this.#facing)));
      this.#facing = facing;
    });
  }

  async toggleBlur(): Promise<void> {
    await this.#camera?.applyConstraints({ advanced: [{ backgroundBlur: !this.isBlurred }] });
    this.isBlurred = !this.isBlurred;
    this.events.onChange();
  }

  /** Shows the screen instead of the camera, until it is called again. @throws DOMException where the person or the browser refuses */
  toggleScreen(): Promise<void> {
    return this.#change(async () => {
      if (this.#screen) return this.#setScreen(null);
      const shared = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 10 } } });
      const [track] = shared.getVideoTracks();
      if (track) track.contentHint = 'detail';
      track?.addEventListener('ended', () => this.#screen === track && this.#setScreen(null));
      this.#setScreen(track ?? null);
    });
  }

  /** Lets go of all devices. */
  stop(): void {
    for (const track of [...this.stream.getTracks(), this.#camera]) track?.stop();
  }

  /** One change at a time: a second press while the camera opens does nothing. */
  async #change(work: () => Promise<void> | void): Promise<void> {
    if (this.#isChanging) return;
    this.#isChanging = true;
    try {
      await work();
    } finally {
      this.#isChanging = false;
      this.events.onChange();
    }
  }

  #setCamera(track: MediaStreamTrack | null): void {
    this.#camera?.stop();
    this.#camera = track;
    this.isBlurred = false;
    this.#watch(track);
    if (!this.#screen) this.#send(track);
  }

  #setScreen(track: MediaStreamTrack | null): void {
    this.#screen?.stop();
    this.#screen = track;
    this.#send(track ?? this.#camera);
    this.events.onChange();
  }

  #send(track: MediaStreamTrack | null): void {
    for (const sent of this.stream.getVideoTracks()) this.stream.removeTrack(sent);
    if (track) this.stream.addTrack(track);
    this.events.onVideo(track);
  }

  /** A camera that was unplugged or taken away is off. */
  #watch(track: MediaStreamTrack | null): void {
    track?.addEventListener('ended', () => {
      if (this.#camera !== track) return;
      this.#setCamera(null);
      this.events.onChange();
    });
  }
}
