import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../database/database.ts';
import { findOpenSessions } from '../domain/identity/open-sessions.ts';
import {
  currentFeedCursor,
  type FeedCursor,
  type FeedNotification,
  type Follower,
  findNewNotifications,
  writeFeedCursor,
} from '../domain/notifications/notification-feed.ts';

/** A user who follows their notifications. */
export interface Following extends Omit<Follower, 'cursor'> {
  sessionId: string;
  /** The place after the last notification that the user has received; null for new notifications only. */
  cursor: FeedCursor | null;
  endsAt: Date;
  /** Writes one notification as an event of the API. */
  write(notification: FeedNotification): string;
}

interface OpenStream extends Following {
  cursor: FeedCursor;
  output: PassThrough;
  /** Time of the last write, by performance.now(). */
  lastWrite: number;
}

export interface NotificationStreams {
  follow(following: Following): Promise<Readable>;
  /** Ends all streams. Clients reconnect to another process and miss nothing. */
  close(): void;
}

/** Milliseconds between queries, each for all streams of the process: a sign-out ends its streams within a second. */
const POLL_MS = 500;
/** Milliseconds between heartbeat comments, which keep proxies from closing the connection. */
const HEARTBEAT_MS = 15_000;
/** The largest number of bytes buffered for a slow reader; its stream is ended then, and it reconnects. */
const MAX_BUFFERED = 256 * 1024;
const MAX_PER_USER = 10;

/** The notification streams of one process. Notifications are read from the database alone, so any process can serve any user. */
export function createNotificationStreams(
  db: Db,
  logger: Pick<FastifyBaseLogger, 'warn'>,
  { heartbeatMs = HEARTBEAT_MS } = {},
): NotificationStreams {
  const streams = new Set<OpenStream>();
  let isPolling = false;
  let isClosed = false;

  async function pollForever(): Promise<void> {
    isPolling = true;
    for (; streams.size > 0; await sleep(POLL_MS, undefined, { ref: false })) {
      for (const stream of streams) heartbeat(stream, heartbeatMs);
      const all = [...streams];
      await poll(db, all).catch((err: unknown) => logger.warn({ err }, 'new notifications cannot be read'));
    }
    isPolling = false;
  }

  return {
    async follow(following) {
      const cursor = following.cursor ?? (await currentFeedCursor(db));
      const output = new PassThrough();
      if (isClosed) return output.end();
      endOldest(streams, following);
      const stream = { ...following, cursor, output, lastWrite: 0 };
      streams.add(stream);
      output.once('close', () => streams.delete(stream));
      // Sent first: a client that loses the connection before its first event resumes at this place.
      write(stream, `retry: 3000\nid: ${writeFeedCursor(cursor)}\n\n`);
      if (!isPolling) void pollForever();
      return output;
    },
    close() {
      isClosed = true;
      for (const { output } of streams) output.end();
      streams.clear();
    },
  };
}

/** Ends the oldest streams of a user who has MAX_PER_USER of them. */
function endOldest(streams: ReadonlySet<OpenStream>, { organizationId, userId }: Following): void {
  const own = [...streams].filter((other) => other.organizationId === organizationId && other.userId === userId);
  for (const { output } of own.slice(0, Math.max(0, own.length - MAX_PER_USER + 1))) output.end();
}

/** Writes new notifications to each stream, and ends the streams of sessions that have ended. */
async function poll(db: Db, streams: readonly OpenStream[]): Promise<void> {
  const open = await findOpenSessions(db, streams);
  const live = streams.filter(({ sessionId }) => open.has(sessionId));
  for (const { sessionId, output } of streams) if (!open.has(sessionId)) output.end();
  const found = await findNewNotifications(db, live);
  for (const [index, stream] of live.entries()) {
    for (const notification of found[index] ?? []) {
      write(stream, stream.write(notification));
      stream.cursor = notification.cursor;
    }
  }
}

function heartbeat(stream: OpenStream, heartbeatMs: number): void {
  const { output, endsAt, lastWrite } = stream;
  // A stream that was ended one poll ago and is still here has a reader who does not read the rest.
  if (output.writableEnded) output.destroy();
  else if (endsAt.getTime() <= Date.now()) output.end();
  else if (output.writableLength + output.readableLength > MAX_BUFFERED) output.destroy();
  else if (performance.now() - lastWrite >= heartbeatMs) write(stream, ': still here\n\n');
}

function write(stream: OpenStream, text: string): void {
  if (stream.output.writableEnded || stream.output.destroyed) return;
  stream.output.write(text);
  stream.lastWrite = performance.now();
}
