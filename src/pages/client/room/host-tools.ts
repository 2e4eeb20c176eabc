import type { Person, RoomMessage, WaitingPerson } from '../../../realtime/room-protocol.ts';
import { captureFrame, upload } from '../media/capture.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { Recording } from '../media/recording.ts';
import { ask } from '../page/dialogs.ts';
import { element, setToolWords, showBriefly, showNotice } from '../page/page-elements.ts';
import type { ToServer } from '../protocol.ts';
import { errorWords, WORDS } from '../words/words.ts';
import { type VideoGrid, writeName } from './video-grid.ts';

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
  #waiting: string[] = [];
  #isLocked = false;
  #recording: Recording | null = null;
  /** The host has pressed Record: it begins when everybody has agreed. */
  #isWanted = false;
  /** Participant id of the guest to whom the present recording belongs; undefined while no guest was there. */
  #recorded: { patient?: number } = {};
  #finishing: Promise<void> = Promise.resolve();

  constructor(options: HostToolsOptions) {
    this.#options = options;
    const { sendMessage } = options;
    element('picture', 'button').addEventListener('click', () => void this.#takePicture());
    element('request', 'button').addEventListener('click', () => void this.#requestPicture());
    element('record', 'button').addEventListener('click', () => void (this.#isWanted ? this.stopRecording() : this.#ask()));
    element('lock', 'button').addEventListener('click', () => sendMessage({ type: 'lock', on: !this.#isLocked }));
    element('end', 'button').addEventListener('click', () => void this.#end());
  }

  /** Sets who is in the room and who waits: the button of pictures says whose picture it takes. */
  setRoom({ guests, waiting, isLocked }: { guests: Person[]; waiting: WaitingPerson[]; isLocked: boolean }): void {
    this.#guests = guests;
    this.#waiting = waiting.map(({ name }) => name);
    if (guests[0] && this.#recording) this.#recorded.patient ??= guests[0].id;
    this.#isLocked = isLocked;
    const [only] = guests;
    setToolWords('picture', only && guests.length === 1 ? WORDS.tools.pictureOf(writeName(only)) : WORDS.tools.picture);
    setToolWords('lock', isLocked ? WORDS.tools.unlock : WORDS.tools.lock);
    element('lock', 'button').classList.toggle('active', isLocked);
    element('request', 'button').disabled = guests.length === 0;
  }

  /** Follows the server: it records when everybody has agreed, and not while somebody is in the room who has not. */
  followRecording({ recording, recording_waits: waits = [], recording_declined: declined = [] }: RoomMessage): void {
    if (!this.#isWanted) return;
    if (recording && !this.#recording) void this.#record();
    else if (!recording && this.#recording) void this.#keepRecording();
    if (waits.length > 0) showBriefly(WORDS.recording.waits(waits));
    else if (!recording && declined.length > 0) {
      this.#setWanted(false);
      showBriefly(WORDS.recording.declined(declined));
    }
  }

  /** The server refused what was asked for last. */
  refuseRecording(): void {
    this.#setWanted(false);
  }

  #setWanted(isWanted: boolean): void {
    this.#isWanted = isWanted;
    showRecording(isWanted);
  }

  /** Ends a recording that is under way or asked for, and waits until the server has stored it. Errors are shown on the page. */
  stopRecording(): Promise<void> {
    if (this.#isWanted) this.#options.sendMessage({ type: 'recording', on: false });
    this.#setWanted(false);
    return this.#keepRecording();
  }

  #keepRecording(): Promise<void> {
    const recording = this.#recording;
    if (recording) {
      this.#recording = null;
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
    element('end-waiting', 'p').hidden = this.#waiting.length === 0;
    element('end-waiting', 'p').textContent = WORDS.waiting.still(this.#waiting);
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
      const chosen = this.#guests.length > 1 ? await choose(WORDS.pictures.whosePicture, subjects, WORDS.tools.pictureOf) : first.id;
      const subject = subjects.find(({ id }) => id === chosen);
      if (!subject) return;
      const { patient } = await upload('images', roomToken, { file: await captureFrame(subject.video), patient: subject.id });
      showBriefly(patient ? WORDS.pictures.keptOf(patient.name ?? subject.name) : WORDS.pictures.kept);
    });
    button.disabled = false;
  }

  /** Asks the phone of a guest for a picture in full size. */
  async #requestPicture(): Promise<void> {
    const choice = element('request-who', 'select');
    const persons = this.#guests.length > 1 ? [new Option(WORDS.pictures.choosePerson, '')] : [];
    choice.replaceChildren(...persons, ...this.#guests.map((guest) => new Option(writeName(guest), String(guest.id))));
    const site = element('request-what', 'input');
    site.value = '';
    if ((await ask('request-question')) !== 'yes') return;
    this.#options.sendMessage({ type: 'still', to: Number(choice.value), body_site: site.value.trim() });
  }

  /** Says to whom the recording belongs, and asks everybody in the room. */
  async #ask(): Promise<void> {
    await runAndReport(async () => {
      const guests = this.#guests.map((guest) => ({ id: guest.id, name: writeName(guest) }));
      const patient = guests.length > 1 ? await choose(WORDS.pictures.whoseRecording, guests, WORDS.tools.recordingOf) : guests[0]?.id;
      if (guests.length > 1 && patient === undefined) return;
      this.#recorded = patient === undefined ? {} : { patient };
      this.#setWanted(true);
      this.#options.sendMessage({ type: 'recording', on: true });
    });
  }

  async #record(): Promise<void> {
    const { local, videoGrid, roomToken } = this.#options;
    const recorded = { ...this.#recorded };
    this.#recorded = recorded;
    await runAndReport(async () => {
      this.#recording = new Recording({
        videos: () => [...videoGrid.videos(), ...(element('self', 'video').hidden ? [] : [element('self', 'video')])],
        streams: () => [local.stream, ...videoGrid.streams()],
        save: async ({ video, still }) => {
          await upload('videos', roomToken, { file: video, thumbnail: still, ...recorded });
        },
      });
      this.isSaving = true;
    });
  }
}

/** Asks to whom a picture or a recording belongs. @returns the participant id; undefined where the host cancelled */
async function choose(
  heading: string,
  people: { id: number; name: string }[],
  label: (name: string) => string,
): Promise<number | undefined> {
  const buttons = people.map(({ id, name }) =>
    Object.assign(document.createElement('button'), {
      type: 'submit',
      value: String(id),
      className: 'button plain',
      textContent: label(name),
    }),
  );
  element('person-question-heading', 'h2').textContent = heading;
  element('person-choices', 'div').replaceChildren(...buttons);
  const chosen = await ask('person-question');
  return people.find(({ id }) => String(id) === chosen)?.id;
}

function showRecording(isOn: boolean): void {
  setToolWords('record', isOn ? WORDS.tools.stopRecording : WORDS.tools.record);
  element('record', 'button').classList.toggle('active', isOn);
}

async function runAndReport(work: () => Promise<void>): Promise<void> {
  showNotice(null, 'alarm');
  await work().catch((error: unknown) => {
    showNotice(null);
    showNotice(errorWords(error, WORDS.socket.failed), 'alarm');
  });
}
