/** Interval at which new tracks are added. */
const CHECK_INTERVAL_MS = 1_000;

/** Mixes the audio of all people into one track, including people who join later. */
export class AudioMixer {
  readonly #context = new AudioContext();
  readonly #mixed = this.#context.createMediaStreamDestination();
  readonly #sources = new Set<string>();
  readonly #timer: number;

  constructor(streams: () => MediaStream[]) {
    this.#connect(streams());
    this.#timer = setInterval(() => this.#connect(streams()), CHECK_INTERVAL_MS);
  }

  get stream(): MediaStream {
    return this.#mixed.stream;
  }

  close(): void {
    clearInterval(this.#timer);
    void this.#context.close();
  }

  #connect(streams: MediaStream[]): void {
    for (const track of streams.flatMap((stream) => stream.getAudioTracks())) {
      if (this.#sources.has(track.id)) continue;
      this.#context.createMediaStreamSource(new MediaStream([track])).connect(this.#mixed);
      this.#sources.add(track.id);
    }
  }
}
