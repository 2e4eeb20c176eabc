import { pictureOf, send } from './capture.ts';
import type { ToServer } from './protocol.ts';
import { Recording } from './recording.ts';
import { mention, part, tell } from './screen.ts';
import type { Stage } from './video-grid.ts';

export interface ToolsOptions {
  local: MediaStream;
  stage: Stage;
  isHost: boolean;
  say(message: ToServer): void;
  /** Good now, for what is uploaded. */
  roomToken(): string;
  hangUp(): void;
}

/** The buttons below the pictures. */
export class Tools {
  /** A recording is under way, or on its way to the practice. */
  keeping = false;
  readonly #options: ToolsOptions;
  #recording: Recording | null = null;
  #finishing: Promise<void> = Promise.resolve();

  constructor(options: ToolsOptions) {
    this.#options = options;
    toggle('microphone', options.local.getAudioTracks(), { on: 'Mute', off: 'Unmute' });
    toggle('camera', options.local.getVideoTracks(), { on: 'Camera off', off: 'Camera on' });
    part('hang-up', 'button').addEventListener('click', options.hangUp);
    if (options.isHost) this.#serveHost();
  }

  /** Ends a recording that is under way, and waits until it is kept. What goes wrong is told on the page. */
  finish(): Promise<void> {
    const recording = this.#recording;
    if (recording) {
      this.#recording = null;
      this.#options.say({ type: 'recording', on: false });
      pressed('record', false, 'Record');
      tell('The recording is being kept …');
      this.#finishing = attempt(async () => {
        await recording.stop();
        mention('The recording was kept.');
      }).finally(() => {
        this.keeping = this.#recording !== null;
      });
    }
    return this.#finishing;
  }

  #serveHost(): void {
    const { say } = this.#options;
    part('picture', 'button').addEventListener('click', () => void this.#takePicture());
    part('record', 'button').addEventListener('click', () => void (this.#recording ? this.finish() : this.#record()));
    part('end', 'button').addEventListener('click', ({ currentTarget }) => {
      if (currentTarget instanceof HTMLButtonElement) currentTarget.disabled = true;
      void this.finish().then(() => say({ type: 'end' }));
    });
  }

  async #takePicture(): Promise<void> {
    const button = part('picture', 'button');
    button.disabled = true;
    await attempt(async () => {
      const subject = this.#options.stage.subject();
      if (!subject) throw new Error('There is nobody to take a picture of.');
      await send('images', this.#options.roomToken, { file: await pictureOf(subject) });
      mention('The picture was kept.');
    });
    button.disabled = false;
  }

  async #record(): Promise<void> {
    const { local, stage, say, roomToken } = this.#options;
    await attempt(async () => {
      this.#recording = new Recording({
        videos: () => [...stage.videos(), part('self', 'video')],
        streams: () => [local, ...stage.streams()],
        keep: ({ video, still }) => send('videos', roomToken, { file: video, thumbnail: still }),
      });
      this.keeping = true;
      say({ type: 'recording', on: true });
      pressed('record', true, 'Stop recording');
    });
  }
}

async function attempt(work: () => Promise<void>): Promise<void> {
  tell(null, 'alarm');
  await work().catch((error: unknown) => {
    tell(null);
    tell(error instanceof Error ? error.message : 'This did not work.', 'alarm');
  });
}

/** A button for what there is a device for. */
function toggle(id: string, tracks: MediaStreamTrack[], words: { on: string; off: string }): void {
  const button = part(id, 'button');
  button.hidden = tracks.length === 0;
  button.addEventListener('click', () => {
    const wasOn = tracks.some(({ enabled }) => enabled);
    for (const track of tracks) track.enabled = !wasOn;
    pressed(id, wasOn, wasOn ? words.off : words.on);
  });
}

function pressed(id: string, isPressed: boolean, words: string): void {
  const button = part(id, 'button');
  button.setAttribute('aria-pressed', String(isPressed));
  button.textContent = words;
}
