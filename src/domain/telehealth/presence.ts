import type { Db } from '../../database/database.ts';
import type { SessionParticipant, VideoSession } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { requireCapacity } from './room-capacity.ts';
import type { ParticipantMember } from './room-tokens.ts';
import { closeSession, lockSession } from './sessions.ts';
import { notifyRoom } from './signals.ts';

/** Who is heard of again so soon was in the same visit all the time. */
export const RESUME_WITHIN_MS = 60_000;

export interface EnteredRoom {
  state: 'waiting' | 'admitted';
  participant: SessionParticipant;
  /** Whose session it is, whoever leads it just now. */
  hostUserId: number;
}

/**
 * Somebody connects: in the room if admitted, else waiting. An older connection of the same person is told to close; who
 * was taken for gone is there again.
 * @throws Failure conflict: refused, session_ended, room_full
 */
export async function enterRoom(db: Db, caller: Caller, member: ParticipantMember, connection: string): Promise<EnteredRoom> {
  const { session, now } = await lockSession(db, caller, member.sessionId);
  const standing = await findParticipant(db, caller, member);
  if (session.endedAt !== null) throw conflict('session_ended', 'This visit has ended.');
  if (standing.refusedAt !== null) throw conflict('refused', 'You cannot join this visit now.');
  const isAdmitted = standing.admittedAt !== null;
  if (isAdmitted && standing.leftAt !== null) await requireCapacity(db, caller, session);
  const participant = await db.sessionParticipant.update({
    where: keyOf(standing),
    data: { connection, lastSeenAt: now, leftAt: null, joinedAt: isAdmitted ? (standing.joinedAt ?? now) : null },
  });
  await notifyRoom(db, caller, `participant:${member.id}`, { type: 'replaced', by: connection });
  if (isAdmitted) await recordJoined(db, caller, session, { standing, now });
  await notifyRoom(db, caller, `session:${session.id}`, { type: 'changed' });
  return { state: isAdmitted ? 'admitted' : 'waiting', participant, hostUserId: session.hostUserId };
}

/** Whether this connection of a person is the newest. */
export async function isCurrentConnection(db: Db, caller: Caller, member: ParticipantMember, connection: string): Promise<boolean> {
  return (await findParticipant(db, caller, member)).connection === connection;
}

/** What follows from somebody being in the room. */
async function recordJoined(
  db: Db,
  caller: Caller,
  session: VideoSession,
  { standing, now }: { standing: SessionParticipant; now: Date },
): Promise<void> {
  if (session.startedAt === null) {
    const where = { organizationId_id: { organizationId: session.organizationId, id: session.id } };
    await db.videoSession.update({ where, data: { startedAt: now }, select: { id: true } });
    recordChange(caller, 'update', { name: 'video_session.started', subject: 'video_session', id: session.id, changed: ['startedAt'] });
  }
  if (standing.joinedAt === null || standing.leftAt !== null)
    recordChange(caller, 'update', {
      name: 'session_participant.joined',
      subject: 'session_participant',
      id: standing.id,
      changed: ['joinedAt'],
    });
  await updateVisits(db, caller, session, now);
}

/** A host lets somebody in who waits. @throws Failure conflict: not_waiting where somebody was first, room_full, session_ended */
export async function admitGuest(db: Db, caller: Caller, sessionId: number, participantId: number): Promise<void> {
  const { session, now } = await lockSession(db, caller, sessionId);
  const guest = await findWaitingGuest(db, caller, session, participantId);
  await requireCapacity(db, caller, session);
  await db.sessionParticipant.update({
    where: keyOf(guest),
    data: { admittedAt: now, joinedAt: guest.connection === null ? null : now },
    select: { id: true },
  });
  recordChange(caller, 'update', {
    name: 'session_participant.admitted',
    subject: 'session_participant',
    id: guest.id,
    changed: ['admittedAt'],
  });
  if (guest.connection !== null) await recordJoined(db, caller, session, { standing: guest, now });
  await notifyRoom(db, caller, `participant:${guest.id}`, { type: 'admitted' });
  await notifyRoom(db, caller, `session:${session.id}`, { type: 'changed' });
}

/** A host says no to somebody who waits. @throws Failure conflict: not_waiting where somebody was first */
export async function refuseGuest(db: Db, caller: Caller, sessionId: number, participantId: number): Promise<void> {
  const { session, now } = await lockSession(db, caller, sessionId);
  const guest = await findWaitingGuest(db, caller, session, participantId);
  await db.sessionParticipant.update({ where: keyOf(guest), data: { refusedAt: now, leftAt: now }, select: { id: true } });
  recordChange(caller, 'update', {
    name: 'session_participant.refused',
    subject: 'session_participant',
    id: guest.id,
    changed: ['refusedAt', 'leftAt'],
  });
  await notifyRoom(db, caller, `participant:${guest.id}`, { type: 'refused' });
  await notifyRoom(db, caller, `session:${session.id}`, { type: 'changed' });
}

/** Somebody hangs up, on this connection; on another one that took its place, nothing happens. */
export async function leaveRoom(db: Db, caller: Caller, member: ParticipantMember, connection: string): Promise<void> {
  const { session, now } = await lockSession(db, caller, member.sessionId);
  const standing = await findParticipant(db, caller, member);
  if (standing.connection !== connection || standing.leftAt !== null) return;
  await recordLeft(db, caller, session, [{ participant: standing, at: now }]);
}

/** Notes who is gone since when, and what visits ended with it; the earliest first, in one held session. */
export async function recordLeft(
  db: Db,
  caller: Caller,
  session: VideoSession,
  gone: readonly { participant: SessionParticipant; at: Date }[],
): Promise<void> {
  for (const { participant, at } of gone) {
    await db.sessionParticipant.update({ where: keyOf(participant), data: { leftAt: at }, select: { id: true } });
    recordChange(caller, 'update', {
      name: 'session_participant.left',
      subject: 'session_participant',
      id: participant.id,
      changed: ['leftAt'],
    });
    await updateVisits(db, caller, session, at);
  }
  await notifyRoom(db, caller, `session:${session.id}`, { type: 'changed' });
}

/** Ends a session for everybody. Once ended, it stays so. */
export async function endSession(db: Db, caller: Caller, sessionId: number): Promise<void> {
  const { organizationId } = caller;
  const { session, now } = await lockSession(db, caller, sessionId);
  if (session.endedAt !== null) return;
  await db.sessionParticipant.updateMany({ where: { organizationId, videoSessionId: sessionId, leftAt: null }, data: { leftAt: now } });
  await updateVisits(db, caller, session, now);
  await closeSession(db, caller, session, now);
}

/**
 * Makes the visits of a held session what its room says: one runs for each patient who is in it together with a host.
 * @param at when the room became what it is
 */
async function updateVisits(db: Db, caller: Caller, session: VideoSession, at: Date): Promise<void> {
  const { organizationId, id: videoSessionId, appointmentId } = session;
  const people = await db.sessionParticipant.findMany({
    where: { organizationId, videoSessionId, admittedAt: { not: null }, joinedAt: { not: null }, leftAt: null },
    select: { role: true, patientId: true, invite: { select: { appointmentId: true } } },
    orderBy: { id: 'asc' },
  });
  const meeting = new Map<number, number | null>();
  if (people.some(({ role }) => role === 'host')) {
    for (const { patientId, invite } of people) if (patientId !== null) meeting.set(patientId, invite?.appointmentId ?? appointmentId);
  }
  const running = await db.telehealthVisit.findMany({ where: { organizationId, videoSessionId, endedAt: null } });
  for (const visit of running) {
    if (visit.patientId !== null && meeting.has(visit.patientId)) meeting.delete(visit.patientId);
    else await endVisit(db, caller, visit, at);
  }
  for (const [patientId, ofAppointment] of meeting)
    await startOrResumeVisit(db, caller, { videoSessionId, patientId, appointmentId: ofAppointment, startedAt: at });
}

async function endVisit(db: Db, caller: Caller, { id, startedAt }: { id: number; startedAt: Date }, at: Date): Promise<void> {
  const { organizationId } = caller;
  const endedAt = at < startedAt ? startedAt : at;
  await db.telehealthVisit.update({ where: { organizationId_id: { organizationId, id } }, data: { endedAt }, select: { id: true } });
  recordVisitEnded(caller, id);
}

export const recordVisitEnded = (caller: Caller, id: number): void =>
  recordChange(caller, 'update', { name: 'telehealth_visit.ended', subject: 'telehealth_visit', id, changed: ['endedAt'] });

interface NewVisit {
  videoSessionId: number;
  patientId: number;
  appointmentId: number | null;
  startedAt: Date;
}

/** A short loss goes on in the same visit. */
async function startOrResumeVisit(db: Db, caller: Caller, visit: NewVisit): Promise<void> {
  const { organizationId } = caller;
  const { videoSessionId, patientId, startedAt } = visit;
  const last = await db.telehealthVisit.findFirst({
    where: { organizationId, videoSessionId, patientId, endedAt: { gt: new Date(startedAt.getTime() - RESUME_WITHIN_MS) } },
    orderBy: { endedAt: 'desc' },
    select: { id: true },
  });
  if (last) {
    await db.telehealthVisit.update({ where: { organizationId_id: { organizationId, id: last.id } }, data: { endedAt: null } });
    recordChange(caller, 'update', { name: 'telehealth_visit.resumed', subject: 'telehealth_visit', id: last.id, changed: ['endedAt'] });
    return;
  }
  const { id } = await db.telehealthVisit.create({ data: { organizationId, ...visit }, select: { id: true } });
  recordChange(caller, 'create', { name: 'telehealth_visit.started', subject: 'telehealth_visit', id });
}

async function findParticipant(db: Db, { organizationId }: Caller, { id, sessionId }: ParticipantMember): Promise<SessionParticipant> {
  const participant = await db.sessionParticipant.findFirst({ where: { organizationId, id, videoSessionId: sessionId } });
  if (!participant) throw conflict('session_ended', 'This visit has ended.');
  return participant;
}

async function findWaitingGuest(db: Db, { organizationId }: Caller, session: VideoSession, id: number): Promise<SessionParticipant> {
  if (session.endedAt !== null) throw conflict('session_ended', 'This visit has ended.');
  const guest = await db.sessionParticipant.findFirst({
    where: { organizationId, id, videoSessionId: session.id, role: 'guest', admittedAt: null, leftAt: null },
  });
  if (!guest) throw conflict('not_waiting', 'This person waits no more: somebody else was first, or they left.');
  return guest;
}

const keyOf = ({ organizationId, id }: SessionParticipant) => ({ organizationId_id: { organizationId, id } });
