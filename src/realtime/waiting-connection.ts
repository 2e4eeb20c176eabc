import type { VisitMember } from '../domain/telehealth/room-tokens.ts';
import { connectToWaitingRoom, leaveWaitingRoom, readWaitingConnection } from '../domain/telehealth/waiting-room-visits.ts';
import { linkCaller } from '../pages/visitor.ts';
import { type BrowserSocket, type ConnectionHandler, closeForFailure } from './browser-socket.ts';
import { readSignalPayload } from './protocol.ts';
import type { ConnectionDeps } from './realtime-deps.ts';

/**
 * Connects a patient to a waiting room.
 * @throws Failure conflict where the visit to the waiting room is over
 */
export async function openWaitingConnection(
  socket: BrowserSocket,
  member: VisitMember,
  { unitOfWork, signalBus, heartbeat }: ConnectionDeps,
): Promise<ConnectionHandler> {
  const { organizationId, id } = member;
  const identity = linkCaller(socket.request, organizationId, 'waiting_room');
  const connect = () => unitOfWork.write(identity, (db, caller) => connectToWaitingRoom(db, caller, member, socket.id));
  let isLeaving = false;
  const recheck = () =>
    void unitOfWork
      .read(identity, (db, caller) => readWaitingConnection(db, caller, member, socket.id))
      .then(async (state) => {
        if (state === 'replaced') socket.dismiss('replaced', 'You opened the waiting room in another window.');
        if (state === 'admitted') socket.send({ type: 'admitted' });
        if (state === 'waiting' && !isLeaving) await connect();
      })
      .catch((error: unknown) => closeForFailure(socket, error));
  const unsubscribe = signalBus.subscribe(organizationId, `visit:${id}`, (payload) => {
    const signal = readSignalPayload(payload);
    if (signal?.type === 'replaced' && signal.by !== socket.id) recheck();
    if (signal?.type === 'admitted') socket.send({ type: 'admitted' });
    if (signal?.type === 'late') socket.send({ type: 'late', minutes: signal.minutes });
  });
  const visit = await connect().catch((error: unknown) => {
    unsubscribe();
    throw error;
  });
  socket.send({ type: 'entered', state: 'waiting', you: { id, role: 'guest', kind: 'patient', name: '' } });
  const stopHeartbeat = heartbeat.add({
    heartbeat: () => ({ kind: 'visit', organizationId, id: visit.id, connection: socket.id, age: socket.silentSeconds() }),
    onStale: recheck,
    onTick: () => {},
  });
  return {
    async handle({ type }) {
      if (type !== 'leave') return;
      isLeaving = true;
      await unitOfWork.write(identity, (db, caller) => leaveWaitingRoom(db, caller, member, socket.id));
      socket.dismiss('left', 'You left the waiting room.');
    },
    disconnect() {
      unsubscribe();
      stopHeartbeat();
    },
  };
}
