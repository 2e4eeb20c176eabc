import { randomUUID } from 'node:crypto';
import { databaseTime } from '../../../database/clock.ts';
import type { VideoSession } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, Failure, forbidden, notFound } from '../../errors.ts';
import { createSecretLink } from '../../identity/secret-links.ts';
import type { Tx } from '../../tx.ts';
import { notifyRoom } from './signals.ts';

export type { VideoSession };

/** Validity of the links of a session without an appointment. */
const MEETING_LINK_MS = 24 * 3_600_000;
/** Validity of the links of an appointment's session, after the end of the appointment. */
const OPEN_AFTER_APPOINTMENT_MS = 2 * 3_600_000;

/** Participants in a room at the same time. Each browser sends its video to each other one, which four can manage. */
const MESH_CAPACITY = 4;
/** LiveKit distributes the video of each browser. */
const LIVEKIT_CAPACITY = 50;

export const findCapacity = ({ provider }: Pick<VideoSession, 'provider'>): number =>
  provider === 'mesh' ? MESH_CAPACITY : LIVEKIT_CAPACITY;

export interface OpenedSession {
  session: VideoSession;
  /** Secret parts of the two links. They are not stored, so they are available only here. */
  hostToken: string;
  guestToken: string;
}

interface NewSession {
  kind: 'meet' | 'telehealth';
  hostUserId: number;
  appointmentId?: number | null;
  /** A day from now unless given. */
  expiresAt?: Date;
}

/** Opens a session with a link for its host and a link for guests. */
export async function openSession(tx: Tx, { expiresAt, ...input }: NewSession): Promise<OpenedSession> {
  const { organizationId } = tx;
  const guest = createSecretLink(organizationId);
  const session = await tx.prisma.videoSession.create({
    data: {
      ...input,
      organizationId,
      guid: randomUUID(),
      guestLinkHash: guest.hash,
      expiresAt: expiresAt ?? new Date(Date.now() + MEETING_LINK_MS),
    },
  });
  recordChange(tx, 'create', { name: 'video_session.opened', id: session.id });
  const hostToken = await createHostLink(tx, { sessionId: session.id, userId: session.hostUserId });
  return { session, hostToken, guestToken: guest.token };
}

/** Makes a link with which a user enters a session as a host. Earlier links of theirs and of others go on working. @returns its secret part */
export async function createHostLink(
  tx: Tx,
  { sessionId: videoSessionId, userId }: { sessionId: number; userId: number },
): Promise<string> {
  const { organizationId } = tx;
  const { token, hash } = createSecretLink(organizationId);
  await tx.prisma.sessionHostLink.create({ data: { organizationId, videoSessionId, userId, linkHash: hash }, select: { id: true } });
  return token;
}

/** Opens a session with the caller as its host. @throws Failure forbidden where the caller is no user */
export async function openMeeting(tx: Tx): Promise<OpenedSession> {
  if (tx.userId === null) throw forbidden('no_user', 'Only a user can lead a session.');
  return openSession(tx, { kind: 'meet', hostUserId: tx.userId });
}

/** The open session of an appointment. Locks the appointment, so that no other transaction opens a second session for it. */
async function findAppointmentSession(tx: Tx, id: number): Promise<VideoSession | null> {
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`SELECT id FROM appointment WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return tx.prisma.videoSession.findFirst({
    where: { organizationId, appointmentId: id, endedAt: null, expiresAt: { gt: new Date() } },
    orderBy: { id: 'desc' },
  });
}

export const hostPresent = (organizationId: number) =>
  ({ some: { organizationId, role: 'host', joinedAt: { not: null }, leftAt: null } }) as const;

/** The session that the host is in now; else the open one of the appointment, as findAppointmentSession; null where there is none. */
export async function findSessionOfHost(
  tx: Tx,
  { hostUserId, appointmentId }: { hostUserId: number; appointmentId: number | null },
): Promise<VideoSession | null> {
  const { organizationId } = tx;
  const current = await tx.prisma.videoSession.findFirst({
    where: { organizationId, hostUserId, endedAt: null, expiresAt: { gt: new Date() }, participants: hostPresent(organizationId) },
    orderBy: { id: 'desc' },
  });
  return current ?? (appointmentId === null ? null : findAppointmentSession(tx, appointmentId));
}

/** The open session of an appointment; else a new one, whose links are valid until two hours after the end of the appointment. */
export async function findOrOpenAppointmentSession(
  tx: Tx,
  { id, endsAt }: { id: number; endsAt: Date },
  hostUserId: number,
): Promise<VideoSession> {
  const open = await findAppointmentSession(tx, id);
  if (open) return open;
  const expiresAt = new Date(endsAt.getTime() + OPEN_AFTER_APPOINTMENT_MS);
  return (await openSession(tx, { kind: 'telehealth', hostUserId, appointmentId: id, expiresAt })).session;
}

/** @throws Failure not_found */
export async function findSession(tx: Tx, guid: string): Promise<VideoSession> {
  const session = await tx.prisma.videoSession.findUnique({ where: { organizationId_guid: { ...tx.practice, guid } } });
  if (!session) throw notFound('video session');
  return session;
}

/** Records the end of a session that everybody has left, and notifies its connections. */
export async function closeSession(tx: Tx, { organizationId, id }: VideoSession, endedAt: Date): Promise<void> {
  const where = { organizationId_id: { organizationId, id } };
  await tx.prisma.videoSession.update({ where, data: { endedAt, recordingSince: null, recordingAskedAt: null }, select: { id: true } });
  recordChange(tx, 'update', { name: 'video_session.ended', id, changed: ['endedAt'] });
  notifyRoom(tx, `session:${id}`, { type: 'ended' });
}

/** Locks a session until the transaction ends. @returns the session, and the time of the database after the lock. @throws Failure not_found */
export async function lockSession(tx: Tx, id: number): Promise<{ session: VideoSession; now: Date }> {
  await tx.prisma.$queryRaw`SELECT id FROM video_session WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const session = await tx.prisma.videoSession.findUnique({ where: tx.key(id) });
  if (!session) throw notFound('video session');
  return { session, now: await databaseTime(tx.prisma) };
}

/** @throws Failure conflict where the practice was closed */
export async function requireOpenPractice(tx: Tx): Promise<void> {
  const practice = await tx.prisma.organization.findUnique({ where: { id: tx.organizationId }, select: { active: true } });
  if (!practice?.active) throw conflict('session_ended', 'This visit has ended.');
}

/** @throws Failure conflict for a session that has ended or expired */
export function requireOpen({ endedAt, expiresAt }: VideoSession): void {
  if (endedAt === null && expiresAt > new Date()) return;
  throw new Failure('conflict', 'session_over', 'The session is over. Open a new one.');
}
