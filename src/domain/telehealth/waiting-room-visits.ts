import type { Db } from '../../database/database.ts';
import type { Prisma, SessionParticipant, VideoSession, WaitingRoomVisit } from '../../generated/prisma/client.ts';
import { recordChange, recordRead, recordReadWithPatients } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { nameOfPatient } from './join-session.ts';
import { SAME_VISIT_MS } from './presence.ts';
import { requirePlace } from './room-capacity.ts';
import type { VisitMember } from './room-tokens.ts';
import { type Closed, closedSession, type WaitingDoor } from './session-links.ts';
import { clockOf, findSessionOfAppointment, giveHostLink, holdSession, openSession, requireOpen } from './sessions.ts';
import { lobbyOf, tell } from './signals.ts';
import { findWaitingRoom } from './waiting-rooms.ts';

/** What somebody with the link of a waiting room finds: they wait; or are admitted, and in the session from then on; or it is over. */
export type WaitingState =
  | { state: 'waiting'; visit: WaitingRoomVisit }
  | { state: 'admitted'; session: VideoSession; participant: SessionParticipant }
  | { state: Closed };

/** A patient comes to wait, or comes back to where they were. */
export async function enterWaitingRoom(db: Db, caller: Caller, { invite, waitingRoom, patient }: WaitingDoor): Promise<WaitingState> {
  const { organizationId } = caller;
  await db.$queryRaw`SELECT id FROM session_invite WHERE organization_id = ${organizationId} AND id = ${invite.id} FOR NO KEY UPDATE`;
  const admitted = await db.waitingRoomVisit.findFirst({
    where: { organizationId, inviteId: invite.id, videoSessionId: { not: null } },
    include: { session: true },
    orderBy: { id: 'desc' },
  });
  if (admitted?.session) return goOn(db, admitted.session, invite.id);
  const now = await clockOf(db);
  const mine = { organizationId, waitingRoomId: waitingRoom.id, patientId: patient.id };
  const last = await db.waitingRoomVisit.findFirst({ where: { ...mine, admittedAt: null }, orderBy: { id: 'desc' } });
  recordRead(caller, 'patient', [patient.id]);
  if (last && (last.leftAt === null || last.leftAt.getTime() > now.getTime() - SAME_VISIT_MS)) {
    const visit = await db.waitingRoomVisit.update({ where: keyOf(last), data: { inviteId: invite.id, lastSeenAt: now, leftAt: null } });
    if (last.leftAt !== null) await noteVisit(db, caller, visit, { name: 'resumed', lobby: waitingRoom.userId });
    return { state: 'waiting', visit };
  }
  const visit = await db.waitingRoomVisit.create({
    data: { ...mine, appointmentId: invite.appointmentId, inviteId: invite.id, enteredAt: now, lastSeenAt: now },
  });
  await noteVisit(db, caller, visit, { name: 'entered', lobby: waitingRoom.userId });
  return { state: 'waiting', visit };
}

/** Who was admitted goes on into the session, as long as that is open. */
async function goOn(db: Db, session: VideoSession, inviteId: number): Promise<WaitingState> {
  const { organizationId, id: videoSessionId } = session;
  const closed = closedSession(session);
  if (closed) return { state: closed };
  const participant = await db.sessionParticipant.findFirst({
    where: { organizationId, videoSessionId, inviteId },
    orderBy: { id: 'desc' },
  });
  return participant ? { state: 'admitted', session, participant } : { state: 'session_ended' };
}

/** A patient is connected and waits. An older connection is told to close. @throws Failure conflict for who waits no more */
export async function stayInWaitingRoom(db: Db, caller: Caller, member: VisitMember, connection: string): Promise<WaitingRoomVisit> {
  const standing = await holdVisit(db, caller, member.id);
  if (standing.admittedAt !== null) throw conflict('not_waiting', 'You are admitted already.');
  const now = await clockOf(db);
  if (standing.leftAt !== null && standing.leftAt.getTime() <= now.getTime() - SAME_VISIT_MS)
    throw conflict('not_waiting', 'You left the waiting room. Open the link again.');
  const visit = await db.waitingRoomVisit.update({ where: keyOf(standing), data: { connection, lastSeenAt: now, leftAt: null } });
  await tell(db, caller, `visit:${member.id}`, { type: 'replaced', by: connection });
  if (standing.leftAt !== null) await noteVisit(db, caller, visit, { name: 'resumed', lobby: standing.waitingRoom.userId });
  return visit;
}

/** What became of a patient who waits on this connection. */
export async function isWaiting(
  db: Db,
  { organizationId }: Caller,
  { id }: VisitMember,
  connection: string,
): Promise<'waiting' | 'admitted' | 'replaced'> {
  const visit = await db.waitingRoomVisit.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (visit?.connection !== connection) return 'replaced';
  return visit.admittedAt === null ? 'waiting' : 'admitted';
}

/** A patient leaves, on this connection. */
export async function leaveWaitingRoom(db: Db, caller: Caller, member: VisitMember, connection: string): Promise<void> {
  const standing = await holdVisit(db, caller, member.id);
  if (standing.connection === connection && standing.leftAt === null) await noteVisitLeft(db, caller, standing, await clockOf(db));
}

/** Notes since when somebody waits no more. */
export async function noteVisitLeft(db: Db, caller: Caller, visit: HeldVisit, at: Date): Promise<void> {
  await db.waitingRoomVisit.update({
    where: keyOf(visit),
    data: { leftAt: endOf(visit, at) },
    select: { id: true },
  });
  await noteVisit(db, caller, visit, { name: 'left', lobby: visit.waitingRoom.userId });
}

const WITH_PATIENT = {
  patient: { select: { id: true, firstName: true, lastName: true } },
} as const satisfies Prisma.WaitingRoomVisitInclude;
export type WaitingPatient = Prisma.WaitingRoomVisitGetPayload<{ include: typeof WITH_PATIENT }>;

/** Who waits in a room now, the longest first. @throws Failure not_found */
export async function listWaiting(db: Db, caller: Caller, waitingRoomId: number, page: PageRequest): Promise<Page<WaitingPatient>> {
  const { organizationId } = caller;
  await findWaitingRoom(db, caller, waitingRoomId);
  const where = { organizationId, waitingRoomId, leftAt: null };
  const [items, total] = await Promise.all([
    db.waitingRoomVisit.findMany({ where, include: WITH_PATIENT, orderBy: [{ enteredAt: 'asc' }, { id: 'asc' }], ...window(page) }),
    db.waitingRoomVisit.count({ where }),
  ]);
  const shown = { ids: items.map((visit) => visit.id), patientIds: items.map(({ patientId }) => patientId) };
  recordReadWithPatients(caller, 'waiting_room_visit', shown, 'search');
  return { ...page, items, total };
}

export interface AdmittedVisit {
  visit: WaitingRoomVisit;
  session: VideoSession;
  /** Of a session in which no host is yet; null where one is. */
  hostToken: string | null;
}

/**
 * The host of a waiting room lets a patient into the session that the host is in; else into the open one of the appointment
 * that the patient waits for, or a new one.
 * @throws Failure not_found; forbidden where the room is another user's; conflict: not_waiting where somebody was first, room_full
 */
export async function admitFromRoom(db: Db, caller: Caller, waitingRoomId: number, visitId: number): Promise<AdmittedVisit> {
  const { userId } = caller;
  const standing = await holdVisit(db, caller, visitId);
  if (standing.waitingRoomId !== waitingRoomId) throw notFound('waiting room visit');
  if (userId === null || (standing.waitingRoom.userId ?? userId) !== userId)
    throw forbidden('not_host', 'Only the user whose waiting room this is admits from it.');
  const { session, hostToken } = await sessionToAdmitTo(db, caller, userId, standing);
  return { ...(await admit(db, caller, standing, session.id)), hostToken };
}

const WITH_A_HOST = { some: { role: 'host', joinedAt: { not: null }, leftAt: null } } as const;

async function sessionToAdmitTo(
  db: Db,
  caller: Caller,
  hostUserId: number,
  { appointmentId }: HeldVisit,
): Promise<{ session: VideoSession; hostToken: string | null }> {
  const { organizationId } = caller;
  const current = await db.videoSession.findFirst({
    where: { organizationId, hostUserId, endedAt: null, expiresAt: { gt: new Date() }, participants: WITH_A_HOST },
    orderBy: { id: 'desc' },
  });
  if (current) return { session: current, hostToken: null };
  const open = appointmentId === null ? null : await findSessionOfAppointment(db, caller, appointmentId);
  if (!open) return openSession(db, caller, { kind: 'telehealth', hostUserId, appointmentId });
  // Whoever leads it now came by the link that stands.
  const isLed = (await db.videoSession.count({ where: { organizationId, id: open.id, participants: WITH_A_HOST } })) > 0;
  return isLed ? { session: open, hostToken: null } : giveHostLink(db, caller, open.id);
}

/**
 * The host of a session lets a patient in who waits in one of the host's waiting rooms, or in one that is nobody's.
 * @throws Failure as admitFromRoom
 */
export async function admitVisit(db: Db, caller: Caller, sessionId: number, visitId: number): Promise<void> {
  const standing = await holdVisit(db, caller, visitId);
  const { session } = await holdSession(db, caller, sessionId);
  if ((standing.waitingRoom.userId ?? session.hostUserId) !== session.hostUserId)
    throw forbidden('not_host', 'Only the user whose waiting room this is admits from it.');
  await admit(db, caller, standing, sessionId);
}

async function admit(
  db: Db,
  caller: Caller,
  standing: HeldVisit,
  sessionId: number,
): Promise<{ visit: WaitingRoomVisit; session: VideoSession }> {
  const { organizationId, patientId, inviteId } = standing;
  if (standing.leftAt !== null) throw conflict('not_waiting', 'This person waits no more: somebody else was first, or they left.');
  const { session, now } = await holdSession(db, caller, sessionId);
  requireOpen(session);
  await requirePlace(db, caller, session);
  const { id } = await db.sessionParticipant.create({
    data: {
      ...{ organizationId, videoSessionId: sessionId, role: 'guest', patientId, inviteId, displayName: nameOfPatient(standing.patient) },
      ...{ waitingSince: standing.enteredAt, admittedAt: now, lastSeenAt: now },
    },
    select: { id: true },
  });
  recordChange(caller, 'create', { name: 'session_participant.admitted', subject: 'session_participant', id });
  const visit = await db.waitingRoomVisit.update({
    where: keyOf(standing),
    data: { admittedAt: now, leftAt: endOf(standing, now), videoSessionId: sessionId },
  });
  recordRead(caller, 'patient', [patientId]);
  await noteVisit(db, caller, visit, { name: 'admitted', lobby: standing.waitingRoom.userId });
  await tell(db, caller, `visit:${visit.id}`, { type: 'admitted' });
  await tell(db, caller, `session:${sessionId}`, { type: 'changed' });
  return { visit, session };
}

async function noteVisit(
  db: Db,
  caller: Caller,
  { id }: WaitingRoomVisit,
  { name, lobby }: { name: 'entered' | 'resumed' | 'left' | 'admitted'; lobby: number | null },
): Promise<void> {
  const action = name === 'entered' ? 'create' : 'update';
  recordChange(caller, action, { name: `waiting_room_visit.${name}`, subject: 'waiting_room_visit', id });
  await tell(db, caller, lobbyOf(lobby), { type: 'changed' });
}

const WITH_ROOM = {
  ...WITH_PATIENT,
  waitingRoom: { select: { userId: true } },
} as const satisfies Prisma.WaitingRoomVisitInclude;
export type HeldVisit = Prisma.WaitingRoomVisitGetPayload<{ include: typeof WITH_ROOM }>;

/** The visit, which nobody else changes until the transaction ends. @throws Failure not_found */
export async function holdVisit(db: Db, { organizationId }: Caller, id: number): Promise<HeldVisit> {
  await db.$queryRaw`SELECT id FROM waiting_room_visit WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const visit = await db.waitingRoomVisit.findUnique({ where: { organizationId_id: { organizationId, id } }, include: WITH_ROOM });
  if (!visit) throw notFound('waiting room visit');
  return visit;
}

/** Never before the beginning, also where the clock was set back. */
const endOf = ({ enteredAt }: WaitingRoomVisit, at: Date): Date => (at < enteredAt ? enteredAt : at);

const keyOf = ({ organizationId, id }: WaitingRoomVisit) => ({ organizationId_id: { organizationId, id } });
