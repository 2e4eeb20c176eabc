import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { statement } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import type { Caller } from '../../caller.ts';
import type { NewNotice } from '../../journal.ts';
import { inPractice, type PracticeTx } from '../../tx.ts';

/** Channel of `LISTEN` and `NOTIFY`. The payload has `organization address id` of each signal, with commas between. */
export const SIGNAL_CHANNEL = 'session_signal';
/** Signals relayed in one statement. A payload of `NOTIFY` has at most 8,000 bytes. */
export const MAX_SIGNALS_PER_STATEMENT = 100;

/**
 * Receivers of a signal: one participant, all connections of a session, a patient in a waiting room, or the sessions that
 * show the waiting rooms of a host.
 */
export type SignalAddress = `participant:${number}` | `session:${number}` | `visit:${number}` | `host:${number}`;

/** @param userId null for waiting rooms without a host, which every host sees */
export const hostAddress = (userId: number | null): SignalAddress => `host:${userId ?? 0}`;

/** Signals of the server. They carry no data: the receiver reads the changed rows. */
export type RoomNotice =
  | { type: 'changed' }
  | { type: 'admitted' }
  | { type: 'refused' }
  | { type: 'ended' }
  | { type: 'removed' }
  /** The appointment for which this person waits is not at this time any more. */
  | { type: 'appointment_cancelled' }
  | { type: 'appointment_moved' }
  /** To a patient in a waiting room: a host said "not now". */
  | { type: 'not_now' }
  /** The next visit has begun without this person. */
  | { type: 'visit_over' }
  /** Messages of the chat, or requests for stills, have come or changed. */
  | { type: 'chat' }
  | { type: 'still' }
  /** The practice is running late by so many minutes. */
  | { type: 'late'; minutes: number }
  /** The page of this connection was closed. */
  | { type: 'left'; connection: string }
  /** Only connection `by` of this person stays open. */
  | { type: 'replaced'; by: string };

export interface SignalReference {
  organizationId: number;
  address: string;
  id: number;
}

export interface Signal extends SignalReference {
  payload: unknown;
}

/** Sends a notice to the connections at an address, on every process, when the transaction has committed. */
export function notifyRoom({ organizationId, journal }: Caller, address: SignalAddress, notice: RoomNotice): void {
  journal.notices.push({ organizationId, address, payload: notice });
}

/** Values: organization, notices. */
const STORE_NOTICES = statement<never>(
  'store_notices',
  `WITH stored AS (
     INSERT INTO session_signal (organization_id, address, payload)
     SELECT $1::int, n.address, n.payload FROM jsonb_to_recordset($2::jsonb) AS n (address text, payload jsonb, place int) ORDER BY n.place
     RETURNING organization_id, address, id
   )
   SELECT pg_notify('${SIGNAL_CHANNEL}', string_agg(organization_id || ' ' || address || ' ' || id, ',' ORDER BY id))::text FROM stored`,
);

/** Stores notices with the commit, when PostgreSQL announces them to all listening processes. */
export function storeNotices(db: Db, notices: readonly NewNotice[]): void {
  for (const [organizationId, mine] of Map.groupBy(notices, (notice) => notice.organizationId)) {
    const rows = mine.map(({ address, payload }, place) => ({ address, payload, place }));
    for (let start = 0; start < rows.length; start += MAX_SIGNALS_PER_STATEMENT)
      sendLater(db, STORE_NOTICES, [organizationId, JSON.stringify(rows.slice(start, start + MAX_SIGNALS_PER_STATEMENT))]);
  }
}

export interface PeerSignal {
  organizationId: number;
  sessionId: number;
  from: number;
  to: number;
  data: object;
}

/**
 * Relays signals in their order, only between two participants who are both in the present visit of the same session. One statement a
 * practice.
 * @param signals at most MAX_SIGNALS_PER_STATEMENT
 * @returns for each signal, whether it was relayed
 */
export async function relayPeerSignals(db: Db, signals: readonly PeerSignal[]): Promise<boolean[]> {
  const relayed = new Set<PeerSignal>();
  for (const [organizationId, ofPractice] of Map.groupBy(signals, (signal) => signal.organizationId)) {
    for (const place of await relayInPractice(inPractice(db, organizationId), ofPractice)) {
      const signal = ofPractice[place];
      if (signal) relayed.add(signal);
    }
  }
  return signals.map((signal) => relayed.has(signal));
}

/** @returns the places of those that were relayed */
async function relayInPractice(tx: PracticeTx, signals: readonly PeerSignal[]): Promise<number[]> {
  const { organizationId } = tx;
  const rows = JSON.stringify(signals.map((signal, place) => ({ ...signal, place })));
  const [result] = await tx.prisma.$queryRaw<{ places: number[] | null }[]>`
    WITH good AS (
      SELECT m.* FROM jsonb_to_recordset(${rows}::jsonb)
               AS m ("sessionId" bigint, "from" bigint, "to" bigint, data jsonb, place int)
        JOIN video_session s ON s.organization_id = ${organizationId} AND s.id = m."sessionId"
        JOIN session_participant a ON a.organization_id = ${organizationId} AND a.id = m."from" AND a.video_session_id = m."sessionId"
         AND a.admitted_at IS NOT NULL AND a.joined_at IS NOT NULL AND a.left_at IS NULL AND (a.role = 'host' OR a.visit = s.visit)
        JOIN session_participant b ON b.organization_id = ${organizationId} AND b.id = m."to" AND b.video_session_id = m."sessionId"
         AND b.admitted_at IS NOT NULL AND b.joined_at IS NOT NULL AND b.left_at IS NULL AND (b.role = 'host' OR b.visit = s.visit) AND b.id <> a.id
    ), kept AS (
      INSERT INTO session_signal (organization_id, address, payload)
      SELECT ${organizationId}::int, 'participant:' || "to", jsonb_build_object('type', 'signal', 'from', "from", 'data', data) FROM good ORDER BY place
      RETURNING organization_id, address, id
    )
    SELECT (SELECT array_agg(place) FROM good) AS places,
           (SELECT pg_notify(${SIGNAL_CHANNEL}, string_agg(organization_id || ' ' || address || ' ' || id, ',' ORDER BY id))::text
              FROM kept HAVING count(*) > 0) AS notified`;
  return result?.places ?? [];
}

/** Signals by their references, those of each practice in the order in which they were stored. One statement a practice. */
export async function readSignals(db: Db, notes: readonly SignalReference[]): Promise<Signal[]> {
  const found = [...Map.groupBy(notes, ({ organizationId }) => organizationId)].map(([organizationId, ofPractice]) => {
    const ids = ofPractice.map(({ id }) => id);
    return db.$queryRaw<Signal[]>`
      SELECT s.organization_id AS "organizationId", s.id, s.address, s.payload FROM session_signal s
       WHERE s.organization_id = ${organizationId} AND s.id = ANY (${ids}::bigint[]) ORDER BY s.id`;
  });
  return (await Promise.all(found)).flat();
}

/** References to the signals of the last minute, for a listener that has connected again. */
export function findRecentSignals(db: Db): Promise<SignalReference[]> {
  return db.$queryRaw<SignalReference[]>`
    SELECT organization_id AS "organizationId", id, address FROM session_signal WHERE created_at > now() - interval '1 minute' ORDER BY id
      ${overAllPractices('a process hears of the signals of all')}`;
}

/** Deletes signals that every process has read long ago. */
export async function deleteOldSignals(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM session_signal WHERE created_at < now() - interval '2 minutes' ${overAllPractices('old signals are deleted by age')}`;
}
