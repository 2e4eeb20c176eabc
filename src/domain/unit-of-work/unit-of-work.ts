import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Database, Db } from '../../database/database.ts';
import { databaseErrorCode, isConnectionLost } from '../../database/errors.ts';
import { retryOnConnectionLoss } from '../../database/retry-on-connection-loss.ts';
import { createPrepared, type Prepared } from '../../database/statement.ts';
import { emptyJournal, isEmpty, type NewJob } from '../audit/journal.ts';
import { auditRow, valuesOf, writeJournal } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { unavailable } from '../errors.ts';
import { PATIENT_IDS } from '../patients/registration.sql.ts';
import { createAuditWriter } from './audit-writer.ts';
import { createIdAllocator } from './id-allocator.ts';
import { valuesWithWrite } from './journaled-statement.ts';
import { type DirectTransaction, type Journaling, NotAtOnce, runAtOnce, runWithCare } from './optimistic-write.ts';

type Job<T> = (db: Db, caller: Caller) => Promise<T>;
type DirectJob<T> = (tx: DirectTransaction, caller: Caller) => Promise<T>;
/** Reading happens outside of a transaction; hot reads go past Prisma. */
type ReadingJob<T> = (db: Db, caller: Caller, prepared: Prepared) => Promise<T>;

export interface WriteOptions {
  /** The job sees one state of the database throughout, for If-Match. */
  repeatable?: boolean;
  /** Once aborted, nothing is committed any more: whoever asked was told that it did not happen. */
  signal?: AbortSignal;
}

/** The ways to work: every handler, command and job goes through one of them. */
export interface UnitOfWork {
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
  /** As `write`, past Prisma, for the few writes that many wait for at once; its job puts nothing into a queue. */
  writeDirectly<T>(caller: CallerIdentity, job: DirectJob<T>, options?: WriteOptions): Promise<T>;
  /** Waits for all that is under way, also for what nobody waits for any more. */
  settled(): Promise<void>;
}

const ATTEMPTS = 4;

/** Puts jobs into their queues, in the transaction that is given. */
export type Enqueue = (tx: Db, organizationId: number, jobs: readonly NewJob[]) => Promise<void>;

const noQueue: Enqueue = async () => {
  throw new Error('this work was made without a queue, and has a job for one');
};

export function createUnitOfWork({ prisma, pool }: Database, enqueue = noQueue): UnitOfWork {
  const writeAudit = createAuditWriter(pool);
  const prepared = createPrepared(pool);
  const patientId = createIdAllocator((count) => prepared.rows(PATIENT_IDS, [count]));
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
    read: (identity, job) => follow(retryOnConnectionLoss(() => read(identity, job))),
    write: (identity, job, options = {}) => follow(write(identity, options, (attempt) => inPrisma({ prisma, enqueue }, job, attempt))),
    writeDirectly: (identity, job, options = {}) =>
      follow(write(identity, options, (attempt) => directly({ pool, patientId }, job, attempt))),
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** One try at a write. */
interface Attempt {
  caller: Caller;
  repeatable: boolean;
  /** Not the first. */
  anew: boolean;
  /** Called when all is done but the commit. @throws Failure where nobody waits for it any more */
  complete(): void;
}

async function write<T>(
  identity: CallerIdentity,
  { repeatable = false, signal }: WriteOptions,
  transaction: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let committing = false;
    const complete = () => {
      if (signal?.aborted) throw unavailable('This took too long and was not done. Try again in a moment.');
      committing = true;
    };
    try {
      return await transaction({ caller: { ...identity, journal: emptyJournal() }, repeatable, anew: attempt > 1, complete });
    } catch (error) {
      if (error instanceof NotAtOnce && attempt === 1) continue;
      const again = lostRace(error) || (isConnectionLost(error) && !committing);
      if (!again || signal?.aborted) throw error;
      if (attempt === ATTEMPTS)
        throw isContended(error) ? unavailable('Others are changing this at the same time. Try again in a moment.', error) : error;
      // Those who met once should not meet again.
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

function inPrisma<T>(
  { prisma, enqueue }: { prisma: Database['prisma']; enqueue: Enqueue },
  job: Job<T>,
  { caller, repeatable, complete }: Attempt,
): Promise<T> {
  return prisma.$transaction(
    async (tx) => {
      const result = await job(tx, caller);
      await writeJournal(tx, caller);
      if (caller.journal.jobs.length > 0) await enqueue(tx, caller.organizationId, caller.journal.jobs);
      complete();
      return result;
    },
    { isolationLevel: repeatable ? 'RepeatableRead' : 'ReadCommitted' },
  );
}

/** At once, and with care where that was not to be. */
async function directly<T>(
  { pool, patientId }: { pool: Pool; patientId: () => Promise<number> },
  job: DirectJob<T>,
  { caller, complete, repeatable, anew }: Attempt,
): Promise<T> {
  const journal: Journaling = {
    empty: () => isEmpty(caller.journal),
    keyed: () => caller.journal.answer !== null,
    withWrite() {
      complete();
      const values = valuesWithWrite(caller);
      caller.journal = emptyJournal();
      return values;
    },
    alone() {
      if (caller.journal.jobs.length > 0) throw new Error('a direct write has a job for a queue');
      complete();
      return valuesOf(caller);
    },
  };
  const work = (tx: DirectTransaction) => job(tx, caller);
  if (!anew && !repeatable) return runAtOnce(pool, patientId, journal, work);
  return runWithCare(pool, repeatable, journal, work);
}

/** A serialization failure or a deadlock: each of the transactions would have been right alone. */
function isContended(error: unknown): boolean {
  return error instanceof NotAtOnce || ['40001', '40P01', 'P2034'].includes(databaseErrorCode(error) ?? '');
}

/**
 * Another transaction won: the two were in each other's way, or it stored a row between this one's check and its write
 * (unique 23505, exclusion 23P01) or took one away (foreign key 23503). Run again, the check sees that and answers in words.
 */
function lostRace(error: unknown): boolean {
  return isContended(error) || ['23503', '23505', '23P01'].includes(databaseErrorCode(error) ?? '');
}
