import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import type { SessionParticipant, VideoSession } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { conflict } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import type { CheckedDevices } from '../sessions/checked-devices.ts';
import { standingFailure, toStanding } from '../sessions/participant-standing.ts';
import { endRecordingWithoutHost, pauseRecordingFor } from '../sessions/recording-consent.ts';
import { requirePlace } from '../sessions/room-capacity.ts';
import type { ParticipantMember } from '../sessions/room-tokens.ts';
import { closeSession, lockSession, requireOpenPractice } from '../sessions/sessions.ts';
import { notifyRoom } from '../sessions/signals.ts';
import { updateVisits } from '../visits/visit-records.ts';
import { announceKnock } from './knocks.ts';

export interface EnteredRoom {
  state: 'waiting' | 'admitted';
  participant: SessionParticipant;
  /** The user whose session it is, even while another host leads it. */
  hostUserId: number;
}

/** A connection that enters. */
export interface Entry {
  connection: string;
  /** Connections of the participant when the room token was issued; null where a connection that has entered does so again. */
  entries: number | null;
}

/**
 * Connects a participant: into the room if admitted, else to wait. An older connection of the participant is told to close,
 * and a participant who was recorded as gone is present again.
 * @throws Failure conflict: session_ended, also where the practice was closed; room_full; token_used where the room token was used
 * before; refused, removed, visit_over and lapsed as toStanding says, and removed for a deactivated user
 */
export async function enterRoom(tx: Tx, member: ParticipantMember, { connection, entries }: Entry): Promise<EnteredRoom> {
  const { session, now } = await lockSession(tx, member.sessionId);
  const before = await findParticipant(tx, member);
  if (session.endedAt !== null) throw conflict('session_ended', 'This visit has ended.');
  await requireOpenPractice(tx);
  await requireActive(tx.prisma, before);
  if (entries !== null && entries !== before.entries) throw conflict('token_used', 'This token was used before. Join again.');
  const state = toStanding(session, before, now);
  if (state !== 'admitted' && state !== 'waiting') throw standingFailure(state);
  const isAdmitted = state === 'admitted';
  if (isAdmitted) await requirePlace(tx, session, before);
  const participant = await tx.prisma.sessionParticipant.update({
    where: toKey(before),
    data: {
      connection,
      lastSeenAt: now,
      leftAt: null,
      joinedAt: isAdmitted ? (before.joinedAt ?? now) : null,
      entries: before.entries + (entries === null ? 0 : 1),
    },
  });
  if (before.connection !== null) notifyRoom(tx, `participant:${member.id}`, { type: 'replaced', by: connection });
  if (isAdmitted) await recordJoined(tx, session, { before, now });
  else await announceKnock(tx, session, { participantId: before.id, waitingSince: before.waitingSince ?? now });
  notifyRoom(tx, `session:${session.id}`, { type: 'changed' });
  return { state, participant, hostUserId: session.hostUserId };
}

/** Whether this is the newest connection of a participant. */
export async function isCurrentConnection(tx: Tx, member: ParticipantMember, connection: string): Promise<boolean> {
  return (await findParticipant(tx, member)).connection === connection;
}

/** Starts the session where this is its first participant, records the arrival, and updates the visits. */
export async function recordJoined(
  tx: Tx,
  session: VideoSession,
  { before, now }: { before: SessionParticipant; now: Date },
): Promise<void> {
  if (session.startedAt === null) {
    const where = { organizationId_id: { organizationId: session.organizationId, id: session.id } };
    await tx.prisma.videoSession.update({ where, data: { startedAt: now }, select: { id: true } });
    recordChange(tx, 'update', { name: 'video_session.started', id: session.id, changed: ['startedAt'] });
  }
  if (before.joinedAt === null || before.leftAt !== null)
    recordChange(tx, 'update', { name: 'session_participant.joined', id: before.id, changed: ['joinedAt'] }, toPatientIds(before));
  await pauseRecordingFor(tx, session, before, now);
  await updateVisits(tx, session, now);
}

/** A participant hangs up. Does nothing where a newer connection has replaced this one. */
export async function leaveRoom(tx: Tx, member: ParticipantMember, connection: string): Promise<void> {
  const { session, now } = await lockSession(tx, member.sessionId);
  const participant = await findParticipant(tx, member);
  if (participant.connection !== connection || participant.leftAt !== null) return;
  await recordLeft(tx, session, [{ participant, at: now }]);
}

/** When a page of a participant was closed, and how often the participant had connected by then. */
export interface ClosedPage {
  at: Date;
  entries: number;
}

/** Reads the state of a participant whose page says that it is being closed. @throws Failure conflict: session_ended */
export async function readClosedPage(tx: Tx, member: ParticipantMember): Promise<ClosedPage> {
  const { entries } = await findParticipant(tx, member);
  return { at: await databaseTime(tx.prisma), entries };
}

/** Records a participant as gone whose page was closed, unless another page of the same person has entered since. Its socket is closed. */
export async function leaveClosedPage(tx: Tx, member: ParticipantMember, { at, entries }: ClosedPage): Promise<void> {
  const { session } = await lockSession(tx, member.sessionId);
  const participant = await findParticipant(tx, member);
  if (participant.entries !== entries || participant.leftAt !== null) return;
  await recordLeft(tx, session, [{ participant, at }]);
  const { connection } = participant;
  if (connection !== null) notifyRoom(tx, `participant:${member.id}`, { type: 'left', connection });
}

/**
 * Records that a waiting guest has lost the connection: hosts do not see the guest until there is another one. The place in the
 * queue is kept.
 */
export async function loseWaitingConnection(tx: Tx, member: ParticipantMember, connection: string): Promise<void> {
  const { count } = await tx.prisma.sessionParticipant.updateMany({
    where: { ...tx.practice, id: member.id, connection, admittedAt: null, leftAt: null },
    data: { connection: null },
  });
  if (count > 0) notifyRoom(tx, `session:${member.sessionId}`, { type: 'changed' });
}

/** Stores the result of a guest's device check. */
export async function recordDevices(tx: Tx, member: ParticipantMember, { camera, microphone }: CheckedDevices): Promise<void> {
  await tx.prisma.sessionParticipant.updateMany({ where: { ...tx.practice, id: member.id }, data: { camera, microphone } });
  notifyRoom(tx, `session:${member.sessionId}`, { type: 'changed' });
}

/** Records participants of a locked session as gone, and ends the visits that they were part of. @param gone ordered by time */
export async function recordLeft(
  tx: Tx,
  session: VideoSession,
  gone: readonly { participant: SessionParticipant; at: Date }[],
): Promise<void> {
  for (const { participant, at } of gone) {
    const leftAt = noEarlierThanArrival(participant, at);
    await tx.prisma.sessionParticipant.update({ where: toKey(participant), data: { leftAt }, select: { id: true } });
    recordChange(tx, 'update', { name: 'session_participant.left', id: participant.id, changed: ['leftAt'] }, toPatientIds(participant));
    await updateVisits(tx, session, leftAt);
  }
  if (gone.some(({ participant }) => participant.role === 'host')) await endRecordingWithoutHost(tx, session);
  notifyRoom(tx, `session:${session.id}`, { type: 'changed' });
}

/** The time at which a participant left, which is never before they came, even where their last heartbeat was. */
export const noEarlierThanArrival = ({ waitingSince, admittedAt, joinedAt }: SessionParticipant, at: Date): Date =>
  new Date(Math.max(at.getTime(), ...[waitingSince, admittedAt, joinedAt].map((time) => time?.getTime() ?? 0)));

/** Takes a deactivated user out of the rooms that they are in as a host, on every process. */
export async function leaveRoomsOfUser(tx: Tx, userId: number): Promise<void> {
  const here = { ...tx.practice, userId, leftAt: null };
  const rooms = await tx.prisma.sessionParticipant.findMany({
    where: here,
    distinct: ['videoSessionId'],
    orderBy: { videoSessionId: 'asc' },
  });
  for (const { videoSessionId } of rooms) {
    const { session, now } = await lockSession(tx, videoSessionId);
    const people = await tx.prisma.sessionParticipant.findMany({ where: { ...here, videoSessionId }, orderBy: { id: 'asc' } });
    for (const { id } of people) notifyRoom(tx, `participant:${id}`, { type: 'removed' });
    await recordLeft(
      tx,
      session,
      people.map((participant) => ({ participant, at: now })),
    );
  }
}

/** Ends a session for everybody, for good. */
export async function endSession(tx: Tx, sessionId: number): Promise<void> {
  const { session, now } = await lockSession(tx, sessionId);
  if (session.endedAt !== null) return;
  await tx.prisma.$executeRaw`
    UPDATE session_participant SET left_at = greatest(${now}, joined_at, admitted_at, waiting_since)
     WHERE organization_id = ${tx.organizationId} AND video_session_id = ${sessionId} AND left_at IS NULL`;
  await updateVisits(tx, session, now);
  await closeSession(tx, session, now);
}

/** @throws Failure conflict removed for a user who was deactivated */
async function requireActive(db: Db, { organizationId, userId }: SessionParticipant): Promise<void> {
  if (userId === null) return;
  const user = await db.user.findUnique({ where: { organizationId_id: { organizationId, id: userId } }, select: { active: true } });
  if (!user?.active) throw standingFailure('removed');
}

async function findParticipant(tx: Tx, { id, sessionId }: ParticipantMember): Promise<SessionParticipant> {
  const participant = await tx.prisma.sessionParticipant.findFirst({
    where: { ...tx.practice, id, videoSessionId: sessionId },
  });
  if (!participant) throw conflict('session_ended', 'This visit has ended.');
  return participant;
}

export const toKey = ({ organizationId, id }: SessionParticipant) => ({ organizationId_id: { organizationId, id } });
