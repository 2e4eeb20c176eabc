import { conflict, forbidden } from '../../domain/errors.ts';
import {
  enterRoom,
  isCurrentConnection,
  leaveRoom,
  loseWaitingConnection,
  recordDevices,
} from '../../domain/telehealth/presence/presence.ts';
import { toJoinedKind } from '../../domain/telehealth/sessions/join-session.ts';
import { standingFailure } from '../../domain/telehealth/sessions/participant-standing.ts';
import { answerRecording } from '../../domain/telehealth/sessions/recording-consent.ts';
import type { ParticipantMember } from '../../domain/telehealth/sessions/room-tokens.ts';
import type { RoomView } from '../../domain/telehealth/sessions/room-view.ts';
import { requestLanguage } from '../../http/pages/page-language.ts';
import { linkCaller } from '../../http/sign-in/sign-in.ts';
import { renewToken } from '../entry-token.ts';
import { handleAttach, handleHostMessage } from '../messages/host-messages.ts';
import { handleChat, receiveChat, sendChat } from '../messages/room-chat.ts';
import { roomMessage } from '../messages/room-messages.ts';
import { handleStill, handleStillRefused, receiveStills } from '../messages/room-stills.ts';
import { type BrowserMessage, CLOSE_CODE, readSignalPayload } from '../protocol.ts';
import type { ConnectionDeps } from '../realtime-deps.ts';
import { type BrowserSocket, type ConnectionHandler, closeForFailure, dismissForAppointment } from './browser-socket.ts';
import { sendLateMessage } from './late-message.ts';
import type { ParticipantConnection } from './participant-connection.ts';

/**
 * Connects a participant to a session. Subscribes to signals before it enters, so that none is missed.
 * @throws Failure conflict: refused, session_ended, room_full
 */
export async function openSessionConnection(
  socket: BrowserSocket,
  { member, entries }: { member: ParticipantMember; entries: number },
  deps: ConnectionDeps,
): Promise<ConnectionHandler> {
  const { signalBus, roomRegistry } = deps;
  const { organizationId, sessionId, id, role } = member;
  const identity = linkCaller(socket.request, organizationId, `video_${role}`);
  const language = requestLanguage(socket.request);
  const connection: ParticipantConnection = { socket, member, identity, language, deps, isAdmitted: false, isLeaving: false };
  const unsubscribe = signalBus.subscribe(organizationId, `participant:${id}`, (payload) => handleSignal(connection, payload));
  const entered = await enter(connection, entries).catch((error: unknown) => {
    unsubscribe();
    throw error;
  });
  socket.send({
    type: 'entered',
    state: entered.state,
    you: {
      id,
      role,
      kind: toJoinedKind(entered.participant),
      name: entered.participant.displayName ?? '',
    },
  });
  const leaveRegistry = roomRegistry.join({
    identity,
    member,
    hostUserId: entered.hostUserId,
    onView: (view) => sendRoom(connection, view),
    onNotice: (notice) => void (notice === 'chat' ? receiveChat : receiveStills)(connection).catch(closeOnFailure(connection)),
    onEnded: () => socket.dismiss('ended', 'This visit has ended.'),
  });
  const stopHeartbeat = startHeartbeat(connection);
  roomRegistry.refresh(organizationId, sessionId);
  if (connection.isAdmitted) await sendChat(connection);
  else await sendLateMessage(socket, deps, identity, { kind: 'participant', id, since: entered.participant.waitingSince });
  await receiveStills(connection);
  return {
    handle: (message) => handleMessage(message, connection),
    disconnect() {
      unsubscribe();
      leaveRegistry();
      stopHeartbeat();
      if (!connection.isAdmitted && !connection.isLeaving) loseConnection(connection);
    },
  };
}

/** Keeps the person present, and sends a new room token each minute. */
function startHeartbeat(connection: ParticipantConnection): () => void {
  const { socket, member, deps } = connection;
  const { organizationId, id } = member;
  return deps.heartbeat.add({
    heartbeat: () => ({ kind: 'participant', organizationId, id, connection: socket.id, age: socket.silentSeconds() }),
    onStale: () => recheck(connection),
    onTick: renewToken(socket, deps.keyring, member),
  });
}

/** Tells hosts that a waiting guest is not there at the moment. Where that fails, the missing heartbeats tell it. */
function loseConnection({ deps, identity, member, socket }: ParticipantConnection): void {
  deps.unitOfWork.write(identity, (tx) => loseWaitingConnection(tx, member, socket.id)).catch(() => {});
}

async function enter(connection: ParticipantConnection, entries: number | null) {
  const { deps, identity, member, socket } = connection;
  const entered = await deps.unitOfWork.write(identity, (tx) => enterRoom(tx, member, { connection: socket.id, entries }));
  connection.isAdmitted = entered.state === 'admitted';
  return entered;
}

/** Handles a signal to this participant, sent by any process. */
function handleSignal(connection: ParticipantConnection, payload: unknown): void {
  const { socket, member, deps } = connection;
  const signal = readSignalPayload(payload);
  if (signal?.type === 'signal' && connection.isAdmitted) socket.send({ type: 'signal', from: signal.from, data: signal.data });
  if (signal?.type === 'replaced' && signal.by !== socket.id) recheck(connection);
  if (signal?.type === 'refused' || signal?.type === 'removed' || signal?.type === 'visit_over') {
    connection.isAdmitted = false;
    closeForFailure(socket, standingFailure(signal.type));
  }
  connection.isLeaving ||= dismissForAppointment(socket, signal?.type);
  if (signal?.type === 'left' && signal.connection === socket.id) dismissLeft(connection);
  if (signal?.type === 'late') socket.send({ type: 'late', minutes: signal.minutes });
  if (signal?.type !== 'admitted' || connection.isAdmitted) return;
  connection.isAdmitted = true;
  socket.send({ type: 'admitted' });
  deps.roomRegistry.refresh(member.organizationId, member.sessionId);
  void sendChat(connection).catch(closeOnFailure(connection));
}

function dismissLeft(connection: ParticipantConnection): void {
  connection.isLeaving = true;
  connection.socket.dismiss('left', 'You left the visit.');
}

/** Closes a connection to which something could not be sent, so that the page joins again. */
const closeOnFailure =
  ({ socket }: ParticipantConnection) =>
  (error: unknown): void =>
    closeForFailure(socket, error);

/**
 * Reads whether this connection is still the participant's current one. If so, the participant enters again, because the
 * database had them as gone; else the socket is closed.
 */
function recheck(connection: ParticipantConnection): void {
  if (connection.isLeaving) return;
  const { deps, identity, member, socket } = connection;
  deps.unitOfWork
    .read(identity, (tx) => isCurrentConnection(tx, member, socket.id))
    .then(async (isCurrent) => {
      if (connection.isLeaving) return;
      if (isCurrent) await enter(connection, null);
      else socket.dismiss('replaced', 'You opened this visit in another window.');
    })
    .catch((error: unknown) => closeForFailure(socket, error));
}

/** Sends the room to who is in it: not to a person of an earlier visit, whose connection is about to be closed. */
function sendRoom({ socket, member, language, isAdmitted }: ParticipantConnection, view: RoomView): void {
  if (!isAdmitted || view.people.every(({ id }) => id !== member.id)) return;
  socket.send(roomMessage(view, { isHost: member.role === 'host', id: member.id, language }));
}

/** @throws Failure, which the browser receives as a `problem` message */
async function handleMessage(message: BrowserMessage, connection: ParticipantConnection): Promise<void> {
  const { socket, member, identity, deps } = connection;
  if (message.type === 'leave') {
    connection.isLeaving = true;
    await deps.unitOfWork.write(identity, (tx) => leaveRoom(tx, member, socket.id));
    dismissLeft(connection);
    return;
  }
  if (message.type === 'signal') {
    if (!connection.isAdmitted) throw forbidden('not_admitted', 'You are not in the room yet.');
    sendToPeer(message, connection);
    return;
  }
  if (message.type === 'chat') return handleChat(message, connection);
  if (message.type === 'still_refused') return handleStillRefused(message, connection);
  if (message.type === 'devices') return deps.unitOfWork.write(identity, (tx) => recordDevices(tx, member, message));
  if (message.type === 'recording_consent') {
    const { given } = message;
    return deps.unitOfWork.write(identity, (tx) => answerRecording(tx, member, { given, language: connection.language }));
  }
  if (member.role !== 'host') throw forbidden('not_host', 'Only the host can do this.');
  if (message.type === 'still') return handleStill(message, connection);
  if (message.type === 'attach') return handleAttach(message, connection);
  await handleHostMessage(message, connection);
}

/** Does not wait for the result, so that the next message of the browser is not held up. The signal bus keeps the order. */
function sendToPeer({ to, data }: Extract<BrowserMessage, { type: 'signal' }>, { socket, member, deps }: ParticipantConnection): void {
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
