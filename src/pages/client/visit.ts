import { type Devices, openDevices } from './devices.ts';
import { forgetMe, join, Refusal, Unreachable, wasHere } from './joining.ts';
import type { Media } from './media.ts';
import { openMedia } from './open-media.ts';
import type { FromServer, Joined } from './protocol.ts';
import { clock, part, show, tell } from './screen.ts';
import { Line } from './socket.ts';
import { Tools } from './toolbar.ts';
import { Stage } from './video-grid.ts';
import { showWaiting } from './waiting-list.ts';

/** One visit in one window, from the door to the goodbye. */

const LONGEST_PAUSE_MS = 15_000;

const stage = new Stage();
const opening: Promise<Devices> = openDevices();
let line: Line | null = null;
let media: Media | null = null;
let tools: Tools | null = null;
let roomToken = '';
let attempts = 0;
let isEntering = false;
let isOver = false;
/** What the server says is heard one after the other: making what a room needs takes a moment. */
let hearing: Promise<void> = Promise.resolve();

void begin();

async function begin(): Promise<void> {
  part('enter', 'form').addEventListener('submit', (event) => {
    event.preventDefault();
    void enter();
  });
  part('again', 'button').addEventListener('click', () => location.reload());
  part('stop-waiting', 'button').addEventListener('click', hangUp);
  // Whoever is gone for longer than a reload takes is noticed by the server.
  addEventListener('pagehide', () => line?.drop());
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  addEventListener('beforeunload', (event) => tools?.keeping && event.preventDefault());
  show('before');
  const { stream, lacking } = await opening;
  part('lacking', 'p').textContent = lacking ?? 'This is how the others will see you.';
  part('asking', 'p').hidden = true;
  const isSeen = stream.getVideoTracks().length > 0;
  for (const id of ['preview', 'self']) {
    // A player of an empty stream would keep the page from ever being loaded.
    if (isSeen) part(id, 'video').srcObject = stream;
    part(id, 'video').hidden = !isSeen;
  }
  if (wasHere()) await enter();
}

/** Joins, for the first time or anew. */
async function enter(): Promise<void> {
  if (isOver || isEntering) return;
  isEntering = true;
  try {
    const answer = await join(nameWritten());
    if (!isOver) await arrive(answer);
  } catch (error) {
    if (!(error instanceof Refusal)) again(error instanceof Unreachable ? error.message : undefined);
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
  show('before');
  tell(words.replace(/^name: /, 'Your name '), 'alarm');
  document.querySelector<HTMLInputElement>('input#name')?.focus();
}

async function arrive(answer: Joined): Promise<void> {
  roomToken = answer.token;
  tell(null, 'alarm');
  if (answer.since !== null) part('since', 'strong').textContent = clock(answer.since);
  if (answer.state === 'admitted' && answer.kind === 'session') await prepareRoom(answer);
  else show('waiting');
  const mine = new Line(answer, {
    heard: (message) => {
      hearing = hearing.then(() => (line === mine ? heard(answer, message) : undefined)).catch(() => again());
    },
    lost: () => again(),
    over: (words, why) => void finish(words ?? 'You have left the visit.', why !== 'refused' && why !== 'ended'),
  });
  line = mine;
}

/** Makes what the room needs, once; after a lost connection only what is new of it. */
async function prepareRoom(answer: Joined): Promise<void> {
  show('room');
  if (media?.way === answer.way) return media?.renew(answer);
  media?.close();
  const { stream } = await opening;
  media = await openMedia(answer, stream, {
    say: (message) => void line?.say(message),
    shown: (id, shown) => stage.put(id, shown),
    left: (id) => stage.remove(id),
    faltering: (id, bad) => stage.faltering(id, bad),
  });
  tools ??= new Tools({
    ...{ local: stream, stage, isHost: answer.you.role === 'host', hangUp },
    say: (message) => void line?.say(message),
    roomToken: () => roomToken,
  });
}

async function heard(answer: Joined, message: FromServer): Promise<void> {
  switch (message.type) {
    case 'entered':
      attempts = 0;
      break;
    case 'token':
      roomToken = message.token;
      break;
    case 'admitted':
      await admitted(answer);
      break;
    case 'room':
      showRoom(answer, message);
      break;
    case 'signal':
      media?.take(message.from, message.data);
      break;
    case 'problem':
      tell(message.message, 'alarm');
      break;
  }
}

function showRoom({ you }: Joined, { people, recording, waiting }: Extract<FromServer, { type: 'room' }>): void {
  stage.people(people, you.id);
  media?.people(people);
  part('recorded', 'p').hidden = !recording;
  if (waiting) showWaiting(waiting, (words) => void line?.say(words));
  const leadsAlone = you.role === 'host' && !people.some(({ id, role }) => role === 'host' && id !== you.id);
  // The page that recorded was reloaded or closed.
  if (recording && leadsAlone && !tools?.keeping) line?.say({ type: 'recording', on: false });
}

/** Of a waiting room: the session is joined by the same link. Of a session: one is in it, unless its way needs a ticket. */
async function admitted(answer: Joined): Promise<void> {
  if (answer.kind === 'session' && answer.way === 'mesh') return prepareRoom(answer);
  line?.drop();
  line = null;
  await enter();
}

/** The line broke: joins anew, after a pause that grows. */
function again(words = 'The connection was lost.'): void {
  if (isOver) return;
  line?.drop();
  line = null;
  attempts += 1;
  tell(`${words} We are joining you again …`, 'alarm');
  const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(attempts, 6));
  setTimeout(() => void enter(), pause * (0.5 + Math.random() / 2));
}

function hangUp(): void {
  void tools?.finish();
  if (!line?.say({ type: 'leave' })) void finish('You have left the visit.', true);
}

/** The visit is over for this window; a recording is brought home first. */
async function finish(words: string, mayReturn: boolean): Promise<void> {
  if (isOver) return;
  isOver = true;
  forgetMe();
  tell(null);
  tell(null, 'alarm');
  const isKeeping = tools?.keeping === true;
  const kept = tools?.finish() ?? Promise.resolve();
  media?.close();
  line?.drop();
  for (const track of (await opening).stream.getTracks()) track.stop();
  part('may-close', 'p').hidden = isKeeping;
  if (isKeeping) {
    part('goodbye', 'p').textContent = 'Please keep this page open until the recording is kept.';
    show('over');
    await kept;
  }
  part('may-close', 'p').hidden = false;
  part('goodbye', 'p').textContent = words;
  part('again', 'button').hidden = !mayReturn;
  show('over');
}
