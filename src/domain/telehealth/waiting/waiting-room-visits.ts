import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import type { Prisma, SessionParticipant, VideoSession, WaitingRoomVisit } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { createOwnHostLink } from '../sessions/host-links.ts';
import { writeDisplayName } from '../sessions/join-session.ts';
import { PLACE_KEPT_MS, toStanding } from '../sessions/participant-standing.ts';
import type { Resumed } from '../sessions/room-tokens.ts';
import type { LinkedWaitingRoom } from '../sessions/session-links.ts';
import { findSessionOfHost, hostPresent, lockSession, openSession, requireOpen } from '../sessions/sessions.ts';
import { hostAddress, notifyRoom } from '../sessions/signals.ts';
import { openVisit, type VisitChoice } from './admissions.ts';
import { visitFor, type WaitingPatient, WITH_PATIENT } from './waiting-patients.ts';

export type { WaitingRoomVisit };

/** State behind the link of a waiting room: the patient waits, or is admitted to a session. */
export type WaitingState =
  | { state: 'waiting'; visit: WaitingRoomVisit }
  | { state: 'admitted'; session: VideoSession; participant: SessionParticipant };

/**
 * Starts a waiting room visit, or continues the one that the patient left less than PLACE_KEPT_MS ago. The browser that was
 * admitted to a session goes there while the admission holds; every other waits, even at the same link.
 * @param resumed the browser's own token of an earlier join
 */
export async function enterWaitingRoom(
  tx: Tx,
  { invite, waitingRoom, patient }: LinkedWaitingRoom,
  resumed: Resumed | null,
): Promise<WaitingState> {
  const { organizationId } = tx;
  await tx.prisma
    .$queryRaw`SELECT id FROM session_invite WHERE organization_id = ${organizationId} AND id = ${invite.id} FOR NO KEY UPDATE`;
  const now = await databaseTime(tx.prisma);
  const admitted = resumed && (await findAdmission(tx, invite.id, resumed));
  if (admitted && toStanding(admitted.session, admitted, now) === 'admitted') {
    const { session, ...participant } = admitted;
    return { state: 'admitted', session, participant };
  }
  const mine = { organizationId, waitingRoomId: waitingRoom.id, patientId: patient.id };
  const last = await tx.prisma.waitingRoomVisit.findFirst({ where: { ...mine, admittedAt: null }, orderBy: { id: 'desc' } });
  recordRead(tx, 'patient', [patient.id]);
  if (last && (last.leftAt === null || last.leftAt.getTime() > now.getTime() - PLACE_KEPT_MS)) {
    const visit = await tx.prisma.waitingRoomVisit.update({
      where: visitKey(last),
      data: { inviteId: invite.id, lastSeenAt: now, leftAt: null },
    });
    if (last.leftAt !== null) recordVisitChange(tx, visit, { name: 'resumed', hostUserId: waitingRoom.userId });
    return { state: 'waiting', visit };
  }
  const visit = await tx.prisma.waitingRoomVisit.create({
    data: { ...mine, appointmentId: invite.appointmentId, inviteId: invite.id, enteredAt: now, lastSeenAt: now },
  });
  recordVisitChange(tx, visit, { name: 'entered', hostUserId: waitingRoom.userId });
  return { state: 'waiting', visit };
}

/**
 * The participant as whom a browser was admitted from the waiting room, of a session that goes on. A browser whose place in the
 * waiting room another one took was not admitted.
 */
async function findAdmission(tx: Tx, inviteId: number, { member, entries }: Resumed) {
  const { organizationId } = tx;
  const whose =
    member.kind === 'participant'
      ? { id: member.id }
      : await ofVisit(tx.prisma, { organizationId, id: member.id, inviteId, entries: entries ?? -1 });
  if (member.organizationId !== organizationId || !whose) return null;
  const open = { endedAt: null, expiresAt: { gt: new Date() } };
  return tx.prisma.sessionParticipant.findFirst({
    where: { organizationId, inviteId, ...whose, session: open },
    include: { session: true },
  });
}

/** Finds the participant that a waiting room visit became. */
async function ofVisit(db: Db, visit: { organizationId: number; id: number; inviteId: number; entries: number }) {
  const admitted = await db.waitingRoomVisit.findFirst({ where: visit, select: { videoSessionId: true, admittedAt: true } });
  const { videoSessionId = null, admittedAt = null } = admitted ?? {};
  return videoSessionId === null || admittedAt === null ? null : { videoSessionId, admittedAt };
}

export async function endWaitingRoomVisit(tx: Tx, visit: LockedVisit, at: Date): Promise<void> {
  await tx.prisma.waitingRoomVisit.update({
    where: visitKey(visit),
    data: { leftAt: noEarlierThanStart(visit, at) },
    select: { id: true },
  });
  recordVisitChange(tx, visit, { name: 'left', hostUserId: visit.waitingRoom.userId });
}

export interface AdmittedVisit {
  visit: WaitingPatient;
  session: VideoSession;
  /** Secret part of the host link; null where a host is already in the session. */
  hostToken: string | null;
}

/**
 * The host of a waiting room admits a patient to the session that the host is in; else to the open session of the patient's
 * appointment; else to a new one.
 * @throws Failure not_found; forbidden for another user's waiting room; conflict: not_waiting where another host was first,
 * choose_visit as openVisit, room_full
 */
export async function admitFromWaitingRoom(
  tx: Tx,
  { waitingRoomId, visitId, choice }: { waitingRoomId: number; visitId: number; choice?: VisitChoice | undefined },
): Promise<AdmittedVisit> {
  const { userId } = tx;
  const locked = await lockVisit(tx, visitId);
  if (locked.waitingRoomId !== waitingRoomId) throw notFound('waiting room visit');
  if (userId === null || (locked.waitingRoom.userId ?? userId) !== userId)
    throw forbidden('not_host', 'Only the user of this waiting room can admit from it.');
  const { session, hostToken } = await findSessionToAdmitTo(tx, userId, locked);
  return { ...(await admit(tx, locked, { sessionId: session.id, choice })), hostToken };
}

async function findSessionToAdmitTo(
  tx: Tx,
  hostUserId: number,
  { appointmentId }: LockedVisit,
): Promise<{ session: VideoSession; hostToken: string | null }> {
  const open = await findSessionOfHost(tx, { hostUserId, appointmentId });
  if (!open) return openSession(tx, { kind: 'telehealth', hostUserId, appointmentId });
  const led = { ...tx.practice, id: open.id, participants: hostPresent(tx.organizationId) };
  const isLed = (await tx.prisma.videoSession.count({ where: led })) > 0;
  return isLed ? { session: open, hostToken: null } : createOwnHostLink(tx, open.id);
}

/**
 * The host of a session admits a patient from one of the host's waiting rooms, or from one without a host.
 * @throws Failure as admitFromWaitingRoom
 */
export async function admitVisit(tx: Tx, sessionId: number, visitId: number, choice?: VisitChoice): Promise<void> {
  const locked = await lockVisit(tx, visitId);
  const { session } = await lockSession(tx, sessionId);
  if ((locked.waitingRoom.userId ?? session.hostUserId) !== session.hostUserId)
    throw forbidden('not_host', 'Only the user of this waiting room can admit from it.');
  await admit(tx, locked, { sessionId, choice });
}

/** Tells a patient in a waiting room "not now": they go on waiting. @throws Failure forbidden for another user's waiting room; conflict not_waiting */
export async function tellNotNow(tx: Tx, sessionId: number, visitId: number): Promise<void> {
  const locked = await lockVisit(tx, visitId);
  const { session } = await lockSession(tx, sessionId);
  if ((locked.waitingRoom.userId ?? session.hostUserId) !== session.hostUserId)
    throw forbidden('not_host', 'Only the user of this waiting room can answer in it.');
  if (locked.leftAt !== null) throw conflict('not_waiting', 'This person is no longer waiting: somebody else was first, or they left.');
  notifyRoom(tx, `visit:${visitId}`, { type: 'not_now' });
}

async function admit(
  tx: Tx,
  locked: LockedVisit,
  { sessionId, choice }: { sessionId: number; choice: VisitChoice | undefined },
): Promise<{ visit: WaitingPatient; session: VideoSession }> {
  const { organizationId, patientId, inviteId } = locked;
  if (locked.leftAt !== null) throw conflict('not_waiting', 'This person is no longer waiting: somebody else was first, or they left.');
  const lockedSession = await lockSession(tx, sessionId);
  const { now } = lockedSession;
  requireOpen(lockedSession.session);
  const session = await openVisit(tx, lockedSession, locked, choice);
  const { id } = await tx.prisma.sessionParticipant.create({
    data: {
      organizationId,
      videoSessionId: sessionId,
      role: 'guest',
      patientId,
      inviteId,
      displayName: writeDisplayName(locked.patient),
      waitingSince: locked.enteredAt,
      admittedAt: now,
      visit: session.visit,
      lastSeenAt: now,
    },
    select: { id: true },
  });
  recordChange(tx, 'create', { name: 'session_participant.admitted', id }, [patientId]);
  const visit = await tx.prisma.waitingRoomVisit.update({
    where: visitKey(locked),
    data: { admittedAt: now, leftAt: noEarlierThanStart(locked, now), videoSessionId: sessionId },
    include: WITH_PATIENT,
  });
  const shown = visitFor(tx, visit);
  if (shown.patient) recordRead(tx, 'patient', [patientId]);
  recordVisitChange(tx, visit, { name: 'admitted', hostUserId: locked.waitingRoom.userId });
  notifyRoom(tx, `visit:${visit.id}`, { type: 'admitted' });
  notifyRoom(tx, `session:${sessionId}`, { type: 'changed' });
  return { visit: shown, session };
}

/** Records a change of a waiting room visit, and tells the hosts who see the waiting room. */
export function recordVisitChange(
  caller: Caller,
  { id, patientId }: WaitingRoomVisit,
  { name, hostUserId }: { name: 'entered' | 'resumed' | 'left' | 'admitted'; hostUserId: number | null },
): void {
  const action = name === 'entered' ? 'create' : 'update';
  recordChange(caller, action, { name: `waiting_room_visit.${name}`, id }, [patientId]);
  notifyRoom(caller, hostAddress(hostUserId), { type: 'changed' });
}

const WITH_ROOM = {
  ...WITH_PATIENT,
  waitingRoom: { select: { userId: true } },
} as const satisfies Prisma.WaitingRoomVisitInclude;
export type LockedVisit = Prisma.WaitingRoomVisitGetPayload<{ include: typeof WITH_ROOM }>;

/** Locks a waiting room visit until the transaction ends. @throws Failure not_found */
export async function lockVisit(tx: Tx, id: number): Promise<LockedVisit> {
  await tx.prisma
    .$queryRaw`SELECT id FROM waiting_room_visit WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const visit = await tx.prisma.waitingRoomVisit.findUnique({ where: tx.key(id), include: WITH_ROOM });
  if (!visit) throw notFound('waiting room visit');
  return visit;
}

/** An end that is never before the start, even if the clock was set back. */
const noEarlierThanStart = ({ enteredAt }: WaitingRoomVisit, at: Date): Date => (at < enteredAt ? enteredAt : at);

export const visitKey = ({ organizationId, id }: WaitingRoomVisit) => ({ organizationId_id: { organizationId, id } });
