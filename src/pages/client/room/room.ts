import type { Person, RoomMessage, StillMessage, WaitingPerson } from '../../../realtime/room-protocol.ts';
import type { LocalMedia } from '../media/local-media.ts';
import type { Media } from '../media/media.ts';
import { openMedia } from '../media/open-media.ts';
import { ask, setDefault } from '../page/dialogs.ts';
import { announce, element, showBriefly, showNotice } from '../page/page-elements.ts';
import { setTitle } from '../page/page-title.ts';
import type { FromServer, Joined, ToServer } from '../protocol.ts';
import { failureWords, WORDS } from '../words/words.ts';
import { ChatPanel } from './chat-panel.ts';
import { HostGone } from './host-gone.ts';
import { HostTools } from './host-tools.ts';
import { PeoplePanel } from './people-panel.ts';
import { answerRecording } from './record-question.ts';
import { SidePanels } from './side-panels.ts';
import { StateExchange } from './state-exchange.ts';
import { StillAnswer } from './still-answer.ts';
import { Toolbar } from './toolbar.ts';
import { markedName, VideoGrid, writeName } from './video-grid.ts';
import { WaitingList } from './waiting-list.ts';

interface RoomOptions {
  local: LocalMedia;
  you: Person;
  /** @returns whether the socket is open */
  sendMessage(message: ToServer): boolean;
  roomToken(): string;
  leave(): void;
  /** Joins again by HTTP, for what only its answer has. */
  rejoin(): void;
}

/** The room of a visit as the page shows it: from the first admission to the end, also while the line is lost. */
export class Room {
  readonly #options: RoomOptions;
  readonly #videoGrid = new VideoGrid();
  readonly #toolbar: Toolbar;
  readonly #host: HostTools | null;
  readonly #still: StillAnswer | null;
  readonly #people: PeoplePanel;
  readonly #waiting: WaitingList;
  readonly #chat: ChatPanel;
  readonly #states: StateExchange;
  #media: Media | null = null;
  #me: Person;
  /** Null until the first message about the room. */
  #others: Person[] | null = null;
  #visit = 0;
  #guestsWaiting: WaitingPerson[] = [];
  readonly #hostGone: HostGone | null;
  #answer: Joined | null = null;
  /** Names of the guests who were in the visit last. */
  #lastGuests: string[] = [];

  constructor(options: RoomOptions) {
    const { local, you, sendMessage, roomToken, leave } = options;
    const isHost = you.role === 'host';
    this.#options = options;
    this.#me = you;
    this.#toolbar = new Toolbar({ local, name: you.name, isHost, leave });
    this.#host = isHost ? new HostTools({ local, videoGrid: this.#videoGrid, sendMessage, roomToken }) : null;
    this.#still = isHost ? null : this.#answerStills();
    this.#hostGone = isHost ? null : new HostGone();
    this.#states = new StateExchange({
      own: () => local.state,
      send: (to, state) => sendMessage({ type: 'signal', to, data: { state } }),
      show: (id, state) => this.#videoGrid.setState(id, state),
    });
    this.#people = new PeoplePanel({ isHost, sendMessage });
    this.#chat = new ChatPanel({ send: (text) => sendMessage({ type: 'chat', text, visit: this.#visit }) });
    this.#waiting = new WaitingList({
      me: you.name,
      admit: (guest) => void this.#admit(guest),
      refuse: ({ guest }) => void sendMessage({ type: 'refuse', guest }),
    });
    new SidePanels([
      { button: 'chat', section: 'chat-side', onOpen: (open) => this.#chat.setOpen(open) },
      { button: 'people-button', section: 'people-side' },
    ]);
    local.events = {
      onVideo: (track) => this.#media?.replaceVideo(track),
      onChange: () => this.#showOwnState(),
    };
  }

  /** Whether a recording runs or is being uploaded. */
  get isSaving(): boolean {
    return this.#host?.isSaving === true;
  }

  stopRecording(): Promise<void> {
    return this.#host?.stopRecording() ?? Promise.resolve();
  }

  /** Opens the media. After a lost connection, those of the same participant are kept and rejoin. */
  async open(answer: Joined): Promise<void> {
    const isSame = this.#media?.way === answer.way && this.#me.id === answer.you.id;
    this.#me = answer.you;
    this.#answer = answer;
    // After a lost connection everybody is told again, and answers.
    this.#others = null;
    if (isSame) return this.#media?.rejoin(answer);
    this.#media?.close();
    this.#media = await openMedia(answer, this.#options.local.stream, {
      sendMessage: this.#options.sendMessage,
      onStream: (id, mediaStream) => this.#videoGrid.setStream(id, mediaStream),
      onLeft: (id) => this.#videoGrid.remove(id),
      onQuality: (id, quality) => this.#videoGrid.setQuality(id, quality),
    });
  }

  receive(message: FromServer): void {
    if (message.type === 'room') this.#showRoom(message);
    else if (message.type === 'chat') this.#receiveChat(message);
    else if (message.type === 'still') this.#handleStill(message);
    else if (message.type === 'signal') this.#receiveSignal(message);
    else if (message.type === 'problem') void this.#handleProblem(message);
  }

  /** Closes all connections with others: the person waits again, or the visit is over. */
  close(): void {
    void this.stopRecording();
    this.#media?.close();
    this.#media = null;
    this.#others = null;
    this.#videoGrid.setPeople([], this.#me.id);
    this.#waiting.show([]);
  }

  #receiveChat({ visit = this.#visit, messages }: Extract<FromServer, { type: 'chat' }>): void {
    this.#setVisit(visit);
    this.#chat.receive(messages, this.#me.id);
  }

  #receiveSignal({ from, data }: Extract<FromServer, { type: 'signal' }>): void {
    if (data.state) this.#states.receive(from, data.state);
    else this.#media?.receiveSignal(from, data);
  }

  /** Another visit begins: nothing of the one before is shown or recorded in it. */
  #setVisit(visit: number): void {
    if (visit === this.#visit) return;
    const wasAnother = this.#visit !== 0;
    this.#visit = visit;
    this.#chat.clear();
    if (!wasAnother) return;
    void this.stopRecording();
    // Each visit has a LiveKit room of its own, whose ticket is in the answer to a join.
    if (this.#media?.way === 'livekit') this.#options.rejoin();
  }

  #showRoom(message: RoomMessage): void {
    const { people, visit, recording, locked, waiting } = message;
    this.#setVisit(visit);
    const others = people.filter(({ id }) => id !== this.#me.id);
    const before = this.#others;
    this.#others = others;
    const guests = guestNames(others);
    if (guests.length > 0) this.#lastGuests = guests;
    this.#videoGrid.setPeople(people, this.#me.id);
    this.#media?.setPeople(people);
    this.#people.show(people, this.#me.id);
    this.#guestsWaiting = waiting ?? [];
    this.#host?.setRoom({
      guests: others.filter(({ role }) => role === 'guest'),
      waiting: this.#guestsWaiting,
      isLocked: locked,
    });
    this.#host?.followRecording(message);
    void answerRecording(message.recording_asked === true, this.#options.sendMessage);
    if (waiting) this.#waiting.show(waiting);
    if (this.#answer) this.#hostGone?.show(others, this.#answer);
    element('recorded', 'p').hidden = !recording;
    element('locked', 'p').hidden = !locked;
    this.#showHeading(others);
    tellChanges(before, others);
    this.#states.tell(others.map(({ id }) => id).filter((id) => !before?.some((one) => one.id === id)));
    const leadsAlone = this.#host !== null && !others.some(({ role }) => role === 'host');
    // The page that made the recording was reloaded or closed.
    if (recording && leadsAlone && !this.isSaving) this.#options.sendMessage({ type: 'recording', on: false });
  }

  #showHeading(others: Person[]): void {
    const words = others.length === 0 ? WORDS.screens.alone : WORDS.screens.together(others.map(markedName));
    element('room-title', 'h1').textContent = words;
    setTitle(words);
  }

  #showOwnState(): void {
    this.#toolbar.show();
    this.#states.tell((this.#others ?? []).map(({ id }) => id));
  }

  /** Where guests are in the visit, the host says whether the next one meets them. */
  async #admit(guest: WaitingPerson): Promise<void> {
    if ((this.#others ?? []).some(({ role }) => role === 'guest')) await this.#chooseVisit(guest);
    else this.#options.sendMessage({ type: 'admit', guest: guest.guest });
  }

  async #chooseVisit({ guest, name, kind }: WaitingPerson): Promise<void> {
    const present = guestNames(this.#others ?? []);
    element('visit-question-text', 'p').textContent =
      present.length > 0 ? WORDS.visits.choose(present, name) : WORDS.visits.chooseAfter(this.#lastGuests, name);
    setDefault('visit-together', kind === 'guest');
    setDefault('visit-next', kind !== 'guest');
    const visit = await ask('visit-question');
    if (visit === 'new' || visit === 'current') this.#options.sendMessage({ type: 'admit', guest, visit });
  }

  async #handleProblem({ code, message, guest }: Extract<FromServer, { type: 'problem' }>): Promise<void> {
    if (code === 'recording_refused') this.#host?.refuseRecording();
    const waiting = code === 'choose_visit' && this.#guestsWaiting.find((one) => one.guest === guest);
    if (waiting) await this.#chooseVisit(waiting);
    else if (code === 'no_patient') await this.#people.askAgain(failureWords(code, message));
    else showNotice(failureWords(code, message), 'alarm');
  }

  #handleStill(message: StillMessage): void {
    if ('state' in message) showBriefly(WORDS.still[message.state]);
    else void this.#still?.receive(message);
  }

  #answerStills(): StillAnswer {
    const { local, sendMessage, roomToken } = this.#options;
    let wasOn = false;
    return new StillAnswer({
      sendMessage,
      roomToken,
      me: () => this.#me.id,
      async pauseCamera() {
        wasOn = local.state.camera;
        if (wasOn) await local.toggleCamera();
      },
      async resumeCamera() {
        if (wasOn && !local.state.camera) await local.toggleCamera();
      },
    });
  }
}

const guestNames = (people: Person[]): string[] => people.filter(({ role }) => role === 'guest').map(writeName);

/** Tells screen readers once who came and who left. The heading has said who was there at first. */
function tellChanges(before: Person[] | null, now: Person[]): void {
  if (before === null) return;
  const without = (people: Person[], others: Person[]) => people.filter(({ id }) => !others.some((one) => one.id === id)).map(writeName);
  const [came, left] = [without(now, before), without(before, now)];
  const words = [came.length > 0 ? WORDS.people.came(came) : '', left.length > 0 ? WORDS.people.left(left) : ''].filter(Boolean);
  if (words.length > 0) announce(words.join(' '));
}
