/** Newcomers are looked for so often. */
const LOOK_MS = 1_000;

/** Everybody's sound in one track, also of who comes later. */
export class Mixer {
  readonly #context = new AudioContext();
  readonly #mixed = this.#context.createMediaStreamDestination();
  readonly #sources = new Set<string>();
  readonly #looking: number;

  constructor(streams: () => MediaStream[]) {
    this.#connect(streams());
    this.#looking = setInterval(() => this.#connect(streams()), LOOK_MS);
  }

  get stream(): MediaStream {
    return this.#mixed.stream;
  }

  close(): void {
    clearInterval(this.#looking);
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
