import type { Prisma } from '../../../generated/prisma/client.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { findLinkPractice, type LinkPractice } from '../../practices/link-practice.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import type { RoomMember } from './room-tokens.ts';
import type { VideoSession } from './sessions.ts';

/** The reason for which a link no longer works. */
export type ClosedReason = 'link_expired' | 'link_withdrawn' | 'appointment_cancelled' | 'session_ended';

/** A cancelled appointment closes its links. */
const WITH_APPOINTMENT = { appointment: { select: { status: true } } } as const satisfies Prisma.VideoSessionInclude;
type SessionOfAppointment = Prisma.VideoSessionGetPayload<{ include: typeof WITH_APPOINTMENT }>;

const WITH_TARGET = {
  session: { include: WITH_APPOINTMENT },
  appointment: { select: { status: true } },
  waitingRoom: { select: { id: true, name: true, userId: true, active: true } },
  patient: { select: { id: true, firstName: true, lastName: true, languageCode: true, restricted: true } },
} as const satisfies Prisma.SessionInviteInclude;

export type LinkedInvite = Prisma.SessionInviteGetPayload<{ include: typeof WITH_TARGET }>;

/** The session that a link leads to, and whom it lets in. */
export interface LinkedSession {
  session: VideoSession;
  role: 'host' | 'guest';
  /** The owner of a host link: the host of the session, or a delegate. Null for guests. */
  user: LinkedUser | null;
  /** Null for host links and the guest link of the session. */
  invite: LinkedInvite | null;
  practice: LinkPractice;
  closed: ClosedReason | null;
}

const LINKED_USER = { id: true, firstName: true, lastName: true, languageId: true, active: true } as const satisfies Prisma.UserSelect;
type LinkedUser = Prisma.UserGetPayload<{ select: typeof LINKED_USER }>;

/** The codes of the languages of who comes by a link, a user or a patient, and of the practice; null for a guest without a chart. */
export const languagesOfVisit = ({
  user,
  invite,
  practice,
}: Pick<LinkedSession, 'invite' | 'practice'> & Partial<Pick<LinkedSession, 'user'>>) => ({
  reader: user?.languageId ?? invite?.patient?.languageCode ?? null,
  practice: practice.language,
});

/** @returns null where the link leads to no session, or the practice was closed */
export async function findLinkedSession(tx: Tx, { hash }: SecretLinkKey): Promise<LinkedSession | null> {
  const found = (await findHostLink(tx, hash)) ?? (await findGuestLink(tx, hash));
  const practice = found ? await findLinkPractice(tx) : null;
  if (!found || !practice) return null;
  const { session, closed, ...person } = found;
  return { session, ...person, practice, closed: closed ?? sessionClosedReason(session) };
}

type FoundLink = Omit<LinkedSession, 'practice' | 'session'> & { session: SessionOfAppointment };

/** Links of people who do not work there any more are closed. */
async function findHostLink(tx: PracticeTx, linkHash: SecretLinkKey['hash']): Promise<FoundLink | null> {
  const link = await tx.prisma.sessionHostLink.findUnique({
    where: { organizationId_linkHash: { ...tx.practice, linkHash } },
    include: { session: { include: WITH_APPOINTMENT }, user: { select: LINKED_USER } },
  });
  if (!link) return null;
  const { session, user, withdrawnAt } = link;
  return { session, role: 'host', user, invite: null, closed: withdrawnAt === null && user.active ? null : 'link_withdrawn' };
}

async function findGuestLink(tx: PracticeTx, hash: SecretLinkKey['hash']): Promise<FoundLink | null> {
  const where = { organizationId_guestLinkHash: { ...tx.practice, guestLinkHash: hash } };
  const open = await tx.prisma.videoSession.findUnique({ where, include: WITH_APPOINTMENT });
  const invite = open ? null : await findInvite(tx, hash);
  const session = open ?? invite?.session;
  return session ? { session, role: 'guest', user: null, invite, closed: inviteClosedReason(invite) } : null;
}

/** The waiting room that a link leads to, and the invited patient. */
export interface LinkedWaitingRoom {
  invite: LinkedInvite;
  waitingRoom: NonNullable<LinkedInvite['waitingRoom']>;
  patient: NonNullable<LinkedInvite['patient']>;
  practice: LinkPractice;
  closed: ClosedReason | null;
}

/** @returns null where the link leads to no waiting room, or the practice was closed */
export async function findLinkedWaitingRoom(tx: Tx, { hash }: SecretLinkKey): Promise<LinkedWaitingRoom | null> {
  const invite = await findInvite(tx, hash);
  if (!invite?.waitingRoom || !invite.patient) return null;
  const practice = await findLinkPractice(tx);
  if (!practice) return null;
  const { waitingRoom, patient } = invite;
  const closed = inviteClosedReason(invite) ?? (await admissionClosedReason(tx, invite));
  return { invite, waitingRoom, patient, practice, closed };
}

/**
 * Whether somebody came by this link: a user who still works there by their own host link, a guest by the link of this invite or of
 * the session, a patient by one to the waiting room.
 * @returns null for an unknown link
 */
export async function cameByLink(tx: Tx, link: SecretLinkKey, member: RoomMember): Promise<boolean | null> {
  const { organizationId } = tx;
  const { id } = member;
  const door = await findLinkedSession(tx, link);
  const room = door ? null : await findLinkedWaitingRoom(tx, link);
  if (!door && !room) return null;
  if (member.organizationId !== organizationId || door?.user?.active === false) return false;
  if (member.kind === 'visit') {
    if (!room) return false;
    const where = { organizationId, id, waitingRoomId: room.waitingRoom.id, patientId: room.patient.id };
    return (await tx.prisma.waitingRoomVisit.count({ where })) > 0;
  }
  if (door && member.sessionId !== door.session.id) return false;
  const came = ofLink(door ?? { role: 'guest', user: null, invite: room?.invite ?? null });
  const where = { organizationId, id, videoSessionId: member.sessionId, ...came };
  return member.role === came.role && (await tx.prisma.sessionParticipant.count({ where })) > 0;
}

/** The fields of the participants who came by a link. */
export const ofLink = ({ role, user, invite }: Pick<LinkedSession, 'role' | 'user' | 'invite'>) => ({
  role,
  userId: user?.id ?? null,
  inviteId: invite?.id ?? null,
});

/** The link of a waiting room is used up with the session that its patient was admitted to. */
async function admissionClosedReason(tx: Tx, { id: inviteId }: LinkedInvite): Promise<ClosedReason | null> {
  const admitted = await tx.prisma.waitingRoomVisit.findFirst({
    where: { ...tx.practice, inviteId, videoSessionId: { not: null } },
    select: { session: { include: WITH_APPOINTMENT } },
    orderBy: { id: 'desc' },
  });
  return admitted?.session ? sessionClosedReason(admitted.session) : null;
}

function findInvite(tx: PracticeTx, hash: SecretLinkKey['hash']): Promise<LinkedInvite | null> {
  return tx.prisma.sessionInvite.findUnique({
    where: { organizationId_linkHash: { ...tx.practice, linkHash: hash } },
    include: WITH_TARGET,
  });
}

function inviteClosedReason(invite: LinkedInvite | null): ClosedReason | null {
  if (invite === null) return null;
  if (invite.withdrawnAt !== null) return 'link_withdrawn';
  return invite.expiresAt <= new Date() ? expiredReason(invite) : null;
}

function sessionClosedReason(session: VideoSession & OfAppointment): ClosedReason | null {
  if (session.endedAt !== null) return 'session_ended';
  return session.expiresAt <= new Date() ? expiredReason(session) : null;
}

interface OfAppointment {
  appointment?: { status: string } | null;
}

/** The links of an appointment expire when it is cancelled. */
const expiredReason = ({ appointment }: OfAppointment): ClosedReason =>
  appointment?.status === 'cancelled' ? 'appointment_cancelled' : 'link_expired';
