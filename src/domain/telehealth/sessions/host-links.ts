import { recordChange } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { forbidden } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { SESSION_IS_RESTRICTED } from './session-lists.sql.ts';
import { createHostLink, findSession, lockSession, requireOpen, type VideoSession } from './sessions.ts';

/** A session with the secret part of a new link for one of its hosts, which is not stored. */
export interface HostLink {
  session: VideoSession;
  hostToken: string;
}

/**
 * Makes a link with which the caller enters a session as a host, under their own name: as its host, or for the host as a delegate.
 * Earlier links keep working. Where a patient's chart is restricted, only the host of the session gets one, since
 * somebody has to see the patient.
 * @throws Failure not_found; forbidden for a caller who is no person, and for a delegate where a patient's chart is restricted;
 *   conflict for a session that is over
 */
export async function openHostLink(tx: Tx, guid: string): Promise<HostLink> {
  const { id, hostUserId } = await findSession(tx, guid);
  if (hostUserId !== tx.userId) await requireNoRestricted(tx, id);
  return createOwnHostLink(tx, id);
}

/** As openHostLink, by id. */
export async function createOwnHostLink(tx: Tx, id: number): Promise<HostLink> {
  const userId = requireUserId(tx);
  const { session } = await lockSession(tx, id);
  requireOpen(session);
  const hostToken = await createHostLink(tx, { sessionId: id, userId });
  recordChange(tx, 'update', { name: 'video_session.host_link_made', id, changed: ['hostLinks'] });
  return { session, hostToken };
}

/** Withdraws the caller's own links to a session, as after one was lost. The caller stays in the room. @throws Failure not_found */
export async function withdrawHostLinks(tx: Tx, guid: string): Promise<void> {
  const { id: videoSessionId } = await findSession(tx, guid);
  const where = { ...tx.practice, videoSessionId, userId: requireUserId(tx), withdrawnAt: null };
  const { count } = await tx.prisma.sessionHostLink.updateMany({ where, data: { withdrawnAt: new Date() } });
  if (count === 0) return;
  recordChange(tx, 'update', { name: 'video_session.host_links_withdrawn', id: videoSessionId, changed: ['hostLinks'] });
}

function requireUserId({ userId }: Caller): number {
  if (userId === null) throw forbidden('no_user', 'Only a user can lead a session.');
  return userId;
}

/** @throws Failure forbidden for a session of a patient whom the caller may not see */
async function requireNoRestricted(tx: Tx, id: number): Promise<void> {
  if (maySeeRestricted(tx)) return;
  const [session] = await tx.rows(SESSION_IS_RESTRICTED, [id]);
  if (session?.restricted)
    throw forbidden('not_the_host', 'Only the host can get a link to this session, because the chart of its patient is restricted.');
}
