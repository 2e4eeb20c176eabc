import type { Db } from '../../database/database.ts';
import type { SessionParticipant, VideoSession } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { requireCapacity } from './room-capacity.ts';
import type { ParticipantMember } from './room-tokens.ts';
import { closeSession, lockSession } from './sessions.ts';
import { notifyRoom } from './signals.ts';

/** A person who returns within this time continues the same visit, without a gap. */
export const RESUME_WITHIN_MS = 60_000;

export interface EnteredRoom {
  state: 'waiting' | 'admitted';
  participant: SessionParticipant;
  /** The user whose session it is, even while another host leads it. */
  hostUserId: number;
}

/**
 * Connects a participant: into the room if admitted, else to wait. An older connection of the participant is told to close,
 * and a participant who was recorded as gone is present again.
 * @throws Failure conflict: refused, session_ended, room_full
 */
export async function enterRoom(db: Db, caller: Caller, member: ParticipantMember, connection: string): Promise<EnteredRoom> {
  const { session, now } = await lockSession(db, caller, member.sessionId);
  const before = await findParticipant(db, caller, member);
  if (session.endedAt !== null) throw conflict('session_ended', 'This visit has ended.');
  if (before.refusedAt !== null) throw conflict('refused', 'You cannot join this visit now.');
  const isAdmitted = before.admittedAt !== null;
  if (isAdmitted && before.leftAt !== null) await requireCapacity(db, caller, session);
  const participant = await db.sessionParticipant.update({
    where: keyOf(before),
    data: { connection, lastSeenAt: now, leftAt: null, joinedAt: isAdmitted ? (before.joinedAt ?? now) : null },
  });
  await notifyRoom(db, caller, `participant:${member.id}`, { type: 'replaced', by: connection });
  if (isAdmitted) await recordJoined(db, caller, session, { before, now });
  await notifyRoom(db, caller, `session:${session.id}`, { type: 'changed' });
  return { state: isAdmitted ? 'admitted' : 'waiting', participant, hostUserId: session.hostUserId };
}

/** Whether this is the newest connection of a participant. */
export async function isCurrentConnection(db: Db, caller: Caller, member: ParticipantMember, connection: string): Promise<boolean> {
  return (await findParticipant(db, caller, member)).connection === connection;
}

/** Starts the session where this is its first participant, records the arrival, and updates the visits. */
async function recordJoined(
  db: Db,
  caller: Caller,
  session: VideoSession,
  { before, now }: { before: SessionParticipant; now: Date },
): Promise<void> {
  if (session.startedAt === null) {
    const where = { organizationId_id: { organizationId: session.organizationId, id: session.id } };
    await db.videoSession.update({ where, data: { startedAt: now }, select: { id: true } });
    recordChange(caller, 'update', { name: 'video_session.started', subject: 'video_session', id: session.id, changed: ['startedAt'] });
  }
  if (before.joinedAt === null || before.leftAt !== null)
    recordChange(caller, 'update', {
      name: 'session_participant.joined',
      subject: 'session_participant',
      id: before.id,
      changed: ['joinedAt'],
    });
  await updateVisits(db, caller, session, now);
}

/** A host admits a waiting guest. @throws Failure conflict: not_waiting where another host was first, room_full, session_ended */
export async function admitGuest(db: Db, caller: Caller, sessionId: number, participantId: number): Promise<void> {
  const { session, now } = await lockSession(db, caller, sessionId);
  const guest = await findWaitingGuest(db, caller, session, participantId);
  await requireCapacity(db, caller, session);
  await db.sessionParticipant.update({
    where: keyOf(guest),
    data: { admittedAt: now, visit: await presentVisit(db, session), joinedAt: guest.connection === null ? null : now },
    select: { id: true },
  });
  recordChange(caller, 'update', {
    name: 'session_participant.admitted',
    subject: 'session_participant',
    id: guest.id,
    changed: ['admittedAt'],
  });
  if (guest.connection !== null) await recordJoined(db, caller, session, { before: guest, now });
  await notifyRoom(db, caller, `participant:${guest.id}`, { type: 'admitted' });
  await notifyRoom(db, caller, `session:${session.id}`, { type: 'changed' });
}

/** The number of the visit to which guests are admitted, the first one if there was none. */
export async function presentVisit(db: Db, { organizationId, id, visit }: VideoSession): Promise<number> {
  if (visit > 0) return visit;
  await db.videoSession.update({ where: { organizationId_id: { organizationId, id } }, data: { visit: 1 }, select: { id: true } });
  return 1;
}

/** A host refuses a waiting guest. @throws Failure conflict: not_waiting where another host was first */
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

/** A participant hangs up. Does nothing where a newer connection has replaced this one. */
export async function leaveRoom(db: Db, caller: Caller, member: ParticipantMember, connection: string): Promise<void> {
  const { session, now } = await lockSession(db, caller, member.sessionId);
  const participant = await findParticipant(db, caller, member);
  if (participant.connection !== connection || participant.leftAt !== null) return;
  await recordLeft(db, caller, session, [{ participant, at: now }]);
}

/**
 * Records participants of a locked session as gone, and ends the visits that they were part of.
 * @param gone ordered by time
 */
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

/** Ends a session for everybody, for good. */
export async function endSession(db: Db, caller: Caller, sessionId: number): Promise<void> {
  const { organizationId } = caller;
  const { session, now } = await lockSession(db, caller, sessionId);
  if (session.endedAt !== null) return;
  await db.sessionParticipant.updateMany({ where: { organizationId, videoSessionId: sessionId, leftAt: null }, data: { leftAt: now } });
  await updateVisits(db, caller, session, now);
  await closeSession(db, caller, session, now);
}

/**
 * Starts and ends the visits of a locked session, so that one runs for each patient who is in the room together with a host.
 * @param at the time of the change in the room
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

/** Continues a visit that ended less than RESUME_WITHIN_MS ago; else starts a new one. */
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
