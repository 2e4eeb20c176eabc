import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Caller } from '../caller.ts';
import { findLinkPractice } from '../practices/link-practice.ts';
import type { SecretLinkKey } from '../security/secret-links.ts';
import type { VideoSession } from './sessions.ts';

/** Why a link no longer works. */
export type ClosedReason = 'link_expired' | 'link_withdrawn' | 'session_ended';

const WITH_TARGET = {
  session: true,
  waitingRoom: { select: { id: true, name: true, userId: true, active: true } },
  patient: { select: { id: true, firstName: true, lastName: true, restricted: true } },
} as const satisfies Prisma.SessionInviteInclude;

export type LinkedInvite = Prisma.SessionInviteGetPayload<{ include: typeof WITH_TARGET }>;

/** The session that a link leads to, and the role that it gives. */
export interface LinkedSession {
  session: VideoSession;
  role: 'host' | 'guest';
  /** Null for the host link and the guest link of the session. */
  invite: LinkedInvite | null;
  practice: string;
  closed: ClosedReason | null;
}

/** @returns null where the link leads to no session, or the practice was closed */
export async function findLinkedSession(db: Db, caller: Caller, { hash }: SecretLinkKey): Promise<LinkedSession | null> {
  const { organizationId } = caller;
  const named = await db.videoSession.findFirst({
    where: { organizationId, OR: [{ hostLinkHash: hash }, { guestLinkHash: hash }] },
  });
  const invite = named ? null : await findInvite(db, organizationId, hash);
  const session = named ?? invite?.session;
  const practice = session ? await findLinkPractice(db, caller) : null;
  if (!session || !practice) return null;
  const role = named && Buffer.from(named.hostLinkHash).equals(hash) ? 'host' : 'guest';
  return { session, role, invite, practice: practice.name, closed: inviteClosedReason(invite) ?? sessionClosedReason(session) };
}

/** The waiting room that a link leads to, and the invited patient. */
export interface LinkedWaitingRoom {
  invite: LinkedInvite;
  waitingRoom: NonNullable<LinkedInvite['waitingRoom']>;
  patient: NonNullable<LinkedInvite['patient']>;
  practice: string;
  closed: ClosedReason | null;
}

/** @returns null where the link leads to no waiting room, or the practice was closed */
export async function findLinkedWaitingRoom(db: Db, caller: Caller, { hash }: SecretLinkKey): Promise<LinkedWaitingRoom | null> {
  const invite = await findInvite(db, caller.organizationId, hash);
  if (!invite?.waitingRoom || !invite.patient) return null;
  const practice = await findLinkPractice(db, caller);
  if (!practice) return null;
  const { waitingRoom, patient } = invite;
  return { invite, waitingRoom, patient, practice: practice.name, closed: inviteClosedReason(invite) };
}

function findInvite(db: Db, organizationId: number, hash: SecretLinkKey['hash']): Promise<LinkedInvite | null> {
  return db.sessionInvite.findUnique({
    where: { organizationId_linkHash: { organizationId, linkHash: hash } },
    include: WITH_TARGET,
  });
}

function inviteClosedReason(invite: LinkedInvite | null): ClosedReason | null {
  if (invite === null) return null;
  if (invite.withdrawnAt !== null) return 'link_withdrawn';
  return invite.expiresAt <= new Date() ? 'link_expired' : null;
}

export function sessionClosedReason({ endedAt, expiresAt }: VideoSession): ClosedReason | null {
  if (endedAt !== null) return 'session_ended';
  return expiresAt <= new Date() ? 'link_expired' : null;
}
