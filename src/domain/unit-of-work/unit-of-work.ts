import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Db } from '../../database/database.ts';
import { createNodeWatch, type NodeWatch } from '../../database/distribution/node-watch.ts';
import { databaseErrorCode, isConnectionLost, isNodeDown } from '../../database/errors.ts';
import { retryOnConnectionLoss } from '../../database/retry-on-connection-loss.ts';
import { createPrepared, type Prepared, type Statement } from '../../database/statement.ts';
import { auditRow } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { unavailable } from '../errors.ts';
import { emptyJournal } from '../journal.ts';
import { createAuditWriter } from './audit-writer.ts';
import { createIdAllocator } from './id-allocator.ts';
import type { OptimisticWrite, PlanContext } from './optimistic-write.ts';
import type { Reactions } from './reactions.ts';
import {
  type Attempt,
  type Enqueue,
  type Outcome,
  type StoreNotices,
  type TransactionCallback,
  writeOptimistically,
  writeWithPrisma,
} from './write-strategies.ts';

export type { Enqueue };

/** Reads outside of a transaction; frequent reads use `prepared` instead of Prisma. */
type ReadCallback<T> = (db: Db, caller: Caller, prepared: Prepared) => Promise<T>;

export interface WriteOptions {
  /**
   * Runs the transaction at the isolation level REPEATABLE READ instead of READ COMMITTED: the callback sees one state of the
   * database throughout. For If-Match, whose comparison must hold for the write that follows.
   */
  repeatable?: boolean;
  /** Once aborted, nothing is committed: the client got a 503, which says that the write did not happen. */
  signal?: AbortSignal;
}

/** Reads and writes of every request, command and worker job, each with its audit. */
export interface UnitOfWork {
  /**
   * Reads. Resolves when its audit rows are stored; a read that cannot be audited fails. Runs the callback once more when
   * the connection was lost.
   */
  read<T>(caller: CallerIdentity, callback: ReadCallback<T>): Promise<T>;
  /**
   * One transaction with its rows, events, audit rows and stored response: all or nothing. Runs the callback again
   * when the transaction lost a race against another, its connection before the commit, or a node of a cluster; so the callback must have no effect
   * outside of the transaction.
   * @param write a callback that runs in a transaction of Prisma; or an optimistic write, which is sent as one statement first,
   *   and where that wrote nothing, is made in a transaction with checks. An optimistic write cannot queue jobs for the worker
   */
  write<T>(caller: CallerIdentity, write: TransactionCallback<T> | OptimisticWrite<T>, options?: WriteOptions): Promise<T>;
  /** Waits for all reads and writes under way, also for those whose client has disconnected or got a 503 already. */
  settled(): Promise<void>;
}

const noQueue: Enqueue = async () => {
  throw new Error('this unit of work was created without a queue and cannot queue a job');
};

/** The prepared statements as a caller of reads sends them. */
type PreparedForCaller = (prepared: Prepared, caller: CallerIdentity) => Prepared;

const noRooms: StoreNotices = async () => {
  throw new Error('this unit of work was created without rooms and cannot send a notice');
};

/** @param reactions run in the transaction of each write, before its journal is written */
export function createUnitOfWork(
  { prisma, pool }: Database,
  enqueue = noQueue,
  reactions: Reactions = {},
  preparedFor: PreparedForCaller = (prepared) => prepared,
  storeNotices = noRooms,
): UnitOfWork {
  const writeAudit = createAuditWriter(pool);
  const prepared = createPrepared(pool);
  const context = createPlanContext(prepared);
  const running = createCounter();
  const nodes = createNodeWatch(pool);

  async function read<T>(identity: CallerIdentity, callback: ReadCallback<T>): Promise<T> {
    const caller = { ...identity, journal: emptyJournal() };
    const result = await callback(prisma, caller, preparedFor(prepared, identity));
    if (caller.journal.notices.length > 0) throw new Error('a read has a notice for a room');
    if (caller.journal.audits.length > 0) await writeAudit(caller.journal.audits.map((entry) => auditRow(caller, entry)));
    return result;
  }

  // Both await instead of passing a promise on, so that an error's stack shows who called.
  return {
    async read(identity, callback) {
      running.increment();
      try {
        return await retryOnConnectionLoss(() => read(identity, callback));
      } finally {
        running.decrement();
      }
    },
    async write<T>(identity: CallerIdentity, write: TransactionCallback<T> | OptimisticWrite<T>, options: WriteOptions = {}): Promise<T> {
      running.increment();
      try {
        return await attempt<T>(identity, options, nodes, (one) =>
          typeof write === 'function'
            ? writeWithPrisma({ prisma, enqueue, storeNotices, reactions }, write, one)
            : writeOptimistically({ pool, context, reactions }, write, one),
        );
      } finally {
        running.decrement();
      }
    },
    settled: running.zero,
  };
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

/** One allocator for each statement that draws ids. */
function createPlanContext(prepared: Prepared): PlanContext {
  const allocators = new Map<Statement<{ id: number }>, () => Promise<number>>();
  return {
    nextId(ids) {
      const known = allocators.get(ids);
      if (known) return known();
      const allocator = createIdAllocator((count) => prepared.rows(ids, [count]));
      allocators.set(ids, allocator);
      return allocator();
    },
  };
}

const ATTEMPTS = 4;

/** @throws what the last attempt threw; Failure unavailable where all attempts lost against others */
async function attempt<T>(
  identity: CallerIdentity,
  { repeatable = false, signal }: WriteOptions,
  nodes: NodeWatch,
  run: (attempt: Attempt) => Promise<Outcome<T>>,
): Promise<T> {
  let apart = nodes.isOneDown();
  for (let count = 1; ; count += 1) {
    let committing = false;
    let conflict: unknown = null;
    const beforeCommit = () => {
      if (signal?.aborted) throw unavailable('This took too long and was not done. Try again in a moment.');
      committing = true;
    };
    try {
      const outcome = await run({
        caller: { ...identity, journal: emptyJournal() },
        repeatable,
        isFirst: count === 1,
        apart,
        beforeCommit,
      });
      if (outcome) return outcome.result;
      if (count === 1) continue;
    } catch (error) {
      nodes.note(error);
      const nodeDown = isNodeDown(error);
      apart ||= nodeDown;
      const isRetryable = lostRace(error) || nodeDown || (isConnectionLost(error) && !committing);
      if (!isRetryable || signal?.aborted) throw error;
      conflict = error;
    }
    if (count === ATTEMPTS) throw exhausted(conflict);
    // Transactions that met once should not meet again.
    await sleep(Math.random() * 20 * 2 ** count);
  }
}

/** @param conflict null where the last attempt wrote nothing */
function exhausted(conflict: unknown): unknown {
  if (conflict !== null && !isContended(conflict)) return conflict;
  return unavailable('Others are changing this at the same time. Try again in a moment.', conflict ?? undefined);
}

/** A serialization failure or a deadlock: each of the transactions would have succeeded alone. */
const isContended = (error: unknown): boolean => ['40001', '40P01', 'P2034'].includes(databaseErrorCode(error) ?? '');

/**
 * Another transaction was first: the two were contended, or the other stored a row between this one's check and its write
 * (unique 23505, exclusion 23P01), or deleted one that this one refers to (foreign key 23503). The next attempt sees that and
 * fails with a message.
 */
const lostRace = (error: unknown): boolean => isContended(error) || ['23503', '23505', '23P01'].includes(databaseErrorCode(error) ?? '');
