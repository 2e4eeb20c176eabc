import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { type EventQuery, findQuietCursor, type LoggedEvent, newestCursor, readEvents } from '../../domain/logs/event-log.ts';
import { type IdentityTx, inPractice, txOf } from '../../domain/tx.ts';
import { createStreamPool, firstLines, measureUnsent, type OpenStream, writeTo } from './stream-pool.ts';

/** As a cursor: what happens from now on. */
export const LATEST = 'latest';

/** A client or an administrator who follows the log of events. */
interface Following extends Pick<EventQuery, 'names' | 'subject'> {
  caller: CallerIdentity;
  cursor: string;
  /** The caller as the present rights of the token make it. @throws Failure where it has lost them */
  reauthorize(): Promise<CallerIdentity>;
  write(event: LoggedEvent): string;
}

interface NewFollowing extends Omit<Following, 'cursor'>, Pick<OpenStream, 'endsAt'> {
  /** The cursor of the last event that the reader has received, or LATEST. */
  after: string;
  /** The name under which it was sent, where that is not `after`. */
  field?: string;
}

export interface EventLogStreams {
  /** @throws Failure too_many_requests for a client or user with five streams, and for a practice with all of its streams; as readEvents for the cursor */
  follow(following: NewFollowing): Promise<Readable>;
  /** Ends all streams. Readers reconnect to another process and miss nothing. */
  close(): void;
}

const MAX_PER_CALLER = 5;
/** Events that are read at once for one stream. */
const PAGE = 500;
/** Bytes that a reader may be behind before it is given more. */
const ENOUGH = 64 * 1024;

/**
 * The streams of the log of events in one process. The log is read from the database alone, so any process can serve any reader.
 * @param mostOfPractice streams of one practice
 */
export function createEventLogStreams(db: Db, logger: Pick<FastifyBaseLogger, 'warn'>, mostOfPractice: number): EventLogStreams {
  const onFailure = (err: unknown) => logger.warn({ err }, 'new events cannot be read');
  const pool = createStreamPool<Following>({
    poll: async (streams) => {
      const practices = Map.groupBy(streams, ({ caller }) => caller.organizationId);
      await Promise.all([...practices.values()].map((ofPractice) => pollPractice(db, ofPractice).catch(onFailure)));
    },
    onFailure,
  });
  return {
    async follow({ after, field, ...following }) {
      const cursor = after === LATEST ? await newestCursor(db) : after;
      // Refuses a cursor that is malformed or expired, instead of a stream that says nothing.
      await readEvents(txOf(db, following.caller), { after: cursor, limit: 1, field });
      requireRoom(pool.streams, following.caller, mostOfPractice);
      return pool.open({ ...following, cursor }, firstLines(cursor));
    },
    close: pool.close,
  };
}

function requireRoom(streams: ReadonlySet<Following>, { organizationId, actor }: CallerIdentity, mostOfPractice: number): void {
  const ofPractice = [...streams].filter(({ caller }) => caller.organizationId === organizationId);
  if (ofPractice.length >= mostOfPractice) throw tooManyStreams(`A practice has at most ${mostOfPractice} open streams of events.`);
  if (ofPractice.filter(({ caller }) => caller.actor === actor).length >= MAX_PER_CALLER)
    throw tooManyStreams(`A client or user has at most ${MAX_PER_CALLER} open streams of events.`);
}

const tooManyStreams = (message: string) => new Failure('too_many_requests', 'too_many_streams', message, { retryAfter: 5 });

/**
 * Writes what is new to the streams of a practice. One after the other, so that a practice uses one connection however many streams it
 * has; and one look at its log tells all of them that there is nothing.
 */
async function pollPractice(db: Db, streams: readonly (Following & OpenStream)[]): Promise<void> {
  const ready: { stream: Following & OpenStream; caller: CallerIdentity }[] = [];
  for (const stream of streams) {
    const caller = await reauthorizeStream(stream);
    if (caller === null) stream.output.end();
    else if (measureUnsent(stream) <= ENOUGH) ready.push({ stream, caller });
  }
  const [first] = ready;
  if (!first) return;
  const cursors = ready.map(({ stream }) => stream.cursor);
  const quiet = await findQuietCursor(inPractice(db, first.caller.organizationId), cursors);
  for (const { stream, caller } of ready) {
    if (quiet === null) await advance(txOf(db, caller), stream);
    else stream.cursor = quiet;
  }
}

/** The caller of a stream as it is now; null where it has lost the right to events. */
const reauthorizeStream = (stream: Following): Promise<CallerIdentity | null> =>
  stream.reauthorize().catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'unavailable') throw error;
    return null;
  });

async function advance(tx: IdentityTx, stream: Following & OpenStream): Promise<void> {
  const { names, subject, cursor: after } = stream;
  const page = await readEvents(tx, { after, limit: PAGE, names, subject });
  for (const event of page.events) writeTo(stream, stream.write(event));
  stream.cursor = page.cursor;
}
