import { captureFrame, upload } from './capture.ts';
import { element, showBriefly, showNotice } from './page-elements.ts';
import type { ToServer } from './protocol.ts';
import { Recording } from './recording.ts';
import type { VideoGrid } from './video-grid.ts';

export interface ToolbarOptions {
  local: MediaStream;
  videoGrid: VideoGrid;
  isHost: boolean;
  sendMessage(message: ToServer): void;
  /** The present token, for uploads. */
  roomToken(): string;
  hangUp(): void;
}

/** The buttons below the videos. */
export class Toolbar {
  /** Whether a recording runs or is being uploaded. */
  isSaving = false;
  readonly #options: ToolbarOptions;
  #recording: Recording | null = null;
  #finishing: Promise<void> = Promise.resolve();

  constructor(options: ToolbarOptions) {
    this.#options = options;
    addToggle('microphone', options.local.getAudioTracks(), { on: 'Mute', off: 'Unmute' });
    addToggle('camera', options.local.getVideoTracks(), { on: 'Camera off', off: 'Camera on' });
    element('hang-up', 'button').addEventListener('click', options.hangUp);
    if (options.isHost) this.#serveHost();
  }

  /** Ends a recording that is under way, and waits until the server has stored it. Errors are shown on the page. */
  stopRecording(): Promise<void> {
    const recording = this.#recording;
    if (recording) {
      this.#recording = null;
      this.#options.sendMessage({ type: 'recording', on: false });
      setPressed('record', false, 'Record');
      showNotice('The recording is being kept …');
      this.#finishing = runAndReport(async () => {
        await recording.stop();
        showBriefly('The recording was kept.');
      }).finally(() => {
        this.isSaving = this.#recording !== null;
      });
    }
    return this.#finishing;
  }

  #serveHost(): void {
    const { sendMessage } = this.#options;
    element('picture', 'button').addEventListener('click', () => void this.#takePicture());
    element('record', 'button').addEventListener('click', () => void (this.#recording ? this.stopRecording() : this.#record()));
    element('end', 'button').addEventListener('click', ({ currentTarget }) => {
      if (currentTarget instanceof HTMLButtonElement) currentTarget.disabled = true;
      void this.stopRecording().then(() => sendMessage({ type: 'end' }));
    });
  }

  async #takePicture(): Promise<void> {
    const button = element('picture', 'button');
    button.disabled = true;
    await runAndReport(async () => {
      const subject = this.#options.videoGrid.pictureSubject();
      if (!subject) throw new Error('There is nobody to take a picture of.');
      await upload('images', this.#options.roomToken, { file: await captureFrame(subject) });
      showBriefly('The picture was kept.');
    });
    button.disabled = false;
  }

  async #record(): Promise<void> {
    const { local, videoGrid, sendMessage, roomToken } = this.#options;
    await runAndReport(async () => {
      this.#recording = new Recording({
        videos: () => [...videoGrid.videos(), element('self', 'video')],
        streams: () => [local, ...videoGrid.streams()],
        save: ({ video, still }) => upload('videos', roomToken, { file: video, thumbnail: still }),
      });
      this.isSaving = true;
      sendMessage({ type: 'recording', on: true });
      setPressed('record', true, 'Stop recording');
    });
  }
}

async function runAndReport(work: () => Promise<void>): Promise<void> {
  showNotice(null, 'alarm');
  await work().catch((error: unknown) => {
    showNotice(null);
    showNotice(error instanceof Error ? error.message : 'This did not work.', 'alarm');
  });
}

/** Shows a button that turns tracks on and off, if there are any. */
function addToggle(id: string, tracks: MediaStreamTrack[], words: { on: string; off: string }): void {
  const button = element(id, 'button');
  button.hidden = tracks.length === 0;
  button.addEventListener('click', () => {
    const wasOn = tracks.some(({ enabled }) => enabled);
    for (const track of tracks) track.enabled = !wasOn;
    setPressed(id, wasOn, wasOn ? words.off : words.on);
  });
}

function setPressed(id: string, isPressed: boolean, words: string): void {
  const button = element(id, 'button');
  button.setAttribute('aria-pressed', String(isPressed));
  button.textContent = words;
}
