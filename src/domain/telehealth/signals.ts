import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../caller.ts';

/** Where processes hear of signals: `LISTEN session_signal`. A note names them as `organization address id`, by commas. */
export const SIGNAL_CHANNEL = 'session_signal';
/** Messages that are passed on in one statement; a note of PostgreSQL has at most 8,000 bytes. */
export const MAX_SIGNALS_PER_STATEMENT = 100;

/** Whom a signal is for: one person, all of a session, who waits in a waiting room, or who sees the waiting rooms of a host. */
export type SignalAddress = `participant:${number}` | `session:${number}` | `visit:${number}` | `host:${number}`;

/** Waiting rooms of one user; those of nobody are seen by every host. */
export const hostAddress = (userId: number | null): SignalAddress => `host:${userId ?? 0}`;

/** What is told beside the words of browsers: that something changed, which is then read where it stands. */
export type RoomNotice =
  | { type: 'changed' }
  | { type: 'admitted' }
  | { type: 'refused' }
  | { type: 'ended' }
  /** Of all connections of this person only this one goes on. */
  | { type: 'replaced'; by: string };

export interface SignalReference {
  organizationId: number;
  address: string;
  id: bigint;
}

export interface Signal extends SignalReference {
  payload: unknown;
}

/** Tells whoever it is for, on whichever process, once the transaction is through. */
export async function notifyRoom(db: Db, { organizationId }: CallerIdentity, address: SignalAddress, notice: RoomNotice): Promise<void> {
  await db.$executeRaw`
    WITH told AS (
      INSERT INTO session_signal (organization_id, address, payload) VALUES (${organizationId}, ${address}, ${JSON.stringify(notice)}::jsonb)
      RETURNING organization_id, address, id
    )
    SELECT pg_notify(${SIGNAL_CHANNEL}, organization_id || ' ' || address || ' ' || id) FROM told`;
}

/** What one browser says to another. */
export interface PeerSignal {
  organizationId: number;
  sessionId: number;
  from: number;
  to: number;
  data: object;
}

/**
 * Passes messages on, in their order: each only between two people who are admitted to the same session and have not left.
 * @param said at most MOST_AT_ONCE
 * @returns for each, whether it was passed on
 */
export async function relayPeerSignals(db: Db, said: readonly PeerSignal[]): Promise<boolean[]> {
  const rows = JSON.stringify(said.map((one, place) => ({ ...one, place })));
  const [result] = await db.$queryRaw<{ places: number[] | null }[]>`
    WITH good AS (
      SELECT m.* FROM jsonb_to_recordset(${rows}::jsonb)
               AS m ("organizationId" int, "sessionId" int, "from" int, "to" int, data jsonb, place int)
        JOIN session_participant a ON a.organization_id = m."organizationId" AND a.id = m."from" AND a.video_session_id = m."sessionId"
         AND a.admitted_at IS NOT NULL AND a.left_at IS NULL
        JOIN session_participant b ON b.organization_id = m."organizationId" AND b.id = m."to" AND b.video_session_id = m."sessionId"
         AND b.admitted_at IS NOT NULL AND b.left_at IS NULL AND b.id <> a.id
    ), kept AS (
      INSERT INTO session_signal (organization_id, address, payload)
      SELECT "organizationId", 'participant:' || "to", jsonb_build_object('type', 'signal', 'from', "from", 'data', data) FROM good ORDER BY place
      RETURNING organization_id, address, id
    )
    SELECT (SELECT array_agg(place) FROM good) AS places,
           (SELECT pg_notify(${SIGNAL_CHANNEL}, string_agg(organization_id || ' ' || address || ' ' || id, ',' ORDER BY id))::text
              FROM kept HAVING count(*) > 0) AS told`;
  const passed = new Set(result?.places);
  return said.map((_, place) => passed.has(place));
}

/** Signals by their notes, in the order in which they were stored. */
export function readSignals(db: Db, notes: readonly SignalReference[]): Promise<Signal[]> {
  const organizations = notes.map(({ organizationId }) => organizationId);
  const ids = notes.map(({ id }) => id);
  return db.$queryRaw<Signal[]>`
    SELECT s.organization_id AS "organizationId", s.id, s.address, s.payload
      FROM unnest(${organizations}::int[], ${ids}::bigint[]) AS n (organization_id, id)
      JOIN session_signal s ON s.organization_id = n.organization_id AND s.id = n.id
     ORDER BY s.id`;
}

/** Notes of the last minute, for who may have missed some. */
export function findRecentSignals(db: Db): Promise<SignalReference[]> {
  return db.$queryRaw<SignalReference[]>`
    SELECT organization_id AS "organizationId", id, address FROM session_signal WHERE created_at > now() - interval '1 minute' ORDER BY id`;
}

/** Takes away what everybody has heard long ago. */
export async function deleteOldSignals(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM session_signal WHERE created_at < now() - interval '2 minutes'`;
}
