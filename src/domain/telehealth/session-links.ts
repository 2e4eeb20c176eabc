import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Caller } from '../caller.ts';
import { findLinkPractice } from '../practices/link-practice.ts';
import type { SecretLinkKey } from '../security/secret-links.ts';
import type { VideoSession } from './sessions.ts';

/** Why a link that opened something once opens it no more. */
export type Closed = 'link_expired' | 'link_withdrawn' | 'session_ended';

const WITH_PLACES = {
  session: true,
  waitingRoom: { select: { id: true, name: true, userId: true, active: true } },
  patient: { select: { id: true, firstName: true, lastName: true } },
} as const satisfies Prisma.SessionInviteInclude;

export type OpenedInvite = Prisma.SessionInviteGetPayload<{ include: typeof WITH_PLACES }>;

/** What a link of a session opens: for whom, and whether it still does. */
export interface SessionDoor {
  session: VideoSession;
  role: 'host' | 'guest';
  /** The link is one person's own. */
  invite: OpenedInvite | null;
  practice: string;
  closed: Closed | null;
}

/** Null where the link opens no session, or the practice was closed. */
export async function findSessionDoor(db: Db, caller: Caller, { hash }: SecretLinkKey): Promise<SessionDoor | null> {
  const { organizationId } = caller;
  const named = await db.videoSession.findFirst({
    where: { organizationId, OR: [{ hostLinkHash: hash }, { guestLinkHash: hash }] },
  });
  const invite = named ? null : await findInvite(db, organizationId, hash);
  const session = named ?? invite?.session;
  const practice = session ? await findLinkPractice(db, caller) : null;
  if (!session || !practice) return null;
  const role = named && Buffer.from(named.hostLinkHash).equals(hash) ? 'host' : 'guest';
  return { session, role, invite, practice: practice.name, closed: closedInvite(invite) ?? closedSession(session) };
}

/** What a link of a waiting room opens. */
export interface WaitingDoor {
  invite: OpenedInvite;
  waitingRoom: NonNullable<OpenedInvite['waitingRoom']>;
  patient: NonNullable<OpenedInvite['patient']>;
  practice: string;
  closed: Closed | null;
}

/** Null where the link opens no waiting room, or the practice was closed. */
export async function findWaitingDoor(db: Db, caller: Caller, { hash }: SecretLinkKey): Promise<WaitingDoor | null> {
  const invite = await findInvite(db, caller.organizationId, hash);
  if (!invite?.waitingRoom || !invite.patient) return null;
  const practice = await findLinkPractice(db, caller);
  if (!practice) return null;
  const { waitingRoom, patient } = invite;
  return { invite, waitingRoom, patient, practice: practice.name, closed: closedInvite(invite) };
}

function findInvite(db: Db, organizationId: number, hash: SecretLinkKey['hash']): Promise<OpenedInvite | null> {
  return db.sessionInvite.findUnique({
    where: { organizationId_linkHash: { organizationId, linkHash: hash } },
    include: WITH_PLACES,
  });
}

function closedInvite(invite: OpenedInvite | null): Closed | null {
  if (invite === null) return null;
  if (invite.withdrawnAt !== null) return 'link_withdrawn';
  return invite.expiresAt <= new Date() ? 'link_expired' : null;
}

export function closedSession({ endedAt, expiresAt }: VideoSession): Closed | null {
  if (endedAt !== null) return 'session_ended';
  return expiresAt <= new Date() ? 'link_expired' : null;
}
