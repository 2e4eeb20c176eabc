import type { Keyring } from '../../database/encryption/keyring.ts';
import type { VisitMember } from '../../domain/telehealth/sessions/room-tokens.ts';
import {
  connectToWaitingRoom,
  leaveWaitingRoom,
  readWaitingConnection,
  recordWaitingDevices,
} from '../../domain/telehealth/waiting/waiting-room-presence.ts';
import type { LockedVisit } from '../../domain/telehealth/waiting/waiting-room-visits.ts';
import { greetingName } from '../../domain/values/person-names.ts';
import { linkCaller } from '../../http/sign-in/sign-in.ts';
import { issueWaitingResume, renewToken } from '../entry-token.ts';
import { readSignalPayload } from '../protocol.ts';
import type { ConnectionDeps } from '../realtime-deps.ts';
import { type BrowserSocket, type ConnectionHandler, closeForFailure, dismissForAppointment } from './browser-socket.ts';
import { sendLateMessage } from './late-message.ts';

/** Connects a patient to a waiting room. @throws Failure conflict where the visit to the waiting room is over */
export async function openWaitingConnection(
  socket: BrowserSocket,
  { member, entries }: { member: VisitMember; entries: number },
  { keyring, unitOfWork, signalBus, heartbeat }: ConnectionDeps,
): Promise<ConnectionHandler> {
  const { organizationId, id } = member;
  const identity = linkCaller(socket.request, organizationId, 'waiting_room');
  const connect = (at: number | null) =>
    unitOfWork.write(identity, (tx) => connectToWaitingRoom(tx, member, { connection: socket.id, entries: at }));
  let isLeaving = false;
  const recheck = () =>
    void unitOfWork
      .read(identity, (tx) => readWaitingConnection(tx, member, socket.id))
      .then(async (state) => {
        if (state === 'replaced') socket.dismiss('replaced', 'You opened the waiting room in another window.');
        if (state === 'admitted') socket.send({ type: 'admitted' });
        if (state === 'waiting' && !isLeaving) await connect(null);
      })
      .catch((error: unknown) => closeForFailure(socket, error));
  const unsubscribe = signalBus.subscribe(organizationId, `visit:${id}`, (payload) => {
    const signal = readSignalPayload(payload);
    if (signal?.type === 'replaced' && signal.by !== socket.id) recheck();
    if (signal?.type === 'admitted') socket.send({ type: 'admitted' });
    if (signal?.type === 'not_now') socket.send({ type: 'not_now' });
    isLeaving ||= dismissForAppointment(socket, signal?.type);
    if (signal?.type === 'late') socket.send({ type: 'late', minutes: signal.minutes });
  });
  const visit = await connect(entries).catch((error: unknown) => {
    unsubscribe();
    throw error;
  });
  greet(socket, keyring, member, visit);
  await sendLateMessage(socket, { unitOfWork }, identity, { kind: 'visit', id, since: visit.enteredAt });
  const stopHeartbeat = heartbeat.add({
    heartbeat: () => ({ kind: 'visit', organizationId, id: visit.id, connection: socket.id, age: socket.silentSeconds() }),
    onStale: recheck,
    onTick: renewToken(socket, keyring, member),
  });
  return {
    async handle(message) {
      if (message.type === 'devices') await unitOfWork.write(identity, (tx) => recordWaitingDevices(tx, member, message));
      if (message.type !== 'leave') return;
      isLeaving = true;
      await unitOfWork.write(identity, (tx) => leaveWaitingRoom(tx, member, socket.id));
      socket.dismiss('left', 'You left the waiting room.');
    },
    disconnect() {
      unsubscribe();
      stopHeartbeat();
    },
  };
}

function greet(socket: BrowserSocket, keyring: Keyring, member: VisitMember, { entries, patient }: LockedVisit): void {
  const you = { id: member.id, role: 'guest', kind: 'patient', name: greetingName(patient) ?? '' } as const;
  socket.send({ type: 'entered', state: 'waiting', you, resume: issueWaitingResume(keyring, member, entries) });
}
