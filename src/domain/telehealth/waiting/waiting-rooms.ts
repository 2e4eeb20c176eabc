import type { Db } from '../../../database/database.ts';
import type { WaitingRoom } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';

export type { WaitingRoom };

/** @throws Failure not_found, also for a closed waiting room */
export async function findWaitingRoom(db: Db, { organizationId }: CallerIdentity, id: number): Promise<WaitingRoom> {
  const room = await db.waitingRoom.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!room?.active) throw notFound('waiting room');
  return room;
}

/** The open waiting rooms of the practice, by id. */
export function listWaitingRooms(db: Db, { organizationId }: CallerIdentity): Promise<WaitingRoom[]> {
  return db.waitingRoom.findMany({ where: { organizationId, active: true }, orderBy: { id: 'asc' } });
}

export interface WaitingRoomInput {
  /** The office that lists it. */
  officeId: number;
  /** The host, who alone admits from it. Without one, every user of the practice can. */
  userId?: number | undefined;
  name: string;
}

/** Opens a waiting room. @throws Failure not_found for a closed office or an inactive user */
export async function addWaitingRoom(db: Db, caller: Caller, { officeId, userId, name }: WaitingRoomInput): Promise<WaitingRoom> {
  const { organizationId } = caller;
  const office = await db.office.findFirst({ where: { organizationId, id: officeId, active: true }, select: { id: true } });
  if (!office) throw notFound('office');
  const host =
    userId === undefined ? null : await db.user.findFirst({ where: { organizationId, id: userId, active: true }, select: { id: true } });
  if (userId !== undefined && !host) throw notFound('user');
  const room = await db.waitingRoom.create({ data: { organizationId, officeId, userId: host?.id ?? null, name } });
  recordChange(caller, 'administer', { name: 'waiting_room.added', id: room.id });
  return room;
}

/** Closes a waiting room to new invites. Earlier invites still work. @throws Failure not_found, also for a closed one */
export async function closeWaitingRoom(db: Db, caller: Caller, id: number): Promise<WaitingRoom> {
  const { organizationId } = caller;
  await findWaitingRoom(db, caller, id);
  const room = await db.waitingRoom.update({ where: { organizationId_id: { organizationId, id } }, data: { active: false } });
  recordChange(caller, 'administer', { name: 'waiting_room.closed', id, changed: ['active'] });
  return room;
}
