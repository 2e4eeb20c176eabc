import type { VisitMember } from '../domain/telehealth/room-tokens.ts';
import { connectToWaitingRoom, leaveWaitingRoom, readWaitingConnection } from '../domain/telehealth/waiting-room-visits.ts';
import { linkCaller } from '../pages/visitor.ts';
import type { ConnectionDeps, Line, Place } from './connection.ts';
import { readHeard } from './protocol.ts';
import { dismissFor } from './session-connection.ts';

/**
 * Takes a seat in a waiting room.
 * @throws Failure conflict for who waits no more
 */
export async function waitOutside(line: Line, member: VisitMember, { unitOfWork, exchange, beating }: ConnectionDeps): Promise<Place> {
  const { organizationId, id } = member;
  const identity = linkCaller(line.request, organizationId, 'waiting_room');
  const stay = () => unitOfWork.write(identity, (db, caller) => connectToWaitingRoom(db, caller, member, line.id));
  let leaving = false;
  const doubt = () =>
    void unitOfWork
      .read(identity, (db, caller) => readWaitingConnection(db, caller, member, line.id))
      .then(async (said) => {
        if (said === 'replaced') line.dismiss('replaced', 'You opened the waiting room in another window.');
        if (said === 'admitted') line.send({ type: 'admitted' });
        if (said === 'waiting' && !leaving) await stay();
      })
      .catch((error: unknown) => dismissFor(line, error));
  const stop = exchange.listen(organizationId, `visit:${id}`, (payload) => {
    const heard = readHeard(payload);
    if (heard?.type === 'replaced' && heard.by !== line.id) doubt();
    if (heard?.type === 'admitted') line.send({ type: 'admitted' });
  });
  const visit = await stay().catch((error: unknown) => {
    stop();
    throw error;
  });
  line.send({ type: 'entered', state: 'waiting', you: { id, role: 'guest', name: '' } });
  const rest = beating.keep({
    heard: () => ({ kind: 'visit', organizationId, id: visit.id, connection: line.id, age: line.age() }),
    doubted: doubt,
    tick: () => {},
  });
  return {
    async hear({ type }) {
      if (type !== 'leave') return;
      leaving = true;
      await unitOfWork.write(identity, (db, caller) => leaveWaitingRoom(db, caller, member, line.id));
      line.dismiss('left', 'You left the waiting room.');
    },
    leave() {
      for (const end of [stop, rest]) end();
    },
  };
}
