import { before, databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { preparedIn, statement } from '../../../database/statements/statement.ts';
import { inPractice, type PracticeTx, type Tx } from '../../tx.ts';
import type { RowKey } from '../../values/row-key.ts';
import { LOST_AFTER_MS } from '../sessions/participant-standing.ts';
import { closeSession, lockSession } from '../sessions/sessions.ts';
import { recordVisitEnded } from '../visits/visit-records.ts';
import { endWaitingRoomVisit, lockVisit } from '../waiting/waiting-room-visits.ts';
import { recordLeft } from './presence.ts';

/**
 * Sessions that took place, have nobody in them, and were not ended: expired ones, and those that everybody left a while ago. One in
 * which only hosts were is kept open for those who are still to come: until its appointment ends, and while an invite is unused.
 * Values: seconds since everybody left, limit. Of all organizations, for the job that ends them.
 */
export const DESERTED_SESSIONS = statement<{ organizationId: number; id: number }>(
  'telehealth_deserted_sessions',
  `SELECT s.organization_id AS "organizationId", s.id FROM video_session s
    WHERE s.ended_at IS NULL AND s.started_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM session_participant p WHERE p.organization_id = s.organization_id AND p.video_session_id = s.id
         AND (p.left_at IS NULL OR s.expires_at >= now() AND p.left_at >= now() - make_interval(secs => $1)))
      AND (s.expires_at < now() OR s.visit > 0 OR NOT EXISTS (
             SELECT FROM appointment a WHERE a.organization_id = s.organization_id AND a.id = s.appointment_id
                AND a.ends_at > now() AND a.status <> 'cancelled')
           AND NOT EXISTS (
             SELECT FROM session_invite i WHERE i.organization_id = s.organization_id AND i.video_session_id = s.id
                AND i.withdrawn_at IS NULL AND i.expires_at > now() AND NOT EXISTS (
                  SELECT FROM session_participant g WHERE g.organization_id = i.organization_id AND g.invite_id = i.id)))
    LIMIT $2`,
  { overAllPractices: 'the job looks for rooms that everybody has left' },
);

const LOST_AFTER_SECONDS = LOST_AFTER_MS / 1_000;

/** A connection whose browser sent something `age` seconds ago. */
export interface PresenceHeartbeat {
  kind: 'participant' | 'visit';
  organizationId: number;
  id: number;
  connection: string;
  /** Seconds since the last message of the browser. */
  age: number;
}

/**
 * Updates when participants and patients in waiting rooms were last seen, those of a practice together.
 * @returns stale connections: a newer connection of the person replaced them, the person was recorded as gone or is a user who was
 * deactivated, or the practice was closed
 */
export async function recordHeartbeats(db: Db, beats: readonly PresenceHeartbeat[]): Promise<Set<string>> {
  if (beats.length === 0) return new Set();
  const now = await databaseTime(db);
  const stale = new Set<string>();
  for (const [organizationId, ofPractice] of Map.groupBy(beats, (beat) => beat.organizationId)) {
    const present = await recordInPractice(inPractice(db, organizationId), ofPractice, now);
    for (const { connection } of ofPractice) if (!present.has(connection)) stale.add(connection);
  }
  return stale;
}

/** One statement for each kind: parts of one that read the same rows would be sent to every node of a cluster. @returns who is present */
async function recordInPractice(tx: PracticeTx, beats: readonly PresenceHeartbeat[], now: Date): Promise<Set<string>> {
  const present = new Set<string>();
  for (const [kind, record] of [['participant', recordParticipants] as const, ['visit', recordVisits] as const]) {
    const seen = beats
      .filter((beat) => beat.kind === kind)
      .map(({ id, connection, age }) => ({ id, connection, at: before(now, age * 1_000) }));
    if (seen.length === 0) continue;
    for (const { connection } of await record(tx, JSON.stringify(seen))) present.add(connection);
  }
  return present;
}

const recordParticipants = (tx: PracticeTx, seen: string): Promise<{ connection: string }[]> => tx.prisma.$queryRaw`
  UPDATE session_participant p SET last_seen_at = greatest(p.last_seen_at, h.at)
    FROM jsonb_to_recordset(${seen}::jsonb) AS h (id bigint, connection uuid, at timestamptz)
   WHERE p.organization_id = ${tx.organizationId} AND p.id = h.id AND p.connection = h.connection AND p.left_at IS NULL
     AND EXISTS (SELECT FROM organization o WHERE o.id = ${tx.organizationId} AND o.active)
     AND NOT EXISTS (SELECT FROM "user" u WHERE u.organization_id = ${tx.organizationId} AND u.id = p.user_id AND NOT u.active)
  RETURNING p.connection`;

const recordVisits = (tx: PracticeTx, seen: string): Promise<{ connection: string }[]> => tx.prisma.$queryRaw`
  UPDATE waiting_room_visit v SET last_seen_at = greatest(v.last_seen_at, h.at)
    FROM jsonb_to_recordset(${seen}::jsonb) AS h (id bigint, connection uuid, at timestamptz)
   WHERE v.organization_id = ${tx.organizationId} AND v.id = h.id AND v.connection = h.connection AND v.left_at IS NULL
     AND EXISTS (SELECT FROM organization o WHERE o.id = ${tx.organizationId} AND o.active)
  RETURNING v.connection`;

/** Sessions with a participant who was lost, or with a running visit though nobody is in the room. */
export function findSessionsToReconcile(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT organization_id AS "organizationId", video_session_id AS id FROM session_participant p
     WHERE left_at IS NULL AND last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})
    UNION
    SELECT v.organization_id, v.video_session_id FROM telehealth_visit v
     WHERE v.ended_at IS NULL AND NOT EXISTS (
       SELECT FROM session_participant p WHERE p.organization_id = v.organization_id AND p.video_session_id = v.video_session_id
          AND p.joined_at IS NOT NULL AND p.left_at IS NULL)
     LIMIT ${most} ${overAllPractices('the job looks for who was lost')}`;
}

/** Records participants without a recent heartbeat as gone, each at the time of the last heartbeat, and ends their visits. */
export async function reconcileSession(tx: Tx, sessionId: number): Promise<void> {
  const { organizationId } = tx;
  const { session } = await lockSession(tx, sessionId);
  const gone = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT id FROM session_participant
     WHERE organization_id = ${organizationId} AND video_session_id = ${sessionId} AND left_at IS NULL
       AND last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})
     ORDER BY last_seen_at, id FOR NO KEY UPDATE`;
  const participants = await tx.prisma.sessionParticipant.findMany({
    where: { organizationId, id: { in: gone.map(({ id }) => id) } },
    orderBy: [{ lastSeenAt: 'asc' }, { id: 'asc' }],
  });
  await recordLeft(
    tx,
    session,
    participants.map((participant) => ({ participant, at: participant.lastSeenAt })),
  );
  await endOrphanedVisits(tx, sessionId);
}

/** Ends visits of a room with nobody in it, at the last heartbeat of any participant. */
async function endOrphanedVisits(tx: Tx, sessionId: number): Promise<void> {
  const { organizationId } = tx;
  const ended = await tx.prisma.$queryRaw<{ id: number; patientId: number | null }[]>`
    UPDATE telehealth_visit v SET ended_at = greatest(v.started_at, (
             SELECT max(p.last_seen_at) FROM session_participant p WHERE p.organization_id = ${organizationId} AND p.video_session_id = v.video_session_id))
     WHERE v.organization_id = ${organizationId} AND v.video_session_id = ${sessionId} AND v.ended_at IS NULL
       AND NOT EXISTS (SELECT FROM session_participant p WHERE p.organization_id = ${organizationId}
                          AND p.video_session_id = v.video_session_id AND p.joined_at IS NOT NULL AND p.left_at IS NULL)
    RETURNING v.id, v.patient_id AS "patientId"`;
  for (const visit of ended) recordVisitEnded(tx, visit);
}

export function findLostWaitingRoomVisits(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT organization_id AS "organizationId", id FROM waiting_room_visit v
     WHERE left_at IS NULL AND last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS})
     LIMIT ${most} ${overAllPractices('the job looks for who was lost')}`;
}

/** Ends a waiting room visit without a recent heartbeat, at the time of the last heartbeat. */
export async function endLostWaitingRoomVisit(tx: Tx, visitId: number): Promise<void> {
  const visit = await lockVisit(tx, visitId);
  const [clock] = await tx.prisma.$queryRaw<{ gone: boolean }[]>`
    SELECT last_seen_at < now() - make_interval(secs => ${LOST_AFTER_SECONDS}) AS gone
      FROM waiting_room_visit WHERE organization_id = ${tx.organizationId} AND id = ${visitId}`;
  if (visit.leftAt === null && clock?.gone) await endWaitingRoomVisit(tx, visit, visit.lastSeenAt);
}

/** A session that took place ends this long after everybody has left it. */
const EMPTY_FOR_SECONDS = 600;

/** Sessions that took place, were left by everybody a while ago, and were not ended (DESERTED_SESSIONS). */
export const findDesertedSessions = (db: Db, most: number): Promise<RowKey[]> =>
  preparedIn(db).rows(DESERTED_SESSIONS, [EMPTY_FOR_SECONDS, most]);

/** Ends a deserted session, at the time when the last participant left; not one that somebody has come into since. */
export async function closeDesertedSession(tx: Tx, sessionId: number): Promise<void> {
  const { session } = await lockSession(tx, sessionId);
  const of = { ...tx.practice, videoSessionId: sessionId };
  const present = await tx.prisma.sessionParticipant.count({ where: { ...of, leftAt: null } });
  const people = await tx.prisma.sessionParticipant.aggregate({ where: of, _max: { leftAt: true } });
  if (session.endedAt === null && present === 0) await closeSession(tx, session, people._max.leftAt ?? session.expiresAt);
}
