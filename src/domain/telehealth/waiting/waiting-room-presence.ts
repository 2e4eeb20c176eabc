import { databaseTime } from '../../../database/clock.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { announceWaitingRoomKnock } from '../presence/knocks.ts';
import type { ClosedPage, Entry } from '../presence/presence.ts';
import type { CheckedDevices } from '../sessions/checked-devices.ts';
import { isAwayFor, PLACE_KEPT_MS } from '../sessions/participant-standing.ts';
import type { VisitMember } from '../sessions/room-tokens.ts';
import { requireOpenPractice } from '../sessions/sessions.ts';
import { hostAddress, notifyRoom } from '../sessions/signals.ts';
import { endWaitingRoomVisit, type LockedVisit, lockVisit, recordVisitChange, visitKey } from './waiting-room-visits.ts';

/**
 * Records the connection of a waiting patient. An older connection is told to close.
 * @throws Failure conflict for a patient who was admitted or has left, for a room token that was used before, and where the practice
 * was closed
 */
export async function connectToWaitingRoom(tx: Tx, member: VisitMember, { connection, entries }: Entry): Promise<LockedVisit> {
  const locked = await lockVisit(tx, member.id);
  await requireOpenPractice(tx);
  if (locked.admittedAt !== null) throw conflict('not_waiting', 'You are already admitted.');
  if (entries !== null && entries !== locked.entries) throw conflict('token_used', 'This token was used before. Join again.');
  const now = await databaseTime(tx.prisma);
  if (isAwayFor(PLACE_KEPT_MS, locked, now)) throw conflict('not_waiting', 'You left the waiting room. Open the link again.');
  const visit = await tx.prisma.waitingRoomVisit.update({
    where: visitKey(locked),
    data: { connection, lastSeenAt: now, leftAt: null, entries: locked.entries + (entries === null ? 0 : 1) },
  });
  notifyRoom(tx, `visit:${member.id}`, { type: 'replaced', by: connection });
  await announceWaitingRoomKnock(tx, visit, locked.waitingRoom.userId);
  if (locked.leftAt !== null) recordVisitChange(tx, visit, { name: 'resumed', hostUserId: locked.waitingRoom.userId });
  return { ...locked, ...visit };
}

export async function readWaitingConnection(tx: Tx, { id }: VisitMember, connection: string): Promise<'waiting' | 'admitted' | 'replaced'> {
  const visit = await tx.prisma.waitingRoomVisit.findUnique({ where: tx.key(id) });
  if (visit?.connection !== connection) return 'replaced';
  return visit.admittedAt === null ? 'waiting' : 'admitted';
}

/** A patient leaves. Does nothing where a newer connection has replaced this one. */
export async function leaveWaitingRoom(tx: Tx, member: VisitMember, connection: string): Promise<void> {
  const locked = await lockVisit(tx, member.id);
  if (locked.connection === connection && locked.leftAt === null) await endWaitingRoomVisit(tx, locked, await databaseTime(tx.prisma));
}

/** Reads the state of a waiting patient whose page says that it is being closed. @throws Failure not_found */
export async function readClosedWaitingPage(tx: Tx, { id }: VisitMember): Promise<ClosedPage> {
  const visit = await tx.prisma.waitingRoomVisit.findUnique({
    where: tx.key(id),
    select: { entries: true },
  });
  if (!visit) throw notFound('waiting room visit');
  return { at: await databaseTime(tx.prisma), entries: visit.entries };
}

/** Records a patient as gone whose page was closed, unless another page of the same person has entered since. */
export async function leaveClosedWaitingPage(tx: Tx, { id }: VisitMember, { at, entries }: ClosedPage): Promise<void> {
  const locked = await lockVisit(tx, id);
  if (locked.entries === entries && locked.leftAt === null) await endWaitingRoomVisit(tx, locked, at);
}

export async function recordWaitingDevices(tx: Tx, { id }: VisitMember, { camera, microphone }: CheckedDevices): Promise<void> {
  const locked = await lockVisit(tx, id);
  await tx.prisma.waitingRoomVisit.update({ where: visitKey(locked), data: { camera, microphone }, select: { id: true } });
  notifyRoom(tx, hostAddress(locked.waitingRoom.userId), { type: 'changed' });
}
