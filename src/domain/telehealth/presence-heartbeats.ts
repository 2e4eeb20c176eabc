import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { recordLeft, recordVisitEnded } from './presence.ts';
import { closeSession, lockSession } from './sessions.ts';
import { endWaitingRoomVisit, lockVisit } from './waiting-room-visits.ts';

/** Who is not heard of for so long is gone, since they were last heard of. */
const LOST_AFTER_SECONDS = 30;

/** Somebody was heard of. */
export interface PresenceHeartbeat {
  kind: 'participant' | 'visit';
  organizationId: number;
  id: number;
  connection: string;
  /** Seconds since then. */
  age: number;
}

/**
 * Notes who was heard of, in one statement.
 * @returns the connections that no longer count: another took their place, or the person was taken for gone
 */
export async function recordHeartbeats(db: Db, beats: readonly PresenceHeartbeat[]): Promise<Set<string>> {
  const rows = await db.$queryRaw<{ connection: string }[]>`
    WITH heard AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(beats)}::jsonb) AS b (kind text, "organizationId" int, id int, connection uuid, age float8)
    ), people AS (
      UPDATE session_participant p SET last_seen_at = greatest(p.last_seen_at, now() - make_interval(secs => h.age))
        FROM heard h WHERE h.kind = 'participant' AND p.organization_id = h."organizationId" AND p.id = h.id
         AND p.connection = h.connection AND p.left_at IS NULL RETURNING p.connection
    ), visits AS (
      UPDATE waiting_room_visit v SET last_seen_at = greatest(v.last_seen_at, now() - make_interval(secs => h.age))
        FROM heard h WHERE h.kind = 'visit' AND v.organization_id = h."organizationId" AND v.id = h.id
         AND v.connection = h.connection AND v.left_at IS NULL RETURNING v.connection
    )
    SELECT connection::text AS connection FROM heard
    EXCEPT SELECT connection::text FROM people
    EXCEPT SELECT connection::text FROM visits`;
  return new Set(rows.map(({ connection }) => connection));
}

export interface RowKey {
  organizationId: number;
  /** Of the session or of the visit. */
  id: number;
}

/** Sessions with somebody in them who is gone, or with a visit that runs though nobody meets any more. */
export function findSessionsToReconcile(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT organization_id AS "organizationId", video_session_id AS id FROM session_participant
     WHERE left_at IS NULL AND last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})
    UNION
    SELECT v.organization_id, v.video_session_id FROM telehealth_visit v
     WHERE v.ended_at IS NULL AND NOT EXISTS (
       SELECT FROM session_participant p WHERE p.organization_id = v.organization_id AND p.video_session_id = v.video_session_id
          AND p.joined_at IS NOT NULL AND p.left_at IS NULL)
     LIMIT ${most}`;
}

/** Lets those go who were not heard of, each at the moment when they last were; the visits end with them. */
export async function reconcileSession(db: Db, caller: Caller, sessionId: number): Promise<void> {
  const { organizationId } = caller;
  const { session } = await lockSession(db, caller, sessionId);
  const gone = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM session_participant
     WHERE organization_id = ${organizationId} AND video_session_id = ${sessionId} AND left_at IS NULL
       AND last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})
     ORDER BY last_seen_at, id FOR NO KEY UPDATE`;
  const participants = await db.sessionParticipant.findMany({
    where: { organizationId, id: { in: gone.map(({ id }) => id) } },
    orderBy: [{ lastSeenAt: 'asc' }, { id: 'asc' }],
  });
  await recordLeft(
    db,
    caller,
    session,
    participants.map((participant) => ({ participant, at: participant.lastSeenAt })),
  );
  await endOrphanedVisits(db, caller, sessionId);
}

/** A visit without anybody in the room ended when the last one of the room was heard of. */
async function endOrphanedVisits(db: Db, caller: Caller, sessionId: number): Promise<void> {
  const { organizationId } = caller;
  const ended = await db.$queryRaw<{ id: number }[]>`
    UPDATE telehealth_visit v SET ended_at = greatest(v.started_at, (
             SELECT max(p.last_seen_at) FROM session_participant p WHERE p.organization_id = v.organization_id AND p.video_session_id = v.video_session_id))
     WHERE v.organization_id = ${organizationId} AND v.video_session_id = ${sessionId} AND v.ended_at IS NULL
       AND NOT EXISTS (SELECT FROM session_participant p WHERE p.organization_id = v.organization_id
                          AND p.video_session_id = v.video_session_id AND p.joined_at IS NOT NULL AND p.left_at IS NULL)
    RETURNING v.id`;
  for (const { id } of ended) recordVisitEnded(caller, id);
}

/** Visits of waiting rooms whose patient was not heard of. */
export function findLostWaitingRoomVisits(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT organization_id AS "organizationId", id FROM waiting_room_visit
     WHERE left_at IS NULL AND last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})
     LIMIT ${most}`;
}

/** Ends a visit whose patient is still not heard of, at the moment when they last were. */
export async function endLostWaitingRoomVisit(db: Db, caller: Caller, visitId: number): Promise<void> {
  const visit = await lockVisit(db, caller, visitId);
  const [clock] = await db.$queryRaw<{ gone: boolean }[]>`
    SELECT last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS}) AS gone
      FROM waiting_room_visit WHERE organization_id = ${caller.organizationId} AND id = ${visitId}`;
  if (visit.leftAt === null && clock?.gone) await endWaitingRoomVisit(db, caller, visit, visit.lastSeenAt);
}

/** Sessions that took place, may be entered no more, and have nobody in them. */
export function findExpiredSessions(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT s.organization_id AS "organizationId", s.id FROM video_session s
     WHERE s.ended_at IS NULL AND s.expires_at < now() AND s.started_at IS NOT NULL AND NOT EXISTS (
       SELECT FROM session_participant p WHERE p.organization_id = s.organization_id AND p.video_session_id = s.id AND p.left_at IS NULL)
     LIMIT ${most}`;
}

/** Such a session ended when the last one left it. */
export async function closeExpiredSession(db: Db, caller: Caller, sessionId: number): Promise<void> {
  const { organizationId } = caller;
  const { session } = await lockSession(db, caller, sessionId);
  const people = await db.sessionParticipant.aggregate({
    where: { organizationId, videoSessionId: sessionId },
    _max: { leftAt: true },
  });
  if (session.endedAt === null) await closeSession(db, caller, session, people._max.leftAt ?? session.expiresAt);
}
