import type { Db } from '../../../database/database.ts';
import type { SessionParticipant, VideoSession } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { conflict, forbidden } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { noEarlierThanArrival, recordJoined, recordLeft, toKey } from '../presence/presence.ts';
import { awaySince, toStanding } from '../sessions/participant-standing.ts';
import { requireCapacity } from '../sessions/room-capacity.ts';
import { lockSession } from '../sessions/sessions.ts';
import { notifyRoom } from '../sessions/signals.ts';

/** To which visit a guest is admitted: one of their own, which ends the present one, or the present one. */
export type VisitChoice = 'new' | 'current';

type LockedSession = Awaited<ReturnType<typeof lockSession>>;
type Guest = Pick<SessionParticipant, 'patientId' | 'inviteId'>;

/**
 * Finds the visit to which a guest is admitted, and begins it where it is a new one. Without a choice, that is a new one
 * unless somebody else is in the present one.
 * @returns the session with the number of that visit
 * @throws Failure conflict: choose_visit where somebody else is in the present visit, or left it so recently that they may come
 * back; room_full
 */
export async function openVisit(tx: Tx, { session, now }: LockedSession, guest: Guest, choice?: VisitChoice): Promise<VideoSession> {
  const admitted = await findAdmittedGuests(tx.prisma, session, now);
  if (choice === undefined && admitted.some((one) => !isSamePerson(one, guest)))
    throw conflict('choose_visit', 'Somebody is in the visit. Admit this person with them, or begin the next visit.');
  const isPresent = choice !== 'new' && admitted.length > 0;
  const opened = isPresent ? session : await beginVisit(tx, session, now);
  await requireCapacity(tx, opened);
  return opened;
}

/** The guests who are in the present visit, or may come back to it without being admitted again. */
async function findAdmittedGuests(db: Db, session: VideoSession, now: Date): Promise<SessionParticipant[]> {
  const { organizationId, id: videoSessionId, visit } = session;
  const guests = await db.sessionParticipant.findMany({ where: { organizationId, videoSessionId, visit, role: 'guest' } });
  return guests.filter((guest) => toStanding(session, guest, now) === 'admitted');
}

const isSamePerson = (one: Guest, other: Guest): boolean =>
  (one.patientId !== null && one.patientId === other.patientId) || (one.inviteId !== null && one.inviteId === other.inviteId);

/** Begins the next visit of a session: the admissions to the present one end at once, and so do its lock and its recording. */
async function beginVisit(tx: Tx, session: VideoSession, now: Date): Promise<VideoSession> {
  const { organizationId, id } = session;
  const guests = await tx.prisma.sessionParticipant.findMany({
    where: { organizationId, videoSessionId: id, role: 'guest', admittedAt: { not: null }, leftAt: null },
  });
  const gone = guests.map((participant) => ({ participant, at: awaySince(participant, now) ?? now }));
  if (gone.length > 0) await recordLeft(tx, session, gone);
  for (const { id: guest } of guests) notifyRoom(tx, `participant:${guest}`, { type: 'visit_over' });
  const next = await tx.prisma.videoSession.update({
    where: { organizationId_id: { organizationId, id } },
    data: { visit: session.visit + 1, lockedAt: null, recordingSince: null, recordingAskedAt: null },
  });
  recordChange(tx, 'update', { name: 'video_session.visit_begun', id, changed: ['visit'] });
  return next;
}

/**
 * A host admits a waiting guest.
 * @throws Failure conflict: not_waiting where another host was first, choose_visit, room_full, session_ended
 */
export async function admitGuest(tx: Tx, sessionId: number, participantId: number, choice?: VisitChoice): Promise<void> {
  const locked = await lockSession(tx, sessionId);
  const { now } = locked;
  const guest = await findWaitingGuest(tx, locked.session, participantId);
  const session = await openVisit(tx, locked, guest, choice);
  await tx.prisma.sessionParticipant.update({
    where: toKey(guest),
    data: { admittedAt: now, visit: session.visit, joinedAt: guest.connection === null ? null : now },
    select: { id: true },
  });
  recordChange(tx, 'update', { name: 'session_participant.admitted', id: guest.id, changed: ['admittedAt', 'visit'] }, toPatientIds(guest));
  if (guest.connection !== null) await recordJoined(tx, session, { before: guest, now });
  notifyRoom(tx, `participant:${guest.id}`, { type: 'admitted' });
  notifyRoom(tx, `session:${session.id}`, { type: 'changed' });
}

/** A host refuses a waiting guest. @throws Failure conflict: not_waiting where another host was first */
export async function refuseGuest(tx: Tx, sessionId: number, participantId: number): Promise<void> {
  const { session, now } = await lockSession(tx, sessionId);
  const guest = await findWaitingGuest(tx, session, participantId);
  await tx.prisma.sessionParticipant.update({
    where: toKey(guest),
    data: { refusedAt: now, leftAt: noEarlierThanArrival(guest, now) },
    select: { id: true },
  });
  recordChange(tx, 'update', { name: 'session_participant.refused', id: guest.id, changed: ['refusedAt', 'leftAt'] }, toPatientIds(guest));
  notifyRoom(tx, `participant:${guest.id}`, { type: 'refused' });
  notifyRoom(tx, `session:${session.id}`, { type: 'changed' });
}

async function findWaitingGuest(tx: Tx, session: VideoSession, id: number): Promise<SessionParticipant> {
  if (session.endedAt !== null) throw conflict('session_ended', 'This visit has ended.');
  const guest = await tx.prisma.sessionParticipant.findFirst({
    where: { ...tx.practice, id, videoSessionId: session.id, role: 'guest', admittedAt: null, leftAt: null },
  });
  if (!guest) throw conflict('not_waiting', 'This person is no longer waiting: they were already admitted, or they left.');
  return guest;
}

/**
 * A host takes a guest out of the visit. The guest may knock again.
 * @throws Failure forbidden for a host; conflict: not_in_visit for a person who is not in the present visit
 */
export async function removeGuest(tx: Tx, sessionId: number, participantId: number): Promise<void> {
  const { session, now } = await lockSession(tx, sessionId);
  const guest = await tx.prisma.sessionParticipant.findFirst({ where: { ...tx.practice, id: participantId, videoSessionId: sessionId } });
  if (guest?.role === 'host') throw forbidden('is_host', 'Only guests can be removed from a visit.');
  if (!guest || guest.admittedAt === null || toStanding(session, guest, now) !== 'admitted')
    throw conflict('not_in_visit', 'This person is not in the visit.');
  await tx.prisma.sessionParticipant.update({ where: toKey(guest), data: { removedAt: now }, select: { id: true } });
  recordChange(tx, 'update', { name: 'session_participant.removed', id: guest.id, changed: ['removedAt'] }, toPatientIds(guest));
  notifyRoom(tx, `participant:${guest.id}`, { type: 'removed' });
  if (guest.leftAt === null) await recordLeft(tx, session, [{ participant: guest, at: now }]);
}

/** A host locks the room, so that no further guest may join, or opens it again. The next visit opens it too. */
export async function lockRoom(tx: Tx, sessionId: number, on: boolean): Promise<void> {
  const { session, now } = await lockSession(tx, sessionId);
  if ((session.lockedAt !== null) === on || session.endedAt !== null) return;
  await tx.prisma.videoSession.update({
    where: tx.key(sessionId),
    data: { lockedAt: on ? now : null },
    select: { id: true },
  });
  const name = on ? 'video_session.locked' : 'video_session.unlocked';
  recordChange(tx, 'update', { name, id: sessionId, changed: ['lockedAt'] });
  notifyRoom(tx, `session:${sessionId}`, { type: 'changed' });
}
