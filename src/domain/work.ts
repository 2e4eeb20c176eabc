import type { Database, Db } from '../database.ts';
import { createAuditWriter } from './audit-writer.ts';
import type { Caller, CallerIdentity } from './caller.ts';
import { databaseErrorCode } from './database-errors.ts';
import { auditRow, emptyJournal, writeJournal } from './journal.ts';

type Job<T> = (db: Db, caller: Caller) => Promise<T>;

/** The two ways to work: every handler, command and job goes through one of them. */
export interface Work {
  /** Reads. Its audit rows are on disk before it answers; what cannot be audited is not answered. */
  read<T>(caller: CallerIdentity, job: Job<T>): Promise<T>;
  /**
   * One transaction with its rows, events, audit rows and kept answer: all or nothing. Runs the job anew when the
   * transaction lost a race against another, so the job must have no effect outside the transaction.
   * @param options.repeatable sees one state of the database throughout, for If-Match
   */
  write<T>(caller: CallerIdentity, job: Job<T>, options?: { repeatable?: boolean }): Promise<T>;
}

const ATTEMPTS = 4;

export function createWork({ prisma, pool }: Database): Work {
  const writeAudit = createAuditWriter(pool);
  return {
    async read(identity, job) {
      const caller = { ...identity, journal: emptyJournal() };
      const result = await job(prisma, caller);
      if (caller.journal.audits.length > 0) await writeAudit(caller.journal.audits.map((entry) => auditRow(caller, entry)));
      return result;
    },
    async write(identity, job, { repeatable = false } = {}) {
      for (let attempt = 1; ; attempt += 1) {
        const caller = { ...identity, journal: emptyJournal() };
        try {
          return await prisma.$transaction(
            async (tx) => {
              const result = await job(tx, caller);
              await writeJournal(tx, caller);
              return result;
            },
            { isolationLevel: repeatable ? 'RepeatableRead' : 'ReadCommitted' },
          );
        } catch (error) {
          if (attempt === ATTEMPTS || !lostRace(error)) throw error;
        }
      }
    },
  };
}

/**
 * Another transaction won: a serialization failure, a deadlock, or a row that it stored between this one's check and
 * its write (unique 23505, exclusion 23P01). Run again, the check sees that row and answers in words.
 */
function lostRace(error: unknown): boolean {
  return ['40001', '40P01', 'P2034', '23505', '23P01'].includes(databaseErrorCode(error) ?? '');
}
