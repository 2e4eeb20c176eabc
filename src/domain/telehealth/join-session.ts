import type { Db } from '../../database/database.ts';
import type { SessionParticipant, VideoSession } from '../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict, Failure, invalid } from '../errors.ts';
import { requireCapacity } from './room-capacity.ts';
import type { ParticipantMember } from './room-tokens.ts';
import type { LinkedSession } from './session-links.ts';
import { lockSession } from './sessions.ts';
import { notifyRoom } from './signals.ts';

/** Who waits in front of one session; more would only be in each other's way. */
const MAX_WAITING = 20;

export interface JoinInput {
  /** Where no invite names the person. */
  name?: string | undefined;
  /** How the configuration says that pictures and sound go. */
  provider: 'mesh' | 'livekit';
  /** Who the browser says it was before; true, since it was signed. */
  resumed?: ParticipantMember | null;
}

export interface JoinedSession {
  session: VideoSession;
  participant: SessionParticipant;
}

/**
 * Somebody comes through an open link: a host is in, a guest waits until a host admits. Who was here before is the same
 * person again.
 * @throws Failure invalid without a name; conflict: session_ended, refused, room_full; too_many_requests where too many wait
 */
export async function joinSession(
  db: Db,
  caller: Caller,
  door: LinkedSession,
  { name, provider, resumed }: JoinInput,
): Promise<JoinedSession> {
  const { session: held, now } = await lockSession(db, caller, door.session.id);
  const session = await chooseProvider(db, held, provider);
  if (session.endedAt !== null) throw conflict('session_ended', 'This visit has ended.');
  const standing = resumed ? await findResumedParticipant(db, door, resumed) : null;
  if (standing) return { session, participant: standing };
  const person = await identifyParticipant(db, caller, door, name);
  if (door.role === 'host') await requireCapacity(db, caller, session);
  else await requireWaitingCapacity(db, session);
  const { organizationId, id: videoSessionId } = session;
  const participant = await db.sessionParticipant.create({
    data: {
      ...{ organizationId, videoSessionId, role: door.role, inviteId: door.invite?.id ?? null, lastSeenAt: now },
      ...person,
      ...(door.role === 'host' ? { admittedAt: now } : { waitingSince: now }),
    },
  });
  recordChange(caller, 'create', { name: 'session_participant.arrived', subject: 'session_participant', id: participant.id });
  if (door.role === 'guest') await notifyRoom(db, caller, `session:${videoSessionId}`, { type: 'changed' });
  return { session, participant };
}

/** The way of a session may change as long as nobody is in it. */
async function chooseProvider(db: Db, session: VideoSession, way: JoinInput['provider']): Promise<VideoSession> {
  const { organizationId, id, provider, endedAt } = session;
  if (provider === way || endedAt !== null) return session;
  const present = await db.sessionParticipant.count({
    where: { organizationId, videoSessionId: id, joinedAt: { not: null }, leftAt: null },
  });
  if (present > 0) return session;
  return db.videoSession.update({ where: { organizationId_id: { organizationId, id } }, data: { provider: way } });
}

/** The same person, where the browser brings what it was given through this same link. @throws Failure conflict for who was refused */
async function findResumedParticipant(
  db: Db,
  { session, role, invite }: LinkedSession,
  resumed: ParticipantMember,
): Promise<SessionParticipant | null> {
  if (resumed.organizationId !== session.organizationId || resumed.sessionId !== session.id || resumed.role !== role) return null;
  const participant = await db.sessionParticipant.findFirst({
    where: {
      ...{ organizationId: session.organizationId, id: resumed.id, videoSessionId: session.id },
      ...{ role, inviteId: invite?.id ?? null },
    },
  });
  if (participant && participant.refusedAt !== null) throw conflict('refused', 'You cannot join this visit now.');
  return participant;
}

/** What the others in the room are shown of somebody. */
async function identifyParticipant(
  db: Db,
  caller: Caller,
  { role, session, invite }: LinkedSession,
  name: string | undefined,
): Promise<{ userId: number | null; patientId: number | null; displayName: string }> {
  if (role === 'host') {
    const { organizationId, hostUserId: id } = session;
    const host = await db.user.findUniqueOrThrow({
      where: { organizationId_id: { organizationId, id } },
      select: { firstName: true, lastName: true },
    });
    return { userId: id, patientId: null, displayName: name ?? `${host.firstName} ${host.lastName}` };
  }
  const patient = invite?.patient ?? null;
  if (patient) recordRead(caller, 'patient', [patient.id]);
  const displayName = name ?? (patient ? displayNameOf(patient) : undefined);
  if (displayName === undefined) throw invalid('name', 'is required', 'missing');
  return { userId: null, patientId: patient?.id ?? null, displayName };
}

/** The first name, as whoever meets them would say it. */
export const displayNameOf = ({ firstName, lastName }: { firstName: string | null; lastName: string | null }): string =>
  firstName?.trim() || lastName?.trim() || 'Patient';

async function requireWaitingCapacity(db: Db, { organizationId, id }: VideoSession): Promise<void> {
  const waiting = await db.sessionParticipant.count({
    where: { organizationId, videoSessionId: id, admittedAt: null, leftAt: null },
  });
  if (waiting >= MAX_WAITING)
    throw new Failure('too_many_requests', 'too_many_waiting', 'Too many people wait for this visit. Try again in a minute.', {
      retryAfter: 30,
    });
}
