import type { Pool } from 'pg';
import type { Database, Db } from '../../database/database.ts';
import { createPrepared, type Prepared, type Statement } from '../../database/statement.ts';
import { JOURNAL, valuesOf, writeJournal } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { emptyJournal, isEmpty, type NewJob, type NewNotice } from '../journal.ts';
import { readsBeforeWrite, valuesWithWrite, writeApart } from './journaled-statement.ts';
import type { ExecuteWrite, OptimisticWrite, PlanContext, WritePlan } from './optimistic-write.ts';
import { type Reactions, react, refuseReactions } from './reactions.ts';
import { inTransaction, onConnection } from './transaction.ts';

/** One attempt at a write. */
export interface Attempt {
  caller: Caller;
  /** At REPEATABLE READ: one state of the database throughout. */
  repeatable: boolean;
  isFirst: boolean;
  /** A node of the cluster was found down: the write is made in parts, which reach no node of others. */
  apart: boolean;
  /** To be called immediately before the commit. @throws Failure unavailable after the signal of WriteOptions was aborted */
  beforeCommit(): void;
}

/** The result of an attempt; null where an assumption of its statement did not hold, and nothing was written. */
export type Outcome<T> = { result: T } | null;

/** Makes a write in the given transaction; its events, audit rows and jobs go to the caller's journal. */
export type TransactionCallback<T> = (db: Db, caller: Caller) => Promise<T>;

/** Puts jobs into their queues, in the given transaction. */
export type Enqueue = (tx: Db, organizationId: number, jobs: readonly NewJob[]) => Promise<void>;

/** Stores notices in the given transaction, whose commit sends them. */
export type StoreNotices = (tx: Db, notices: readonly NewNotice[]) => Promise<void>;

interface PrismaWriter {
  prisma: Database['prisma'];
  enqueue: Enqueue;
  storeNotices: StoreNotices;
  reactions: Reactions;
}

/** Runs a callback in a transaction of Prisma, then the reactions to its events, and writes its journal there. */
export async function writeWithPrisma<T>(
  { prisma, enqueue, storeNotices, reactions }: PrismaWriter,
  callback: TransactionCallback<T>,
  { caller, repeatable, beforeCommit }: Attempt,
): Promise<Outcome<T>> {
  return prisma.$transaction(
    async (tx) => {
      const result = await callback(tx, caller);
      await react(reactions, tx, caller);
      await writeJournal(tx, caller);
      if (caller.journal.jobs.length > 0) await enqueue(tx, caller.organizationId, caller.journal.jobs);
      if (caller.journal.notices.length > 0) await storeNotices(tx, caller.journal.notices);
      beforeCommit();
      return { result };
    },
    { isolationLevel: repeatable ? 'RepeatableRead' : 'ReadCommitted' },
  );
}

/** Tries the one statement of a write; after that failed, for one state of the database, and in parts, makes the write in a transaction. */
export async function writeOptimistically<T>(
  { pool, context, reactions }: { pool: Pool; context: PlanContext; reactions: Reactions },
  write: OptimisticWrite<T>,
  attempt: Attempt,
): Promise<Outcome<T>> {
  const { caller, repeatable, isFirst, apart } = attempt;
  if (!isFirst || repeatable || apart) {
    const check = async (tx: Prepared) => {
      const plan = await write.check(tx, caller);
      refuseReactions(reactions, caller);
      return apart ? executeApart(plan, attempt, tx) : execute(plan, attempt, (query, values) => tx.rows(query, values()));
    };
    return inTransaction(pool, check, { repeatable });
  }
  const plan = await write.plan(context, caller);
  refuseReactions(reactions, caller);
  return plan && execute(plan, attempt, (query, values) => onConnection(pool, (client) => createPrepared(client).rows(query, values())));
}

/** Sends a statement. Its values are taken once there is a connection: until then, nothing is about to be committed. */
type Send = <R extends object>(query: Statement<R>, values: () => readonly unknown[]) => Promise<R[]>;

async function execute<T>(plan: WritePlan<T>, { caller, beforeCommit }: Attempt, send: Send): Promise<Outcome<T>> {
  const reads = plan.kind === 'unchanged' ? [] : readsBeforeWrite(caller);
  if (reads.length > 0) await send(JOURNAL, () => valuesOf({ ...caller, journal: { ...emptyJournal(), audits: reads } }));
  const takeJournal = (): unknown[] => {
    beforeCommit();
    const values = valuesWithWrite(caller);
    caller.journal = emptyJournal();
    return values;
  };
  if (plan.kind === 'insert') {
    const { write, values, result } = plan;
    const [row] = await send(caller.journal.answer ? write.keyed : write.plain, () => [...takeJournal(), ...values]);
    return row ? { result } : null;
  }
  if (plan.kind === 'update') {
    const result = await plan.run(async (query, values) => (await send(query, () => [...takeJournal(), ...values]))[0]);
    if (!isEmpty(caller.journal)) throw new Error('the journal of an update was added to after its statement');
    return result === null ? null : { result };
  }
  if (caller.journal.jobs.length > 0) throw new Error('an optimistic write has a job for a queue');
  if (!isEmpty(caller.journal)) {
    await send(JOURNAL, () => {
      beforeCommit();
      return valuesOf(caller);
    });
  }
  return { result: plan.result };
}

/** The same in parts, in a transaction: the write, what follows from it, and the journal. */
async function executeApart<T>(plan: WritePlan<T>, { caller, beforeCommit }: Attempt, tx: Prepared): Promise<Outcome<T>> {
  const write: ExecuteWrite = (statement, values) => writeApart(tx, caller, statement, values);
  const outcome = await outcomeOf(plan, write);
  if (outcome === null) return null;
  if (!isEmpty(caller.journal)) await tx.rows(JOURNAL, valuesOf(caller));
  beforeCommit();
  return outcome;
}

async function outcomeOf<T>(plan: WritePlan<T>, write: ExecuteWrite): Promise<Outcome<T>> {
  if (plan.kind !== 'update') {
    const isWritten = plan.kind === 'unchanged' || (await write(plan.write.plain, plan.values)) !== undefined;
    return isWritten ? { result: plan.result } : null;
  }
  const result = await plan.run(write);
  return result === null ? null : { result };
}
