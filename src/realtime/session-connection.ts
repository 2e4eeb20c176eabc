import type { CallerIdentity } from '../domain/caller.ts';
import { conflict, forbidden } from '../domain/errors.ts';
import { admitGuest, endSession, enterRoom, isCurrentConnection, leaveRoom, refuseGuest } from '../domain/telehealth/presence.ts';
import type { ParticipantMember } from '../domain/telehealth/room-tokens.ts';
import type { RoomView } from '../domain/telehealth/room-view.ts';
import { setRecording } from '../domain/telehealth/sessions.ts';
import { admitVisit } from '../domain/telehealth/waiting-room-visits.ts';
import { writeInstant } from '../domain/values/time.ts';
import { linkCaller } from '../pages/visitor.ts';
import { type BrowserSocket, type ConnectionHandler, closeForFailure } from './browser-socket.ts';
import { issueEntryToken } from './entry-token.ts';
import { type BrowserMessage, CLOSE_CODE, parseGuest, readSignalPayload } from './protocol.ts';
import type { ConnectionDeps } from './realtime-deps.ts';

/** Milliseconds between two new room tokens of a connection. */
const TOKEN_INTERVAL_MS = 60_000;

interface SessionConnection {
  socket: BrowserSocket;
  member: ParticipantMember;
  identity: CallerIdentity;
  deps: ConnectionDeps;
  isAdmitted: boolean;
  /** The person hung up, so it is right that the database has them as gone. */
  isLeaving: boolean;
}

/**
 * Connects a participant to a session. Subscribes to signals before it enters, so that none is missed.
 * @throws Failure conflict: refused, session_ended, room_full
 */
export async function openSessionConnection(
  socket: BrowserSocket,
  member: ParticipantMember,
  deps: ConnectionDeps,
): Promise<ConnectionHandler> {
  const { signalBus, roomRegistry } = deps;
  const { organizationId, sessionId, id, role } = member;
  const identity = linkCaller(socket.request, organizationId, `video_${role}`);
  const connection: SessionConnection = { socket, member, identity, deps, isAdmitted: false, isLeaving: false };
  const unsubscribe = signalBus.subscribe(organizationId, `participant:${id}`, (payload) => handleSignal(connection, payload));
  const entered = await enter(connection).catch((error: unknown) => {
    unsubscribe();
    throw error;
  });
  socket.send({ type: 'entered', state: entered.state, you: { id, role, name: entered.participant.displayName ?? '' } });
  const leaveRegistry = roomRegistry.join({
    identity,
    member,
    hostUserId: entered.hostUserId,
    onView: (view) => sendRoom(connection, view),
    onEnded: () => socket.dismiss('ended', 'This visit has ended.'),
  });
  const stopHeartbeat = startHeartbeat(connection);
  roomRegistry.refresh(organizationId, sessionId);
  return {
    handle: (message) => handleMessage(message, connection),
    disconnect() {
      unsubscribe();
      leaveRegistry();
      stopHeartbeat();
    },
  };
}

/** Keeps the person present, and sends a new room token each minute. */
function startHeartbeat(connection: SessionConnection): () => void {
  const { socket, member, deps } = connection;
  const { organizationId, id } = member;
  let tokenAt = performance.now();
  return deps.heartbeat.add({
    heartbeat: () => ({ kind: 'participant', organizationId, id, connection: socket.id, age: socket.silentSeconds() }),
    onStale: () => recheck(connection),
    onTick: () => {
      if (performance.now() - tokenAt < TOKEN_INTERVAL_MS) return;
      tokenAt = performance.now();
      socket.send({ type: 'token', ...issueEntryToken(deps.keyring, member) });
    },
  });
}

async function enter(connection: SessionConnection) {
  const { deps, identity, member, socket } = connection;
  const entered = await deps.unitOfWork.write(identity, (db, caller) => enterRoom(db, caller, member, socket.id));
  connection.isAdmitted = entered.state === 'admitted';
  return entered;
}

/** Handles a signal to this participant, sent by any process. */
function handleSignal(connection: SessionConnection, payload: unknown): void {
  const { socket, member, deps } = connection;
  const signal = readSignalPayload(payload);
  if (signal?.type === 'signal' && connection.isAdmitted) socket.send({ type: 'signal', from: signal.from, data: signal.data });
  if (signal?.type === 'replaced' && signal.by !== socket.id) recheck(connection);
  if (signal?.type === 'refused') socket.dismiss('refused', 'You cannot join this visit now.');
  if (signal?.type !== 'admitted' || connection.isAdmitted) return;
  connection.isAdmitted = true;
  socket.send({ type: 'admitted' });
  deps.roomRegistry.refresh(member.organizationId, member.sessionId);
}

/**
 * Reads whether this connection is still the participant's current one. If so, the participant enters again, because the
 * database had them as gone; else the socket is closed.
 */
function recheck(connection: SessionConnection): void {
  if (connection.isLeaving) return;
  const { deps, identity, member, socket } = connection;
  deps.unitOfWork
    .read(identity, (db, caller) => isCurrentConnection(db, caller, member, socket.id))
    .then(async (isCurrent) => {
      if (connection.isLeaving) return;
      if (isCurrent) await enter(connection);
      else socket.dismiss('replaced', 'You opened this visit in another window.');
    })
    .catch((error: unknown) => closeForFailure(socket, error));
}

function sendRoom({ socket, member, isAdmitted }: SessionConnection, { people, recording, waiting }: RoomView): void {
  if (!isAdmitted) return;
  const waitingGuests = waiting.map(({ since, ...guest }) => ({ ...guest, since: writeInstant(since) }));
  socket.send({ type: 'room', people, recording, ...(member.role === 'host' ? { waiting: waitingGuests } : {}) });
}

/** @throws Failure, which the browser receives as a `problem` message */
async function handleMessage(message: BrowserMessage, connection: SessionConnection): Promise<void> {
  const { socket, member, identity, deps } = connection;
  const { sessionId } = member;
  if (message.type === 'leave') {
    connection.isLeaving = true;
    await deps.unitOfWork.write(identity, (db, caller) => leaveRoom(db, caller, member, socket.id));
    socket.dismiss('left', 'You left the visit.');
    return;
  }
  if (message.type === 'signal') {
    if (!connection.isAdmitted) throw forbidden('not_admitted', 'You are not in the room yet.');
    sendToPeer(message, connection);
    return;
  }
  if (member.role !== 'host') throw forbidden('not_host', 'Only the host does this.');
  await deps.unitOfWork.write(identity, async (db, caller) => {
    if (message.type === 'recording') return setRecording(db, caller, sessionId, message.on);
    if (message.type === 'end') return endSession(db, caller, sessionId);
    if (message.type !== 'admit' && message.type !== 'refuse') return;
    const { kind, id } = parseGuest(message.guest);
    if (kind === 'participant') return (message.type === 'admit' ? admitGuest : refuseGuest)(db, caller, sessionId, id);
    // Refusing a patient of a waiting room changes nothing: they go on waiting.
    if (message.type === 'admit') return admitVisit(db, caller, sessionId, id);
  });
}

/** Does not wait for the result, so that the next message of the browser is not held up. The signal bus keeps the order. */
function sendToPeer({ to, data }: Extract<BrowserMessage, { type: 'signal' }>, { socket, member, deps }: SessionConnection): void {
  const { organizationId, sessionId, id: from } = member;
  deps.signalBus.send({ organizationId, sessionId, from, to, data }).then(
    (wasSent) => {
      if (wasSent) return;
      const { code, message } = conflict('unknown_peer', 'This person is not in the room.');
      socket.send({ type: 'problem', code, message });
    },
    () => socket.close(CLOSE_CODE.failed, 'Try again in a moment.'),
  );
}
