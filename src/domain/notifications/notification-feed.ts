import type { Db } from '../../database/database.ts';
import { readHorizon } from '../../database/logs/log-order.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import { type Notification, Prisma } from '../../generated/prisma/client.ts';
import { type LogCursor, parseCursor, writeCursor } from '../logs/event-log.ts';
import type { Tx } from '../tx.ts';

/**
 * Position of a user in the notifications, which are ordered like the event log (events.ts): by transaction, then by id. So a
 * notification that is committed late is never skipped.
 */
export type FeedCursor = LogCursor;

/** A user who follows the notifications from a position on. */
export interface Follower {
  organizationId: number;
  userId: number;
  cursor: FeedCursor;
}

export interface FeedNotification extends Pick<Notification, 'id' | 'kind' | 'subjectType' | 'subjectId' | 'createdAt'> {
  /** Position after this notification. */
  cursor: FeedCursor;
}

/** Notifications of one follower that one call returns; the next call returns the following ones. */
const MAX_PER_FOLLOWER = 100;

/** Position for notifications from now on. */
export async function currentFeedCursor(db: Db): Promise<FeedCursor> {
  return { transactionId: BigInt(await readHorizon(preparedIn(db))), id: 0n };
}

export const writeFeedCursor = writeCursor;

/** @throws Failure invalid for a malformed cursor */
export const parseFeedCursor = (written: string): FeedCursor => parseCursor(written, 'Last-Event-ID');

/**
 * Whether notification `n` is about a patient whose chart is restricted or blocked.
 * @param opened ids of charts that do not count, since the caller has opened them
 */
export const isAboutRestrictedBut = (
  organizationId: number,
  opened: readonly number[],
) => Prisma.sql`(n.subject_type = 'checkin_review' AND EXISTS (
  SELECT FROM check_in_review r JOIN patient p ON p.organization_id = r.organization_id AND p.id = r.patient_id AND p.restricted AND p.id <> ALL (${opened}::int[])
   WHERE r.organization_id = ${organizationId} AND r.id = n.subject_id)
  OR n.subject_type = 'monitoring_alert' AND EXISTS (
  SELECT FROM monitoring_alert a JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id AND p.restricted AND p.id <> ALL (${opened}::int[])
   WHERE a.organization_id = ${organizationId} AND a.id = n.subject_id))`;

/** Whether a notification is about such a patient. */
export async function isAboutRestricted(tx: Tx, id: number): Promise<boolean> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM notification n WHERE n.organization_id = ${organizationId} AND n.id = ${id} AND ${isAboutRestrictedBut(organizationId, [])}`;
  return rows.length > 0;
}

/**
 * New notifications of each follower, as a list for each in the order of the followers, without those about restricted and blocked
 * patients. One statement for all of a practice.
 */
export async function findNewNotifications(db: Db, followers: readonly Follower[]): Promise<FeedNotification[][]> {
  if (followers.length === 0) return [];
  const { transactionId: horizon } = await currentFeedCursor(db);
  const found = new Map<Follower, FeedNotification[]>();
  for (const [organizationId, ofPractice] of Map.groupBy(followers, (follower) => follower.organizationId)) {
    const lists = await findNewOfPractice(db, { organizationId, horizon }, ofPractice);
    ofPractice.forEach((follower, place) => void found.set(follower, lists[place] ?? []));
  }
  return followers.map((follower) => found.get(follower) ?? []);
}

async function findNewOfPractice(
  db: Db,
  { organizationId, horizon }: { organizationId: number; horizon: bigint },
  followers: readonly Follower[],
): Promise<FeedNotification[][]> {
  const rows = await db.$queryRaw<(FeedNotification & { follower: number; transactionId: number })[]>`
    SELECT f.ordinality::int AS follower, n.id, n.kind, n.subject_type AS "subjectType", n.subject_id AS "subjectId",
           n.created_at AS "createdAt", n.transaction_id AS "transactionId"
      FROM unnest(${followers.map(({ userId }) => userId)}::int[],
                  ${followers.map(({ cursor }) => String(cursor.transactionId))}::bigint[],
                  ${followers.map(({ cursor }) => String(cursor.id))}::bigint[])
           WITH ORDINALITY AS f (user_id, transaction_id, id, ordinality)
     CROSS JOIN LATERAL (
       SELECT * FROM notification n
        WHERE n.organization_id = ${organizationId} AND n.user_id = f.user_id
          AND (n.transaction_id, n.id) > (f.transaction_id, f.id) AND n.transaction_id < ${horizon}
          AND NOT ${isAboutRestrictedBut(organizationId, [])}
        ORDER BY n.transaction_id, n.id LIMIT ${MAX_PER_FOLLOWER}) n
     ORDER BY f.ordinality, n.transaction_id, n.id`;
  const groups = Map.groupBy(rows, ({ follower }) => follower);
  return followers.map((_, index) =>
    (groups.get(index + 1) ?? []).map(({ follower: _follower, transactionId, ...notification }) => ({
      ...notification,
      cursor: { transactionId: BigInt(transactionId), id: BigInt(notification.id) },
    })),
  );
}
