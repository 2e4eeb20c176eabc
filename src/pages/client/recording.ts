import { blobOf } from './capture.ts';
import { Mixer } from './mixer.ts';

/** A part of a recording, and a still of its beginning. */
export interface Recorded {
  video: Blob;
  still: Blob;
}

export interface RecordingSources {
  /** Those that are on the page, asked anew for each picture. */
  videos(): HTMLVideoElement[];
  /** Whose sound belongs to it. */
  streams(): MediaStream[];
  keep(part: Recorded): Promise<void>;
}

/** Bytes: somewhat less than the server takes of one file; a longer recording is kept in parts. */
const LARGEST_PART = 20 * 1024 * 1024;
const TILE = { width: 640, height: 360 };
/** A second. */
const FRAMES = 15;
const BITS = { videoBitsPerSecond: 400_000, audioBitsPerSecond: 48_000 };
const TYPES = ['video/webm;codecs=vp8,opus', 'video/webm', 'video/mp4'];
/** The recorder hands over what it has so often. */
const CHUNK_MS = 1_000;

/** Records what is seen side by side, with everybody's sound, from when it is made until it is stopped. */
export class Recording {
  readonly #sources: RecordingSources;
  readonly #canvas = Object.assign(document.createElement('canvas'), { width: TILE.width * 2, height: TILE.height });
  readonly #mixer: Mixer;
  readonly #stream: MediaStream;
  readonly #drawing: number;
  readonly #kept: Promise<void>[] = [];
  #recorder: MediaRecorder;
  #stopped: Promise<void> | null = null;

  /** @throws Error where this browser records nothing */
  constructor(sources: RecordingSources) {
    if (typeof MediaRecorder === 'undefined') throw new Error('This browser cannot record. Please use another one.');
    this.#sources = sources;
    this.#mixer = new Mixer(() => sources.streams());
    draw(this.#canvas, sources.videos());
    this.#drawing = setInterval(() => draw(this.#canvas, sources.videos()), 1000 / FRAMES);
    this.#stream = new MediaStream([...this.#canvas.captureStream(FRAMES).getVideoTracks(), ...this.#mixer.stream.getAudioTracks()]);
    this.#recorder = this.#beginPart();
  }

  /** Ends it, and waits until all its parts are kept. @throws Error for one that is not, with words for the host */
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
    const recorder = new MediaRecorder(this.#stream, { ...BITS, ...(mimeType ? { mimeType } : {}) });
    const chunks: Blob[] = [];
    let size = 0;
    recorder.addEventListener('dataavailable', ({ data }) => {
      chunks.push(data);
      size += data.size;
      if (size <= LARGEST_PART || recorder !== this.#recorder || recorder.state !== 'recording') return;
      // The next one begins before this one ends, so that nothing is missing between them.
      this.#recorder = this.#beginPart();
      recorder.stop();
    });
    const ended = new Promise<void>((resolve) => {
      recorder.addEventListener('stop', () => resolve());
    });
    const still = blobOf(this.#canvas, 'image/jpeg');
    const kept = ended.then(async () => {
      await this.#sources.keep({ video: new Blob(chunks, { type: recorder.mimeType }), still: await still });
    });
    // Who stops it is told.
    kept.catch(() => {});
    this.#kept.push(kept);
    recorder.start(CHUNK_MS);
    return recorder;
  }
}

/** Side by side, in rows of two, each whole. */
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
