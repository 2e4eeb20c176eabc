import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { type EventQuery, type LoggedEvent, newestCursor, readEvents } from '../../domain/events/log/event-log.ts';
import { backlogOf, createStreamPool, firstLines, type OpenStream, writeTo } from './stream-pool.ts';

/** As a cursor: what happens from now on. */
export const LATEST = 'latest';

/** A client or an administrator who follows the log of events. */
interface Following extends Pick<EventQuery, 'names' | 'subject'> {
  caller: CallerIdentity;
  cursor: string;
  /** The caller as the present rights of the token make it. @throws Failure where it has lost them */
  reauthorize(): Promise<CallerIdentity>;
  /** Writes one event as an event of the stream. */
  write(event: LoggedEvent): string;
}

interface NewFollowing extends Omit<Following, 'cursor'>, Pick<OpenStream, 'endsAt'> {
  /** The cursor of the last event that the reader has received, or LATEST. */
  after: string;
  /** The name under which it was sent, where that is not `after`. */
  field?: string;
}

export interface EventLogStreams {
  /** @throws Failure too_many_requests for a client or user with five streams; as readEvents for the cursor */
  follow(following: NewFollowing): Promise<Readable>;
  /** Ends all streams. Readers reconnect to another process and miss nothing. */
  close(): void;
}

const MAX_PER_CALLER = 5;
/** Events that are read at once for one stream. */
const PAGE = 500;
/** Bytes that a reader may be behind before it is given more. */
const ENOUGH = 64 * 1024;

/** The streams of the log of events in one process. The log is read from the database alone, so any process can serve any reader. */
export function createEventLogStreams(
  db: Db,
  logger: Pick<FastifyBaseLogger, 'warn'>,
  { heartbeatMs }: { heartbeatMs?: number } = {},
): EventLogStreams {
  const onFailure = (err: unknown) => logger.warn({ err }, 'new events cannot be read');
  const pool = createStreamPool<Following>({
    poll: async (streams) => void (await Promise.all(streams.map((stream) => advance(db, stream).catch(onFailure)))),
    onFailure,
    heartbeatMs,
  });
  return {
    async follow({ after, field, ...following }) {
      const cursor = after === LATEST ? await newestCursor(db) : after;
      // Refuses a cursor that is malformed or expired, instead of a stream that says nothing.
      await readEvents(db, following.caller, { after: cursor, limit: 1, field });
      requireRoom(pool.streams, following.caller);
      return pool.open({ ...following, cursor }, firstLines(cursor));
    },
    close: pool.close,
  };
}

function requireRoom(streams: ReadonlySet<Following>, { organizationId, actor }: CallerIdentity): void {
  const own = [...streams].filter(({ caller }) => caller.organizationId === organizationId && caller.actor === actor);
  if (own.length >= MAX_PER_CALLER)
    throw new Failure('too_many_requests', 'too_many_streams', `At most ${MAX_PER_CALLER} streams of events may be open at a time.`, {
      retryAfter: 5,
    });
}

/** Writes the next events to a stream whose reader keeps up, and ends one whose reader has lost the right to them. */
async function advance(db: Db, stream: Following & OpenStream): Promise<void> {
  const { output, names, subject, cursor: after } = stream;
  const caller = await stream.reauthorize().catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'unavailable') throw error;
    return null;
  });
  if (caller === null) {
    output.end();
    return;
  }
  if (backlogOf(stream) > ENOUGH) return;
  const page = await readEvents(db, caller, { after, limit: PAGE, names, subject });
  for (const event of page.events) writeTo(stream, stream.write(event));
  stream.cursor = page.cursor;
}
