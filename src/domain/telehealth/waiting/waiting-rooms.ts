import type { Db } from '../../../database/database.ts';
import type { WaitingRoom } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';

export type { WaitingRoom };

/** @throws Failure not_found, also for a closed waiting room */
export async function findWaitingRoom(db: Db, { organizationId }: CallerIdentity, id: number): Promise<WaitingRoom> {
  const room = await db.waitingRoom.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!room?.active) throw notFound('waiting room');
  return room;
}

/** The waiting rooms of the practice by id, closed ones too. */
export function listAllWaitingRooms(db: Db, { organizationId }: CallerIdentity): Promise<WaitingRoom[]> {
  return db.waitingRoom.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
}

export interface WaitingRoomInput {
  officeId?: number | null | undefined;
  /** The host, the only one who admits from it. Without one, every user of the practice can. */
  userId?: number | null | undefined;
  name: string;
}

/** Opens a waiting room. @throws Failure not_found for a closed office or an inactive user */
export async function addWaitingRoom(db: Db, caller: Caller, input: WaitingRoomInput): Promise<WaitingRoom> {
  const { organizationId } = caller;
  const { officeId = null, userId = null, name } = input;
  await requirePlace(db, caller, input);
  const room = await db.waitingRoom.create({ data: { organizationId, officeId, userId, name } });
  recordChange(caller, 'administer', { name: 'waiting_room.added', id: room.id });
  return room;
}

/**
 * Changes the given fields that differ. A closed waiting room takes no invites; earlier ones still work.
 * @throws Failure not_found for an unknown waiting room, a closed office or an inactive user
 */
export async function changeWaitingRoom(
  db: Db,
  caller: Caller,
  id: number,
  input: Partial<WaitingRoomInput> & { active?: boolean | undefined },
): Promise<void> {
  const { organizationId } = caller;
  const where = { organizationId_id: { organizationId, id } };
  const before = await db.waitingRoom.findUnique({ where });
  if (!before) throw notFound('waiting room');
  await requirePlace(db, caller, input);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await db.waitingRoom.update({ where, data: changes, select: { id: true } });
  recordChange(caller, 'administer', { name: changes.active === false ? 'waiting_room.closed' : 'waiting_room.updated', id, changed });
}

/** @throws Failure not_found for a closed office or an inactive user */
async function requirePlace(db: Db, { organizationId }: Caller, { officeId, userId }: Partial<WaitingRoomInput>): Promise<void> {
  const isThere = { organizationId, active: true };
  if (typeof officeId === 'number' && !(await db.office.findFirst({ where: { ...isThere, id: officeId }, select: { id: true } })))
    throw notFound('office');
  if (typeof userId === 'number' && !(await db.user.findFirst({ where: { ...isThere, id: userId }, select: { id: true } })))
    throw notFound('user');
}

/** Removes a waiting room to which nothing refers. */
export async function removeWaitingRoom(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.waitingRoom.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'waiting_room.removed', id });
}
