import type { CallerIdentity } from '../domain/caller.ts';
import { conflict, forbidden } from '../domain/errors.ts';
import { admitGuest, endSession, enterRoom, isCurrentConnection, leaveRoom, refuseGuest } from '../domain/telehealth/presence.ts';
import type { ParticipantMember } from '../domain/telehealth/room-tokens.ts';
import type { RoomView } from '../domain/telehealth/room-view.ts';
import { setRecording } from '../domain/telehealth/sessions.ts';
import { admitVisit } from '../domain/telehealth/waiting-room-visits.ts';
import { writeInstant } from '../domain/values/time.ts';
import { toFailure } from '../http/error-mapping.ts';
import { linkCaller } from '../pages/visitor.ts';
import type { ConnectionDeps, Line, Place } from './connection.ts';
import { entryFor } from './join-routes.ts';
import { CLOSE, type FromBrowser, readGuest, readHeard } from './protocol.ts';

/** A connection sends a new token so often. */
const TOKEN_AGAIN_MS = 60_000;

/** What a connection of a session knows of itself. */
interface Seated {
  line: Line;
  member: ParticipantMember;
  identity: CallerIdentity;
  deps: ConnectionDeps;
  admitted: boolean;
  /** They hung up: that the record has them as gone is right then. */
  leaving: boolean;
}

/**
 * Takes a place in a session: what is told to this person is heard first, then they enter.
 * @throws Failure conflict: refused, session_ended, room_full
 */
export async function sitDown(line: Line, member: ParticipantMember, deps: ConnectionDeps): Promise<Place> {
  const { exchange, halls, beating, keyring } = deps;
  const { organizationId, sessionId, id, role } = member;
  const identity = linkCaller(line.request, organizationId, `video_${role}`);
  const seated: Seated = { line, member, identity, deps, admitted: false, leaving: false };
  const stop = exchange.listen(organizationId, `participant:${id}`, (payload) => hearSignal(seated, payload));
  const entered = await enterNow(seated).catch((error: unknown) => {
    stop();
    throw error;
  });
  line.send({ type: 'entered', state: entered.state, you: { id, role, name: entered.participant.displayName ?? '' } });
  const stand = halls.sit({
    ...{ identity, member, hostUserId: entered.hostUserId },
    show: (view) => showRoom(seated, view),
    over: () => line.dismiss('ended', 'This visit has ended.'),
  });
  let tokenAt = performance.now();
  const rest = beating.keep({
    heard: () => ({ kind: 'participant', organizationId, id, connection: line.id, age: line.age() }),
    doubted: () => doubt(seated),
    tick: () => {
      if (performance.now() - tokenAt < TOKEN_AGAIN_MS) return;
      tokenAt = performance.now();
      line.send({ type: 'token', ...entryFor(keyring, member) });
    },
  });
  halls.refresh(organizationId, sessionId);
  return {
    hear: (message) => answer(message, seated),
    leave() {
      for (const end of [stop, stand, rest]) end();
    },
  };
}

async function enterNow(seated: Seated) {
  const { deps, identity, member, line } = seated;
  const entered = await deps.unitOfWork.write(identity, (db, caller) => enterRoom(db, caller, member, line.id));
  seated.admitted = entered.state === 'admitted';
  return entered;
}

/** What is told to this person, from whichever process. */
function hearSignal(seated: Seated, payload: unknown): void {
  const { line, member, deps } = seated;
  const heard = readHeard(payload);
  if (heard?.type === 'signal' && seated.admitted) line.send({ type: 'signal', from: heard.from, data: heard.data });
  if (heard?.type === 'replaced' && heard.by !== line.id) doubt(seated);
  if (heard?.type === 'refused') line.dismiss('refused', 'You cannot join this visit now.');
  if (heard?.type !== 'admitted' || seated.admitted) return;
  seated.admitted = true;
  line.send({ type: 'admitted' });
  deps.halls.refresh(member.organizationId, member.sessionId);
}

/** Asks the record, where something said that this connection counts no more; who was only taken for gone is there again. */
function doubt(seated: Seated): void {
  if (seated.leaving) return;
  const { deps, identity, member, line } = seated;
  deps.unitOfWork
    .read(identity, (db, caller) => isCurrentConnection(db, caller, member, line.id))
    .then(async (mine) => {
      if (seated.leaving) return;
      if (mine) await enterNow(seated);
      else line.dismiss('replaced', 'You opened this visit in another window.');
    })
    .catch((error: unknown) => dismissFor(line, error));
}

/** Why somebody cannot be in a session any more. */
export function dismissFor(line: Line, error: unknown): void {
  const { kind, code, message } = toFailure(error);
  if (kind !== 'conflict') line.close(CLOSE.failed, 'Try again in a moment.');
  else if (code === 'refused') line.dismiss('refused', message);
  else if (code === 'session_ended') line.dismiss('ended', message);
  else line.close(CLOSE.badToken, message);
}

function showRoom({ line, member, admitted }: Seated, { people, recording, waiting }: RoomView): void {
  if (!admitted) return;
  const list = waiting.map(({ since, ...who }) => ({ ...who, since: writeInstant(since) }));
  line.send({ type: 'room', people, recording, ...(member.role === 'host' ? { waiting: list } : {}) });
}

/** @throws Failure that the browser is told */
async function answer(message: FromBrowser, seated: Seated): Promise<void> {
  const { line, member, identity, deps } = seated;
  const { sessionId } = member;
  if (message.type === 'leave') {
    seated.leaving = true;
    await deps.unitOfWork.write(identity, (db, caller) => leaveRoom(db, caller, member, line.id));
    line.dismiss('left', 'You left the visit.');
    return;
  }
  if (message.type === 'signal') {
    if (!seated.admitted) throw forbidden('not_admitted', 'You are not in the room yet.');
    pass(message, seated);
    return;
  }
  if (member.role !== 'host') throw forbidden('not_host', 'Only the host does this.');
  await deps.unitOfWork.write(identity, async (db, caller) => {
    if (message.type === 'recording') return setRecording(db, caller, sessionId, message.on);
    if (message.type === 'end') return endSession(db, caller, sessionId);
    if (message.type !== 'admit' && message.type !== 'refuse') return;
    const { kind, id } = readGuest(message.guest);
    if (kind === 'participant') return (message.type === 'admit' ? admitGuest : refuseGuest)(db, caller, sessionId, id);
    // Who sits in a waiting room goes on waiting.
    if (message.type === 'admit') return admitVisit(db, caller, sessionId, id);
  });
}

/** Not waited for, so that what a browser says next does not wait either; the order is kept on the way. */
function pass({ to, data }: Extract<FromBrowser, { type: 'signal' }>, { line, member, deps }: Seated): void {
  const { organizationId, sessionId, id: from } = member;
  deps.exchange.say({ organizationId, sessionId, from, to, data }).then(
    (passed) => {
      if (passed) return;
      const { code, message } = conflict('unknown_peer', 'This person is not in the room.');
      line.send({ type: 'problem', code, message });
    },
    () => line.close(CLOSE.failed, 'Try again in a moment.'),
  );
}
