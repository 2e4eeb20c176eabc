import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../database/database.ts';
import { findOpenSessions } from '../../domain/identity/sessions/open-sessions.ts';
import {
  currentFeedCursor,
  type FeedCursor,
  type FeedNotification,
  type Follower,
  findNewNotifications,
  writeFeedCursor,
} from '../../domain/notifications/notification-feed.ts';
import { createStreamPool, firstLines, type OpenStream, writeTo } from './stream-pool.ts';

/** A user who follows their notifications. */
interface Following extends Follower {
  sessionId: string;
  write(notification: FeedNotification): string;
}

/** The same before its beginning is known. */
export interface NewFollowing extends Omit<Following, 'cursor'>, Pick<OpenStream, 'endsAt'> {
  /** The place after the last notification that the user has received; null for new notifications only. */
  cursor: FeedCursor | null;
}

export interface NotificationStreams {
  follow(following: NewFollowing): Promise<Readable>;
  /** Ends all streams. Clients reconnect to another process and miss nothing. */
  close(): void;
}

const MAX_PER_USER = 10;

/** The notification streams of one process. Notifications are read from the database alone, so any process can serve any user. */
export function createNotificationStreams(
  db: Db,
  logger: Pick<FastifyBaseLogger, 'warn'>,
  { heartbeatMs }: { heartbeatMs?: number } = {},
): NotificationStreams {
  const pool = createStreamPool<Following>({
    poll: (streams) => poll(db, streams),
    onFailure: (err) => logger.warn({ err }, 'new notifications cannot be read'),
    heartbeatMs,
  });
  return {
    async follow(following) {
      const cursor = following.cursor ?? (await currentFeedCursor(db));
      endOldest(pool.streams, following);
      return pool.open({ ...following, cursor }, firstLines(writeFeedCursor(cursor)));
    },
    close: pool.close,
  };
}

/** Ends the oldest streams of a user who has MAX_PER_USER of them. */
function endOldest(streams: ReadonlySet<Following & OpenStream>, { organizationId, userId }: NewFollowing): void {
  const own = [...streams].filter((other) => other.organizationId === organizationId && other.userId === userId);
  for (const { output } of own.slice(0, Math.max(0, own.length - MAX_PER_USER + 1))) output.end();
}

/** Writes new notifications to each stream, and ends the streams of sessions that have ended. One query for all. */
async function poll(db: Db, streams: readonly (Following & OpenStream)[]): Promise<void> {
  const open = await findOpenSessions(db, streams);
  const live = streams.filter(({ sessionId }) => open.has(sessionId));
  for (const { sessionId, output } of streams) if (!open.has(sessionId)) output.end();
  const found = await findNewNotifications(db, live);
  for (const [index, stream] of live.entries()) {
    for (const notification of found[index] ?? []) {
      writeTo(stream, stream.write(notification));
      stream.cursor = notification.cursor;
    }
  }
}
