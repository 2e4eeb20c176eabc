import type { WaitingRoom } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';

export type { WaitingRoom };

/** @throws Failure not_found, also for a closed waiting room */
export async function findWaitingRoom(tx: PracticeTx, id: number): Promise<WaitingRoom> {
  const room = await tx.prisma.waitingRoom.findUnique({ where: tx.key(id) });
  if (!room?.active) throw notFound('waiting room');
  return room;
}

/** The waiting rooms of the practice by id, closed ones too. */
export function listAllWaitingRooms(tx: PracticeTx): Promise<WaitingRoom[]> {
  return tx.prisma.waitingRoom.findMany({ where: tx.practice, orderBy: { id: 'asc' } });
}

export interface WaitingRoomInput {
  officeId?: number | null | undefined;
  /** The host, the only one who admits from it. Without one, every user of the practice can. */
  userId?: number | null | undefined;
  name: string;
}

/** Opens a waiting room. @throws Failure not_found for a closed office or an inactive user */
export async function addWaitingRoom(tx: Tx, input: WaitingRoomInput): Promise<WaitingRoom> {
  const { officeId = null, userId = null, name } = input;
  await requirePlace(tx, input);
  const room = await tx.prisma.waitingRoom.create({ data: { ...tx.practice, officeId, userId, name } });
  recordChange(tx, 'administer', { name: 'waiting_room.added', id: room.id });
  return room;
}

/**
 * Changes the given fields that differ. A closed waiting room takes no invites; earlier ones still work.
 * @throws Failure not_found for an unknown waiting room, a closed office or an inactive user
 */
export async function changeWaitingRoom(
  tx: Tx,
  id: number,
  input: Partial<WaitingRoomInput> & { active?: boolean | undefined },
): Promise<void> {
  const where = tx.key(id);
  const before = await tx.prisma.waitingRoom.findUnique({ where });
  if (!before) throw notFound('waiting room');
  await requirePlace(tx, input);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await tx.prisma.waitingRoom.update({ where, data: changes, select: { id: true } });
  recordChange(tx, 'administer', { name: changes.active === false ? 'waiting_room.closed' : 'waiting_room.updated', id, changed });
}

/** @throws Failure not_found for a closed office or an inactive user */
async function requirePlace(tx: Tx, { officeId, userId }: Partial<WaitingRoomInput>): Promise<void> {
  const isThere = { ...tx.practice, active: true };
  if (typeof officeId === 'number' && !(await tx.prisma.office.findFirst({ where: { ...isThere, id: officeId }, select: { id: true } })))
    throw notFound('office');
  if (typeof userId === 'number' && !(await tx.prisma.user.findFirst({ where: { ...isThere, id: userId }, select: { id: true } })))
    throw notFound('user');
}

/** Removes a waiting room to which nothing refers. */
export async function removeWaitingRoom(tx: Tx, id: number): Promise<void> {
  await tx.prisma.waitingRoom.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'waiting_room.removed', id });
}
