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
} from '../domain/monitoring/notification-feed.ts';

/** A user who follows what they are told of. */
export interface Following extends Omit<Follower, 'cursor'> {
  sessionId: string;
  /** Behind what the user has seen already; null for one who wants to hear what is told from now on. */
  cursor: FeedCursor | null;
  endsAt: Date;
  /** One event, in the words of an API. */
  write(notification: FeedNotification): string;
}

interface OpenStream extends Following {
  cursor: FeedCursor;
  output: PassThrough;
  /** By a clock that is never set back. */
  lastWrite: number;
}

export interface NotificationStreams {
  follow(following: Following): Promise<Readable>;
  /** Ends all; those who follow come back to another process, and miss nothing. */
  close(): void;
}

/** So that who signs out hears no more within a second. One look for all streams of a process, however many there are. */
const LOOK_EVERY_MS = 500;
/** A comment, so that nobody on the way takes the connection for dead. */
const BEAT_EVERY_MS = 15_000;
/** Bytes that wait for a reader who does not read: such a one is better off to come again. */
const MOST_WAITING = 256 * 1024;
const MOST_OF_A_USER = 10;

/** The streams of one process. What they show comes from the table alone, so that it does not matter which process serves whom. */
export function createNotificationStreams(
  db: Db,
  logger: Pick<FastifyBaseLogger, 'warn'>,
  { beatEveryMs = BEAT_EVERY_MS } = {},
): NotificationStreams {
  const streams = new Set<OpenStream>();
  let isLooking = false;
  let isClosed = false;

  async function look(): Promise<void> {
    isLooking = true;
    for (; streams.size > 0; await sleep(LOOK_EVERY_MS, undefined, { ref: false })) {
      for (const stream of streams) keepUp(stream, beatEveryMs);
      const all = [...streams];
      await serve(db, all).catch((err: unknown) => logger.warn({ err }, 'notifications cannot be looked for'));
    }
    isLooking = false;
  }

  return {
    async follow(following) {
      const cursor = following.cursor ?? (await currentFeedCursor(db));
      const output = new PassThrough();
      if (isClosed) return output.end();
      makeRoom(streams, following);
      const stream = { ...following, cursor, output, lastWrite: 0 };
      streams.add(stream);
      output.once('close', () => streams.delete(stream));
      // Known from the start: who loses the connection before the first event comes back to this place.
      say(stream, `retry: 3000\nid: ${writeFeedCursor(cursor)}\n\n`);
      if (!isLooking) void look();
      return output;
    },
    close() {
      isClosed = true;
      for (const { output } of streams) output.end();
      streams.clear();
    },
  };
}

/** Of a user with more streams than devices, the oldest end. */
function makeRoom(streams: ReadonlySet<OpenStream>, { organizationId, userId }: Following): void {
  const own = [...streams].filter((other) => other.organizationId === organizationId && other.userId === userId);
  for (const { output } of own.slice(0, Math.max(0, own.length - MOST_OF_A_USER + 1))) output.end();
}

/** Shows each what is new to them, and ends those whose session has ended. */
async function serve(db: Db, streams: readonly OpenStream[]): Promise<void> {
  const open = await findOpenSessions(db, streams);
  const standing = streams.filter(({ sessionId }) => open.has(sessionId));
  for (const { sessionId, output } of streams) if (!open.has(sessionId)) output.end();
  const news = await findNewNotifications(db, standing);
  for (const [index, stream] of standing.entries()) {
    for (const notification of news[index] ?? []) {
      say(stream, stream.write(notification));
      stream.cursor = notification.cursor;
    }
  }
}

function keepUp(stream: OpenStream, beatEveryMs: number): void {
  const { output, endsAt, lastWrite } = stream;
  // Of what was ended a look ago nobody has read the rest.
  if (output.writableEnded) output.destroy();
  else if (endsAt.getTime() <= Date.now()) output.end();
  else if (output.writableLength + output.readableLength > MOST_WAITING) output.destroy();
  else if (performance.now() - lastWrite >= beatEveryMs) say(stream, ': still here\n\n');
}

function say(stream: OpenStream, words: string): void {
  if (stream.output.writableEnded || stream.output.destroyed) return;
  stream.output.write(words);
  stream.lastWrite = performance.now();
}
