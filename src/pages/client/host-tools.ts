import { captureFrame, upload } from './capture.ts';
import { ask } from './dialogs.ts';
import type { LocalMedia } from './local-media.ts';
import { element, setToolWords, showBriefly, showNotice } from './page-elements.ts';
import type { Person, ToServer } from './protocol.ts';
import { Recording } from './recording.ts';
import { shownName, type VideoGrid } from './video-grid.ts';
import { WORDS } from './words.ts';

interface HostToolsOptions {
  local: LocalMedia;
  videoGrid: VideoGrid;
  sendMessage(message: ToServer): void;
  /** The present token, for uploads. */
  roomToken(): string;
}

/** The buttons that only hosts have: picture, picture by request, recording, lock, end. */
export class HostTools {
  /** Whether a recording runs or is being uploaded. */
  isSaving = false;
  readonly #options: HostToolsOptions;
  #guests: Person[] = [];
  #isLocked = false;
  #recording: Recording | null = null;
  #finishing: Promise<void> = Promise.resolve();

  constructor(options: HostToolsOptions) {
    this.#options = options;
    const { sendMessage } = options;
    element('picture', 'button').addEventListener('click', () => void this.#takePicture());
    element('request', 'button').addEventListener('click', () => void this.#requestPicture());
    element('record', 'button').addEventListener('click', () => void (this.#recording ? this.stopRecording() : this.#record()));
    element('lock', 'button').addEventListener('click', () => sendMessage({ type: 'lock', on: !this.#isLocked }));
    element('end', 'button').addEventListener('click', () => void this.#end());
  }

  /** Sets who is in the room: the button of pictures says whose picture it takes. */
  setRoom(guests: Person[], isLocked: boolean): void {
    this.#guests = guests;
    this.#isLocked = isLocked;
    const [only] = guests;
    setToolWords('picture', only && guests.length === 1 ? WORDS.tools.pictureOf(shownName(only)) : WORDS.tools.picture);
    setToolWords('lock', isLocked ? WORDS.tools.unlock : WORDS.tools.lock);
    element('lock', 'button').classList.toggle('active', isLocked);
    element('request', 'button').disabled = guests.length === 0;
  }

  /** Ends a recording that is under way, and waits until the server has stored it. Errors are shown on the page. */
  stopRecording(): Promise<void> {
    const recording = this.#recording;
    if (recording) {
      this.#recording = null;
      this.#options.sendMessage({ type: 'recording', on: false });
      showRecording(false);
      showNotice(WORDS.pictures.keeping);
      this.#finishing = runAndReport(async () => {
        await recording.stop();
        showBriefly(WORDS.pictures.recordingKept);
      }).finally(() => {
        this.isSaving = this.#recording !== null;
      });
    }
    return this.#finishing;
  }

  async #end(): Promise<void> {
    if ((await ask('end-question')) !== 'yes') return;
    element('end', 'button').disabled = true;
    await this.stopRecording();
    this.#options.sendMessage({ type: 'end' });
  }

  async #takePicture(): Promise<void> {
    const { videoGrid, roomToken } = this.#options;
    const button = element('picture', 'button');
    button.disabled = true;
    await runAndReport(async () => {
      const subjects = videoGrid.pictureSubjects();
      const [first] = subjects;
      if (!first) throw new Error(WORDS.pictures.nobody);
      const subject = this.#guests.length > 1 ? await chooseSubject(subjects) : first;
      if (!subject) return;
      const { patient } = await upload('images', roomToken, { file: await captureFrame(subject.video), patient: subject.id });
      showBriefly(patient ? WORDS.pictures.keptOf(patient.name ?? subject.name) : WORDS.pictures.kept);
    });
    button.disabled = false;
  }

  /** Asks the phone of a guest for a picture in full size. */
  async #requestPicture(): Promise<void> {
    const choice = element('request-who', 'select');
    choice.replaceChildren(...this.#guests.map((guest) => new Option(shownName(guest), String(guest.id))));
    const site = element('request-what', 'input');
    site.value = '';
    if ((await ask('request-question')) !== 'yes') return;
    this.#options.sendMessage({ type: 'still', to: Number(choice.value), body_site: site.value.trim() });
  }

  async #record(): Promise<void> {
    const { local, videoGrid, sendMessage, roomToken } = this.#options;
    await runAndReport(async () => {
      this.#recording = new Recording({
        videos: () => [...videoGrid.videos(), ...(element('self', 'video').hidden ? [] : [element('self', 'video')])],
        streams: () => [local.stream, ...videoGrid.streams()],
        save: async ({ video, still }) => {
          await upload('videos', roomToken, { file: video, thumbnail: still });
        },
      });
      this.isSaving = true;
      sendMessage({ type: 'recording', on: true });
      showRecording(true);
    });
  }
}

interface Subject {
  id: number;
  name: string;
  video: HTMLVideoElement;
}

/** Asks whose picture is to be taken. @returns undefined where the host cancelled */
async function chooseSubject(subjects: Subject[]): Promise<Subject | undefined> {
  const buttons = subjects.map(({ id, name }) =>
    Object.assign(document.createElement('button'), {
      type: 'submit',
      value: String(id),
      className: 'button plain',
      textContent: WORDS.tools.pictureOf(name),
    }),
  );
  element('person-choices', 'div').replaceChildren(...buttons);
  const chosen = await ask('person-question');
  return subjects.find(({ id }) => String(id) === chosen);
}

function showRecording(isOn: boolean): void {
  setToolWords('record', isOn ? WORDS.tools.stopRecording : WORDS.tools.record);
  element('record', 'button').classList.toggle('active', isOn);
}

async function runAndReport(work: () => Promise<void>): Promise<void> {
  showNotice(null, 'alarm');
  await work().catch((error: unknown) => {
    showNotice(null);
    showNotice(error instanceof Error ? error.message : WORDS.socket.failed, 'alarm');
  });
}
