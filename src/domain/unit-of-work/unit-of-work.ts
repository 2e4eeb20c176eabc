import { setTimeout as sleep } from 'node:timers/promises';
import { retryOnConnectionLoss } from '../../database/connections/retry-on-connection-loss.ts';
import type { Database, Db } from '../../database/database.ts';
import { databaseErrorCode, isConnectionLost } from '../../database/errors.ts';
import { type DbTransaction, inDbTransaction } from '../../database/transaction.ts';
import { auditRow, writeJournal } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { unavailable } from '../errors.ts';
import type { EventName } from '../events/catalogue.ts';
import { emptyJournal, type NewEvent, type NewJob, type NewNotice } from '../journal.ts';
import { inPractice, type PracticeTx, type Tx, txOf } from '../tx.ts';
import { createAuditWriter } from './audit-writer.ts';
import type { PracticeShares } from './practice-shares.ts';

/** Reads outside of a transaction. */
type ReadCallback<T> = (tx: Tx) => Promise<T>;

/** Makes a write in the given transaction; its events, audit rows, jobs and notices go to the caller's journal. */
type WriteCallback<T> = (tx: Tx) => Promise<T>;

/** Puts jobs into their queues, in the given transaction: resolves when their statements were sent. */
export type Enqueue = (tx: PracticeTx, jobs: readonly NewJob[]) => Promise<void>;

/** Stores notices in the given transaction, whose commit sends them. */
type StoreNotices = (db: Db, notices: readonly NewNotice[]) => void;

/** The consequence that a change of one area has in another, in the same transaction, whichever API made the change. */
export type Reaction = (tx: Tx, event: NewEvent) => Promise<void>;

/** The reactions to each event, in their order. A reaction may record events, to which others react. */
export type Reactions = Readonly<Partial<Record<EventName, readonly Reaction[]>>>;

export interface WriteOptions {
  /**
   * Runs the transaction at the isolation level REPEATABLE READ instead of READ COMMITTED: the callback sees one state of the
   * database throughout. For If-Match, whose comparison must hold for the write that follows.
   */
  repeatable?: boolean;
  /** Once aborted, nothing is committed: the client got a 503, which says that the write did not happen. */
  signal?: AbortSignal;
  /**
   * Sent before the first statement of the callback, with which it leaves: the claim of an Idempotency-Key. Where it throws, so does the
   * write, whatever the callback does.
   */
  first?: (tx: Tx) => Promise<void>;
}

/** Reads and writes of every request, command and worker job, each with its audit. */
export interface UnitOfWork {
  /**
   * Reads. Resolves when its audit rows are stored; a read that cannot be audited fails. Runs the callback once more when
   * the connection was lost.
   */
  read<T>(caller: CallerIdentity, callback: ReadCallback<T>): Promise<T>;
  /**
   * One transaction with its rows, events, audit rows and stored response: all or nothing. BEGIN leaves with the first statement, and the
   * journal with COMMIT. Runs the callback again when the transaction lost a race against another, or its connection before the commit;
   * so the callback must have no effect outside of the transaction.
   */
  write<T>(caller: CallerIdentity, callback: WriteCallback<T>, options?: WriteOptions): Promise<T>;
  /** Waits for all reads and writes under way, also for those whose client has disconnected or got a 503 already. */
  settled(): Promise<void>;
}

const noQueue: Enqueue = async () => {
  throw new Error('this unit of work was created without a queue and cannot queue a job');
};

const noRooms: StoreNotices = () => {
  throw new Error('this unit of work was created without rooms and cannot send a notice');
};

/**
 * @param reactions run in the transaction of each write, before its journal is written
 * @param shares of practices, for the reads and writes of requests. Jobs and commands wait for nobody, and a carrier's report is refused
 *   to nobody: it may not come again
 */
export function createUnitOfWork(
  database: Database,
  enqueue = noQueue,
  reactions: Reactions = {},
  { storeNotices = noRooms, shares }: { storeNotices?: StoreNotices; shares?: PracticeShares } = {},
): UnitOfWork {
  const { prisma, pool } = database;
  const writeAudit = createAuditWriter(pool);
  const running = createCounter();
  const chooseShares = ({ requestId, actor }: CallerIdentity) => (requestId === null || actor === 'carrier' ? undefined : shares);

  async function read<T>(identity: CallerIdentity, callback: ReadCallback<T>): Promise<T> {
    const tx = txOf(prisma, { ...identity, journal: emptyJournal() });
    const result = await callback(tx);
    const { notices, audits } = tx.journal;
    if (notices.length > 0) throw new Error('a read has a notice for a room');
    if (audits.length > 0) await writeAudit(audits.map((entry) => auditRow(tx, entry)));
    return result;
  }

  // Both await instead of passing a promise on, so that an error's stack shows who called.
  return {
    async read(identity, callback) {
      running.increment();
      try {
        const turn = chooseShares(identity)?.enter(identity.organizationId);
        if (turn) await turn;
        try {
          return await retryOnConnectionLoss(() => read(identity, callback));
        } finally {
          chooseShares(identity)?.leave(identity.organizationId);
        }
      } finally {
        running.decrement();
      }
    },
    async write(identity, callback, options = {}) {
      running.increment();
      try {
        const turn = chooseShares(identity)?.enter(identity.organizationId);
        if (turn) await turn;
        try {
          // The caller of a request that waited too long has its answer.
          if (turn && options.signal?.aborted) throw unavailable('The service did not answer in time. Try again in a moment.');
          return await attemptUntilWon(options, (attempt) => {
            const caller = { ...identity, journal: emptyJournal() };
            return inDbTransaction(database, (tx) => writeIn(tx, { enqueue, reactions, storeNotices }, caller, callback, attempt), attempt);
          });
        } finally {
          chooseShares(identity)?.leave(identity.organizationId);
        }
      } finally {
        running.decrement();
      }
    },
    settled: running.zero,
  };
}

interface Consequences {
  enqueue: Enqueue;
  reactions: Reactions;
  storeNotices: StoreNotices;
}

/** The write, from BEGIN to COMMIT. */
async function writeIn<T>(
  { db, sendFirst, keep, commit }: DbTransaction,
  { enqueue, reactions, storeNotices }: Consequences,
  caller: Caller,
  callback: WriteCallback<T>,
  { first, beforeCommit }: Attempt,
): Promise<T> {
  const tx = txOf(db, caller);
  const claimed = first && sendFirst((prepared) => first({ ...tx, ...inPractice(db, tx.organizationId, prepared) }));
  const result = await callback(tx).catch(async (error: unknown) => {
    await claimed;
    throw error;
  });
  await claimed;
  await react(reactions, tx);
  const { jobs, notices } = tx.journal;
  if (jobs.length > 0) await enqueue(tx, jobs);
  if (notices.length > 0) storeNotices(db, notices);
  keep(writeJournal(tx));
  beforeCommit();
  await commit();
  return result;
}

/** A reaction to the events that change one of these fields. */
export const onChangeOf =
  (fields: readonly string[], reaction: Reaction): Reaction =>
  async (tx, event) => {
    if (event.changed?.some((field) => fields.includes(field))) await reaction(tx, event);
  };

/** Runs the reactions to the events of a journal. */
async function react(reactions: Reactions, tx: Tx): Promise<void> {
  // An array's iterator also comes to what is appended on the way.
  for (const event of tx.journal.events) {
    for (const reaction of reactions[event.name] ?? []) await reaction(tx, event);
  }
}

/** A count of what is under way, that can be waited for to reach zero. */
function createCounter() {
  let count = 0;
  const waiting: (() => void)[] = [];
  return {
    increment(): void {
      count += 1;
    },
    decrement(): void {
      count -= 1;
      if (count === 0) for (const resolve of waiting.splice(0)) resolve();
    },
    async zero(): Promise<void> {
      while (count > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

interface Attempt extends WriteOptions {
  /** To be called immediately before the commit. @throws Failure unavailable after the signal of WriteOptions was aborted */
  beforeCommit(): void;
}

const ATTEMPTS = 4;

/** @throws what the last attempt threw; Failure unavailable where all attempts lost against others */
async function attemptUntilWon<T>(options: WriteOptions, run: (attempt: Attempt) => Promise<T>): Promise<T> {
  const { signal } = options;
  for (let count = 1; ; count += 1) {
    let committing = false;
    const beforeCommit = () => {
      if (signal?.aborted) throw unavailable('This took too long and was cancelled. Try again in a moment.');
      committing = true;
    };
    try {
      return await run({ ...options, beforeCommit });
    } catch (error) {
      const isRetryable = lostRace(error) || (isConnectionLost(error) && !committing);
      if (!isRetryable || signal?.aborted) throw error;
      if (count === ATTEMPTS) throw isContended(error) ? contended(error) : error;
    }
    // Transactions that met once should not meet again.
    await sleep(Math.random() * 20 * 2 ** count);
  }
}

const contended = (error: unknown) => unavailable('Others are changing this at the same time. Try again in a moment.', error);

/** A serialization failure or a deadlock: each of the transactions would have succeeded alone. */
const isContended = (error: unknown): boolean => ['40001', '40P01', 'P2034'].includes(databaseErrorCode(error) ?? '');

/**
 * Another transaction was first: the two were contended, or the other stored a row between this one's check and its write
 * (unique 23505, exclusion 23P01), or deleted one that this one refers to (foreign key 23503). The next attempt sees that and
 * fails with a message.
 */
const lostRace = (error: unknown): boolean => isContended(error) || ['23503', '23505', '23P01'].includes(databaseErrorCode(error) ?? '');
