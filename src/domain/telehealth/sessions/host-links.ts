import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { forbidden } from '../../errors.ts';
import { preparedForIn } from '../../patients/restrictions/opened-charts.sql.ts';
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
export async function openHostLink(db: Db, caller: Caller, guid: string): Promise<HostLink> {
  const { id, hostUserId } = await findSession(db, caller, guid);
  if (hostUserId !== caller.userId) await requireNoRestricted(db, caller, id);
  return createOwnHostLink(db, caller, id);
}

/** As openHostLink, by id. */
export async function createOwnHostLink(db: Db, caller: Caller, id: number): Promise<HostLink> {
  const userId = requireUserId(caller);
  const { session } = await lockSession(db, caller, id);
  requireOpen(session);
  const hostToken = await createHostLink(db, caller, { sessionId: id, userId });
  recordChange(caller, 'update', { name: 'video_session.host_link_made', id, changed: ['hostLinks'] });
  return { session, hostToken };
}

/** Withdraws the caller's own links to a session, as after one was lost. The caller stays in the room. @throws Failure not_found */
export async function withdrawHostLinks(db: Db, caller: Caller, guid: string): Promise<void> {
  const { organizationId } = caller;
  const { id: videoSessionId } = await findSession(db, caller, guid);
  const where = { organizationId, videoSessionId, userId: requireUserId(caller), withdrawnAt: null };
  const { count } = await db.sessionHostLink.updateMany({ where, data: { withdrawnAt: new Date() } });
  if (count === 0) return;
  recordChange(caller, 'update', { name: 'video_session.host_links_withdrawn', id: videoSessionId, changed: ['hostLinks'] });
}

function requireUserId({ userId }: Caller): number {
  if (userId === null) throw forbidden('no_user', 'Only a user can lead a session.');
  return userId;
}

/** @throws Failure forbidden for a session of a patient whom the caller may not see */
async function requireNoRestricted(db: Db, caller: Caller, id: number): Promise<void> {
  if (maySeeRestricted(caller)) return;
  const [session] = await preparedForIn(db, caller).rows(SESSION_IS_RESTRICTED, [caller.organizationId, id]);
  if (session?.restricted)
    throw forbidden('not_the_host', 'Only the host can get a link to this session, because the chart of its patient is restricted.');
}
