import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
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
export async function connectToWaitingRoom(
  db: Db,
  caller: Caller,
  member: VisitMember,
  { connection, entries }: Entry,
): Promise<LockedVisit> {
  const locked = await lockVisit(db, caller, member.id);
  await requireOpenPractice(db, caller);
  if (locked.admittedAt !== null) throw conflict('not_waiting', 'You are already admitted.');
  if (entries !== null && entries !== locked.entries) throw conflict('token_used', 'This token was used before. Join again.');
  const now = await databaseTime(db);
  if (isAwayFor(PLACE_KEPT_MS, locked, now)) throw conflict('not_waiting', 'You left the waiting room. Open the link again.');
  const visit = await db.waitingRoomVisit.update({
    where: visitKey(locked),
    data: { connection, lastSeenAt: now, leftAt: null, entries: locked.entries + (entries === null ? 0 : 1) },
  });
  notifyRoom(caller, `visit:${member.id}`, { type: 'replaced', by: connection });
  await announceWaitingRoomKnock(db, caller, visit, locked.waitingRoom.userId);
  if (locked.leftAt !== null) recordVisitChange(caller, visit, { name: 'resumed', hostUserId: locked.waitingRoom.userId });
  return { ...locked, ...visit };
}

export async function readWaitingConnection(
  db: Db,
  { organizationId }: Caller,
  { id }: VisitMember,
  connection: string,
): Promise<'waiting' | 'admitted' | 'replaced'> {
  const visit = await db.waitingRoomVisit.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (visit?.connection !== connection) return 'replaced';
  return visit.admittedAt === null ? 'waiting' : 'admitted';
}

/** A patient leaves. Does nothing where a newer connection has replaced this one. */
export async function leaveWaitingRoom(db: Db, caller: Caller, member: VisitMember, connection: string): Promise<void> {
  const locked = await lockVisit(db, caller, member.id);
  if (locked.connection === connection && locked.leftAt === null) await endWaitingRoomVisit(db, caller, locked, await databaseTime(db));
}

/** Reads the state of a waiting patient whose page says that it is being closed. @throws Failure not_found */
export async function readClosedWaitingPage(db: Db, { organizationId }: Caller, { id }: VisitMember): Promise<ClosedPage> {
  const visit = await db.waitingRoomVisit.findUnique({
    where: { organizationId_id: { organizationId, id } },
    select: { entries: true },
  });
  if (!visit) throw notFound('waiting room visit');
  return { at: await databaseTime(db), entries: visit.entries };
}

/** Records a patient as gone whose page was closed, unless another page of the same person has entered since. */
export async function leaveClosedWaitingPage(db: Db, caller: Caller, { id }: VisitMember, { at, entries }: ClosedPage): Promise<void> {
  const locked = await lockVisit(db, caller, id);
  if (locked.entries === entries && locked.leftAt === null) await endWaitingRoomVisit(db, caller, locked, at);
}

export async function recordWaitingDevices(
  db: Db,
  caller: Caller,
  { id }: VisitMember,
  { camera, microphone }: CheckedDevices,
): Promise<void> {
  const locked = await lockVisit(db, caller, id);
  await db.waitingRoomVisit.update({ where: visitKey(locked), data: { camera, microphone }, select: { id: true } });
  notifyRoom(caller, hostAddress(locked.waitingRoom.userId), { type: 'changed' });
}
