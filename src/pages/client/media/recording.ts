import { WORDS } from '../words/words.ts';
import { toBlob } from './capture.ts';

/** Interval at which new tracks are added. */
const CHECK_INTERVAL_MS = 1_000;

/** Mixes the audio of all people into one track, including people who join later. */
class AudioMixer {
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

/** A part of a recording, and a still picture of its beginning. */
export interface Recorded {
  video: Blob;
  still: Blob;
}

export interface RecordingSources {
  /** The videos on the page. Called for each frame. */
  videos(): HTMLVideoElement[];
  /** The streams whose audio is recorded. */
  streams(): MediaStream[];
  save(part: Recorded): Promise<void>;
}

/** Somewhat less than the server accepts in one file. A longer recording is saved in parts. */
const MAX_PART_BYTES = 20 * 1024 * 1024;
const TILE = { width: 640, height: 360 };
const FRAMES_PER_SECOND = 15;
const BIT_RATES = { videoBitsPerSecond: 400_000, audioBitsPerSecond: 48_000 };
const TYPES = ['video/webm;codecs=vp8,opus', 'video/webm', 'video/mp4'];
/** Interval at which the recorder delivers data. */
const CHUNK_MS = 1_000;

/** Records all videos side by side with the audio of everybody, from its construction until it is stopped. */
export class Recording {
  readonly #sources: RecordingSources;
  readonly #canvas = Object.assign(document.createElement('canvas'), { width: TILE.width * 2, height: TILE.height });
  readonly #mixer: AudioMixer;
  readonly #stream: MediaStream;
  readonly #drawing: number;
  readonly #kept: Promise<void>[] = [];
  #recorder: MediaRecorder;
  #stopped: Promise<void> | null = null;

  /** @throws Error where the browser cannot record */
  constructor(sources: RecordingSources) {
    if (typeof MediaRecorder === 'undefined') throw new Error(WORDS.pictures.cannotRecord);
    this.#sources = sources;
    this.#mixer = new AudioMixer(() => sources.streams());
    draw(this.#canvas, sources.videos());
    this.#drawing = setInterval(() => draw(this.#canvas, sources.videos()), 1000 / FRAMES_PER_SECOND);
    this.#stream = new MediaStream([
      ...this.#canvas.captureStream(FRAMES_PER_SECOND).getVideoTracks(),
      ...this.#mixer.stream.getAudioTracks(),
    ]);
    this.#recorder = this.#beginPart();
  }

  /** Ends the recording and waits until all parts are saved. @throws Error with a message for the host */
  stop(): Promise<void> {
    this.#stopped ??= this.#finish();
    return this.#stopped;
  }

  async #finish(): Promise<void> {
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
    clearInterval(this.#drawing);
    this.#mixer.close();
    await Promise.all(this.#kept);
  }

  #beginPart(): MediaRecorder {
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(this.#stream, { ...BIT_RATES, ...(mimeType ? { mimeType } : {}) });
    const chunks: Blob[] = [];
    let size = 0;
    recorder.addEventListener('dataavailable', ({ data }) => {
      chunks.push(data);
      size += data.size;
      if (size <= MAX_PART_BYTES || recorder !== this.#recorder || recorder.state !== 'recording') return;
      // The next part begins before this one ends, so that nothing is missing between them.
      this.#recorder = this.#beginPart();
      recorder.stop();
    });
    const ended = new Promise<void>((resolve) => {
      recorder.addEventListener('stop', () => resolve());
    });
    const still = toBlob(this.#canvas, 'image/jpeg');
    const kept = ended.then(async () => {
      // A part that ended before its first frame.
      if (size === 0) return;
      await this.#sources.save({ video: new Blob(chunks, { type: recorder.mimeType }), still: await still });
    });
    // The error is reported by stop().
    kept.catch(() => {});
    this.#kept.push(kept);
    recorder.start(CHUNK_MS);
    return recorder;
  }
}

/** Draws the videos in rows of two, each scaled to fit. */
function draw(canvas: HTMLCanvasElement, videos: HTMLVideoElement[]): void {
  const rows = Math.max(1, Math.ceil(videos.length / 2));
  const height = TILE.height * rows;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = 'black';
  context.fillRect(0, 0, canvas.width, height);
  videos.forEach((video, index) => {
    if (video.videoWidth === 0) return;
    const scale = Math.min(TILE.width / video.videoWidth, TILE.height / video.videoHeight);
    const size = { width: video.videoWidth * scale, height: video.videoHeight * scale };
    const x = (index % 2) * TILE.width + (TILE.width - size.width) / 2;
    const y = Math.floor(index / 2) * TILE.height + (TILE.height - size.height) / 2;
    context.drawImage(video, x, y, size.width, size.height);
  });
}
