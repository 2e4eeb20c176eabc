import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Db } from '../database.ts';
import { createAuditWriter } from './audit-writer.ts';
import type { Caller, CallerIdentity } from './caller.ts';
import { databaseErrorCode, isConnectionLost } from './database-errors.ts';
import { unavailable } from './errors.ts';
import { emptyJournal, type NewJob } from './journal.ts';
import { onceMore } from './once-more.ts';
import { createPrepared, type Prepared } from './reads/statement.ts';
import { auditRow, writeJournal } from './recording.ts';

type Job<T> = (db: Db, caller: Caller) => Promise<T>;
/** Reading happens outside of a transaction; hot reads go past Prisma. */
type ReadingJob<T> = (db: Db, caller: Caller, prepared: Prepared) => Promise<T>;

export interface WriteOptions {
  /** The job sees one state of the database throughout, for If-Match. */
  repeatable?: boolean;
  /** Once aborted, nothing is committed any more: whoever asked was told that it did not happen. */
  signal?: AbortSignal;
}

/** The two ways to work: every handler, command and job goes through one of them. */
export interface Work {
  /**
   * Reads. Its audit rows are on disk before it answers; what cannot be audited is not answered. Runs the job once more
   * when the connection was lost.
   */
  read<T>(caller: CallerIdentity, job: ReadingJob<T>): Promise<T>;
  /**
   * One transaction with its rows, events, audit rows and kept answer: all or nothing. Runs the job anew when the
   * transaction lost a race against another, or its connection before it could commit; so the job must have no effect
   * outside the transaction.
   */
  write<T>(caller: CallerIdentity, job: Job<T>, options?: WriteOptions): Promise<T>;
  /** Waits for all that is under way, also for what nobody waits for any more. */
  settled(): Promise<void>;
}

const ATTEMPTS = 4;

/** Puts jobs into their queues, in the transaction that is given. */
export type Enqueue = (tx: Db, organizationId: number, jobs: readonly NewJob[]) => Promise<void>;

const noQueue: Enqueue = async () => {
  throw new Error('this work was made without a queue, and has a job for one');
};

export function createWork({ prisma, pool }: Database, enqueue = noQueue): Work {
  const writeAudit = createAuditWriter(pool);
  const prepared = createPrepared(pool);
  const underWay = new Set<Promise<unknown>>();

  function follow<T>(work: Promise<T>): Promise<T> {
    const end = work.catch(() => {}).finally(() => underWay.delete(end));
    underWay.add(end);
    return work;
  }

  async function read<T>(identity: CallerIdentity, job: ReadingJob<T>): Promise<T> {
    const caller = { ...identity, journal: emptyJournal() };
    const result = await job(prisma, caller, prepared);
    if (caller.journal.audits.length > 0) await writeAudit(caller.journal.audits.map((entry) => auditRow(caller, entry)));
    return result;
  }

  return {
    read: (identity, job) => follow(onceMore(() => read(identity, job))),
    write: (identity, job, options = {}) => follow(write({ prisma, enqueue }, identity, job, options)),
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

async function write<T>(
  { prisma, enqueue }: { prisma: Database['prisma']; enqueue: Enqueue },
  identity: CallerIdentity,
  job: Job<T>,
  { repeatable, signal }: WriteOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const caller = { ...identity, journal: emptyJournal() };
    let committing = false;
    try {
      return await prisma.$transaction(
        async (tx) => {
          const result = await job(tx, caller);
          await writeJournal(tx, caller);
          if (caller.journal.jobs.length > 0) await enqueue(tx, caller.organizationId, caller.journal.jobs);
          if (signal?.aborted) throw unavailable('This took too long and was not done. Try again in a moment.');
          committing = true;
          return result;
        },
        { isolationLevel: repeatable ? 'RepeatableRead' : 'ReadCommitted' },
      );
    } catch (error) {
      const again = lostRace(error) || (isConnectionLost(error) && !committing);
      if (!again || signal?.aborted) throw error;
      if (attempt === ATTEMPTS)
        throw isContended(error) ? unavailable('Others are changing this at the same time. Try again in a moment.', error) : error;
      // Those who met once should not meet again.
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** A serialization failure or a deadlock: each of the transactions would have been right alone. */
function isContended(error: unknown): boolean {
  return ['40001', '40P01', 'P2034'].includes(databaseErrorCode(error) ?? '');
}

/**
 * Another transaction won: the two were in each other's way, or it stored a row between this one's check and its write
 * (unique 23505, exclusion 23P01). Run again, the check sees that row and answers in words.
 */
function lostRace(error: unknown): boolean {
  return isContended(error) || ['23505', '23P01'].includes(databaseErrorCode(error) ?? '');
}
