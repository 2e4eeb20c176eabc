import { type Devices, openDevices } from './devices.ts';
import { forgetJoin, hasJoinedBefore, JoinRefused, JoinUnreachable, join } from './join.ts';
import type { Media } from './media.ts';
import { openMedia } from './open-media.ts';
import { element, showNotice, showScreen, timeOfDay } from './page-elements.ts';
import type { FromServer, Joined } from './protocol.ts';
import { RoomSocket } from './socket.ts';
import { Toolbar } from './toolbar.ts';
import { VideoGrid } from './video-grid.ts';
import { showWaitingGuests } from './waiting-list.ts';

/** The script of a visit page: joins, shows the room, joins again after a lost connection, and ends the visit. */

const MAX_PAUSE_MS = 15_000;

const videoGrid = new VideoGrid();
const opening: Promise<Devices> = openDevices();
let socket: RoomSocket | null = null;
let media: Media | null = null;
let toolbar: Toolbar | null = null;
let roomToken = '';
let attempts = 0;
let isEntering = false;
let isOver = false;
/** Messages are handled one after the other, because opening the media takes time. */
let messageQueue: Promise<void> = Promise.resolve();

void start();

async function start(): Promise<void> {
  element('enter', 'form').addEventListener('submit', (event) => {
    event.preventDefault();
    void enter();
  });
  element('again', 'button').addEventListener('click', () => location.reload());
  element('stop-waiting', 'button').addEventListener('click', hangUp);
  // After a reload the page joins again. If the page is gone for good, the server notices the missing pings.
  addEventListener('pagehide', () => socket?.closeSilently());
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  addEventListener('beforeunload', (event) => toolbar?.isSaving && event.preventDefault());
  showScreen('before');
  // Asked before the devices open: a person who presses Join meanwhile has joined once, and must not join again.
  const isReturning = hasJoinedBefore();
  const { stream, missingNotice } = await opening;
  element('lacking', 'p').textContent = missingNotice ?? 'This is how the others will see you.';
  element('asking', 'p').hidden = true;
  const isSeen = stream.getVideoTracks().length > 0;
  for (const id of ['preview', 'self']) {
    // A video element with an empty stream would keep the page in the loading state forever.
    if (isSeen) element(id, 'video').srcObject = stream;
    element(id, 'video').hidden = !isSeen;
  }
  if (isReturning) await enter();
}

/** Joins, for the first time or again. */
async function enter(): Promise<void> {
  if (isOver || isEntering) return;
  isEntering = true;
  try {
    const answer = await join(nameWritten());
    if (!isOver) await startVisit(answer);
  } catch (error) {
    if (!(error instanceof JoinRefused)) rejoinLater(error instanceof JoinUnreachable ? error.message : undefined);
    else if (error.code === 'invalid_input') askName(error.message);
    else void finish(error.message, error.code === 'room_full');
  } finally {
    isEntering = false;
  }
}

function nameWritten(): string | null {
  const field = document.querySelector<HTMLInputElement>('input#name');
  return field?.value.trim() || null;
}

function askName(words: string): void {
  showScreen('before');
  showNotice(words.replace(/^name: /, 'Your name '), 'alarm');
  document.querySelector<HTMLInputElement>('input#name')?.focus();
}

async function startVisit(answer: Joined): Promise<void> {
  roomToken = answer.token;
  showNotice(null, 'alarm');
  if (answer.since !== null) element('since', 'strong').textContent = timeOfDay(answer.since);
  if (answer.state === 'admitted' && answer.kind === 'session') await prepareRoom(answer);
  else showScreen('waiting');
  const mine = new RoomSocket(answer, {
    onMessage: (message) => {
      messageQueue = messageQueue.then(() => (socket === mine ? handleMessage(answer, message) : undefined)).catch(() => rejoinLater());
    },
    onLost: () => rejoinLater(),
    onOver: (words, why) => void finish(words ?? 'You have left the visit.', why !== 'refused' && why !== 'ended'),
  });
  socket = mine;
}

/** Opens the media and the toolbar. After a lost connection, the media are kept and rejoin. */
async function prepareRoom(answer: Joined): Promise<void> {
  showScreen('room');
  if (media?.way === answer.way) return media?.rejoin(answer);
  media?.close();
  const { stream } = await opening;
  media = await openMedia(answer, stream, {
    sendMessage: (message) => void socket?.send(message),
    onStream: (id, mediaStream) => videoGrid.setStream(id, mediaStream),
    onLeft: (id) => videoGrid.remove(id),
    onQuality: (id, bad) => videoGrid.setQuality(id, bad),
  });
  toolbar ??= new Toolbar({
    local: stream,
    videoGrid,
    isHost: answer.you.role === 'host',
    hangUp,
    sendMessage: (message) => void socket?.send(message),
    roomToken: () => roomToken,
  });
}

async function handleMessage(answer: Joined, message: FromServer): Promise<void> {
  switch (message.type) {
    case 'entered':
      attempts = 0;
      // Admitted between the answer to the join request and the opening of the socket: no `admitted` follows.
      if (message.state === 'admitted' && answer.state === 'waiting') await handleAdmitted(answer);
      break;
    case 'token':
      roomToken = message.token;
      break;
    case 'admitted':
      await handleAdmitted(answer);
      break;
    case 'room':
      showRoom(answer, message);
      break;
    case 'signal':
      media?.receiveSignal(message.from, message.data);
      break;
    case 'problem':
      showNotice(message.message, 'alarm');
      break;
  }
}

function showRoom({ you }: Joined, { people, recording, waiting }: Extract<FromServer, { type: 'room' }>): void {
  videoGrid.setPeople(people, you.id);
  media?.setPeople(people);
  element('recorded', 'p').hidden = !recording;
  if (waiting) showWaitingGuests(waiting, (words) => void socket?.send(words));
  const leadsAlone = you.role === 'host' && !people.some(({ id, role }) => role === 'host' && id !== you.id);
  // The page that made the recording was reloaded or closed.
  if (recording && leadsAlone && !toolbar?.isSaving) socket?.send({ type: 'recording', on: false });
}

/** From a waiting room, and into LiveKit, admitted people join again by HTTP; in a mesh session they are in the room already. */
async function handleAdmitted(answer: Joined): Promise<void> {
  if (answer.kind === 'session' && answer.way === 'mesh') return prepareRoom(answer);
  socket?.closeSilently();
  socket = null;
  await enter();
}

/** Joins again after a pause that grows with each attempt. */
function rejoinLater(words = 'The connection was lost.'): void {
  if (isOver) return;
  socket?.closeSilently();
  socket = null;
  attempts += 1;
  showNotice(`${words} We are joining you again …`, 'alarm');
  const pause = Math.min(MAX_PAUSE_MS, 500 * 2 ** Math.min(attempts, 6));
  setTimeout(() => void enter(), pause * (0.5 + Math.random() / 2));
}

function hangUp(): void {
  void toolbar?.stopRecording();
  if (!socket?.send({ type: 'leave' })) void finish('You have left the visit.', true);
}

/** Ends the visit in this window, and waits until a recording is saved. */
async function finish(words: string, mayReturn: boolean): Promise<void> {
  if (isOver) return;
  isOver = true;
  forgetJoin();
  showNotice(null);
  showNotice(null, 'alarm');
  const isKeeping = toolbar?.isSaving === true;
  const kept = toolbar?.stopRecording() ?? Promise.resolve();
  media?.close();
  socket?.closeSilently();
  for (const track of (await opening).stream.getTracks()) track.stop();
  element('may-close', 'p').hidden = isKeeping;
  if (isKeeping) {
    element('goodbye', 'p').textContent = 'Please keep this page open until the recording is kept.';
    showScreen('over');
    await kept;
  }
  element('may-close', 'p').hidden = false;
  element('goodbye', 'p').textContent = words;
  element('again', 'button').hidden = !mayReturn;
  showScreen('over');
}
