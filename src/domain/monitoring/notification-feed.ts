import type { Db } from '../../database/database.ts';
import { type Place, parseCursor, writeCursor } from '../audit/events.ts';

/**
 * How far a user has been told, in the order of the log (events.ts): by transaction, then by id. What is committed late is
 * thereby never passed over.
 */
export type FeedCursor = Place;

/** Who follows, and from where. */
export interface Follower {
  organizationId: number;
  userId: number;
  cursor: FeedCursor;
}

export interface FeedNotification {
  id: number;
  kind: string;
  subjectType: string;
  subjectId: number;
  createdAt: Date;
  /** The place behind it. */
  cursor: FeedCursor;
}

/** At a time, of each; what is left comes with the next look. */
const MAX_PER_FOLLOWER = 100;

/** Where one begins who wants to hear of what is told from now on. */
export async function currentFeedCursor(db: Db): Promise<FeedCursor> {
  const [row] = await db.$queryRaw<{ horizon: bigint }[]>`SELECT log_horizon() AS horizon`;
  return { transactionId: row?.horizon ?? 0n, id: 0n };
}

export const writeFeedCursor = writeCursor;

/** @throws Failure invalid for what was never given out */
export const parseFeedCursor = (written: string): FeedCursor => parseCursor(written, 'Last-Event-ID');

/** What each of the followers has not been told yet, in the order in which they are given; one statement for all. */
export async function findNewNotifications(db: Db, followers: readonly Follower[]): Promise<FeedNotification[][]> {
  const rows = await db.$queryRaw<(Omit<FeedNotification, 'place'> & { follower: number; transactionId: bigint })[]>`
    SELECT f.ordinality::int AS follower, n.id, n.kind, n.subject_type AS "subjectType", n.subject_id AS "subjectId",
           n.created_at AS "createdAt", n.transaction_id AS "transactionId"
      FROM unnest(${followers.map(({ organizationId }) => organizationId)}::int[], ${followers.map(({ userId }) => userId)}::int[],
                  ${followers.map(({ cursor }) => String(cursor.transactionId))}::bigint[],
                  ${followers.map(({ cursor }) => String(cursor.id))}::bigint[])
           WITH ORDINALITY AS f (organization_id, user_id, transaction_id, id, ordinality)
     CROSS JOIN LATERAL (
       SELECT * FROM notification n
        WHERE n.organization_id = f.organization_id AND n.user_id = f.user_id
          AND (n.transaction_id, n.id) > (f.transaction_id, f.id) AND n.transaction_id < log_horizon()
        ORDER BY n.transaction_id, n.id LIMIT ${MAX_PER_FOLLOWER}) n
     ORDER BY f.ordinality, n.transaction_id, n.id`;
  const groups = Map.groupBy(rows, ({ follower }) => follower);
  return followers.map((_, index) =>
    (groups.get(index + 1) ?? []).map(({ follower: _follower, transactionId, ...told }) => ({
      ...told,
      cursor: { transactionId, id: BigInt(told.id) },
    })),
  );
}
