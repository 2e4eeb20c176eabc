import { DeviceCheck } from './joining/device-check.ts';
import { forgetJoin, hasJoinedBefore, JoinRefused, JoinUnreachable, join, keepJoin, sendLeaveBeacon } from './joining/join.ts';
import { showLate, showNotNow, showWaiting } from './joining/waiting-screen.ts';
import { type Devices, openDevices } from './media/devices.ts';
import { LocalMedia } from './media/local-media.ts';
import { closeDialogs } from './page/dialogs.ts';
import { element, showNotice, showScreen } from './page/page-elements.ts';
import { keepScreenOn } from './page/wake-lock.ts';
import type { Closing, FromServer, Joined } from './protocol.ts';
import { Room } from './room/room.ts';
import { RoomSocket } from './socket.ts';
import { failureWords, WORDS } from './words/words.ts';

/** The script of a visit page: joins, shows the room, joins again after a lost connection, and ends the visit. */

const MAX_PAUSE_MS = 15_000;
/** After these, the link does not open this visit any more. */
const FINAL: (Closing['code'] | null)[] = ['ended', 'appointment_cancelled'];
/** After these, the patient reads what happens next. */
const MET = ['ended', 'left', 'visit_over', 'session_ended'];

const deviceCheck = new DeviceCheck();
const opening: Promise<Devices> = openDevices();
let socket: RoomSocket | null = null;
let local: LocalMedia | null = null;
let room: Room | null = null;
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
  element('stop-waiting', 'button').addEventListener('click', leave);
  addEventListener('pagehide', () => {
    // After a reload the page joins again, and the person has not left.
    if (socket) sendLeaveBeacon(roomToken);
    socket?.closeSilently();
  });
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  addEventListener('offline', () => showSilent(true));
  addEventListener('online', () => {
    showSilent(false);
    if (!socket && roomToken !== '') void enter();
  });
  addEventListener('beforeunload', (event) => room?.isSaving && event.preventDefault());
  showScreen('before');
  // Asked before the devices open: a person who presses Join meanwhile has joined once, and must not join again.
  const isReturning = hasJoinedBefore();
  const devices = await opening;
  const isSeen = devices.stream.getVideoTracks().length > 0;
  // A video element with an empty stream would keep the page in the loading state forever.
  if (isSeen) element('preview', 'video').srcObject = devices.stream;
  element('preview', 'video').hidden = !isSeen;
  deviceCheck.showDevices(devices);
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
    else void finish(error.message, { mayReturn: ['room_full', 'room_locked', 'refused'].includes(error.code), code: error.code });
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
  showNotice(words, 'alarm');
  document.querySelector<HTMLInputElement>('input#name')?.focus();
}

async function startVisit(answer: Joined): Promise<void> {
  roomToken = answer.token;
  const toLobby = document.querySelector<HTMLAnchorElement>('a#to-lobby');
  if (toLobby && answer.session) toLobby.search = `?visit=${answer.session.guid}`;
  showNotice(null, 'alarm');
  keepScreenOn(true);
  if (answer.state === 'admitted' && answer.kind === 'session') await openRoom(answer);
  else {
    // Nothing of the visit before stays open for somebody who waits again.
    room?.close();
    closeDialogs();
    showWaiting(answer);
    showScreen('waiting');
  }
  const mine = new RoomSocket(answer, {
    onMessage: (message) => {
      messageQueue = messageQueue.then(() => (socket === mine ? handleMessage(answer, message) : undefined)).catch(() => rejoinLater());
    },
    onLost: () => rejoinLater(),
    onSilent: showSilent,
    onOver: (words, why) => void finish(words ?? WORDS.socket.left, { mayReturn: !FINAL.includes(why), code: why ?? 'left' }),
  });
  socket = mine;
}

async function openRoom(answer: Joined): Promise<void> {
  local ??= new LocalMedia((await opening).stream);
  deviceCheck.stop();
  room ??= new Room({
    local,
    you: answer.you,
    sendMessage: (message) => socket?.send(message) === true,
    roomToken: () => roomToken,
    leave,
    rejoin,
  });
  showScreen('room');
  await room.open(answer);
}

async function handleMessage(answer: Joined, message: FromServer): Promise<void> {
  switch (message.type) {
    case 'entered':
      attempts = 0;
      if (message.resume) keepJoin(message.resume);
      if (message.state === 'waiting') await tellDevices();
      // Admitted between the answer to the join request and the opening of the socket: no `admitted` follows.
      else if (answer.state === 'waiting') await handleAdmitted(answer);
      break;
    case 'token':
      roomToken = message.token;
      break;
    case 'admitted':
      await handleAdmitted(answer);
      break;
    case 'late':
      showLate(message.minutes);
      break;
    case 'not_now':
      showNotNow();
      break;
    case 'problem':
      if (!room) showNotice(failureWords(message.code, message.message), 'alarm');
      break;
  }
  room?.receive(message);
}

/** Tells the practice whether camera and microphone of the waiting person work. */
async function tellDevices(): Promise<void> {
  const { stream } = await opening;
  socket?.send({ type: 'devices', camera: stream.getVideoTracks().length > 0, microphone: stream.getAudioTracks().length > 0 });
}

/** From a waiting room, and into LiveKit, admitted people join again by HTTP; in a mesh session they are in the room already. */
async function handleAdmitted(answer: Joined): Promise<void> {
  if (answer.kind === 'session' && answer.way === 'mesh') return openRoom(answer);
  rejoin();
}

/** The network is gone, or back: the person reads so at once, and the page goes on by itself. */
function showSilent(isSilent: boolean): void {
  if (isOver || document.body.dataset.screen === 'before') return;
  showNotice(isSilent ? WORDS.socket.offline : null, 'alarm');
}

/** Joins again by HTTP at once. */
function rejoin(): void {
  socket?.closeSilently();
  socket = null;
  void enter();
}

/** Joins again after a pause that grows with each attempt. */
function rejoinLater(words: string = WORDS.socket.lost): void {
  if (isOver) return;
  socket?.closeSilently();
  socket = null;
  attempts += 1;
  showNotice(WORDS.socket.rejoining(words), 'alarm');
  const pause = Math.min(MAX_PAUSE_MS, 500 * 2 ** Math.min(attempts, 6));
  setTimeout(() => void enter(), pause * (0.5 + Math.random() / 2));
}

function leave(): void {
  void room?.stopRecording();
  if (!socket?.send({ type: 'leave' })) void finish(WORDS.socket.left, { mayReturn: true, code: 'left' });
}

interface Ending {
  mayReturn: boolean;
  /** Of the server's failure or `closing` message; it chooses the heading. */
  code: string;
}

/** Ends the visit in this window, and waits until a recording is saved. */
async function finish(words: string, { mayReturn, code }: Ending): Promise<void> {
  if (isOver) return;
  isOver = true;
  forgetJoin();
  closeDialogs();
  keepScreenOn(false);
  showNotice(null);
  showNotice(null, 'alarm');
  const isKeeping = room?.isSaving === true;
  const kept = room?.stopRecording() ?? Promise.resolve();
  room?.close();
  socket?.closeSilently();
  deviceCheck.stop();
  local?.stop();
  for (const track of (await opening).stream.getTracks()) track.stop();
  const screen = document.body.dataset.screen;
  const wasWaiting = screen === 'waiting' && code === 'ended';
  const next = document.querySelector<HTMLElement>('#what-is-next');
  if (next) next.hidden = screen !== 'room' || !MET.includes(code);
  const headings: Partial<Record<string, string>> = WORDS.over;
  element('over-title', 'h1').textContent = headings[code] ?? WORDS.over.left;
  element('may-close', 'div').hidden = isKeeping;
  if (isKeeping) {
    element('goodbye', 'p').textContent = WORDS.pictures.waitForKeeping;
    showScreen('over');
    await kept;
  }
  element('may-close', 'div').hidden = false;
  element('goodbye', 'p').textContent = wasWaiting ? `${words} ${WORDS.waiting.notSeen}` : words;
  element('again', 'button').hidden = !mayReturn;
  showScreen('over');
}
