import type { QueryResultRow } from 'pg';
import type { Prepared, Statement } from '../../database/statement.ts';
import type { Caller } from '../caller.ts';
import type { JournaledStatement, KeyedWrite } from './journaled-statement.ts';

/**
 * A write that is first tried optimistically: one statement, sent without reading anything before, writes the rows and the
 * journal if its assumptions hold, and nothing otherwise. Where they do not hold, the write is made in a transaction that
 * checks them first. The unit of work chooses.
 */
export interface OptimisticWrite<T> {
  /** The statement to try first, with its events and audit row in the caller's journal; null where there is none. */
  plan(context: PlanContext, caller: Caller): Promise<WritePlan<T> | null>;
  /** The same in a transaction, after reading and locking the rows that the write depends on. @throws Failure */
  check(tx: Prepared, caller: Caller): Promise<WritePlan<T>>;
}

export interface PlanContext {
  /**
   * An id for a new row, drawn together with those of other requests.
   * @param ids draws ids from a sequence; its one value is how many
   */
  nextId(ids: Statement<{ id: number }>): Promise<number>;
}

/** The last statement of a write, and its result. */
export type WritePlan<T> = InsertPlan<T> | UpdatePlan<T> | Unchanged<T>;

/** The result is known before the statement is sent, so that a response can be stored with it under an idempotency key. */
interface InsertPlan<T> {
  kind: 'insert';
  write: KeyedWrite;
  /** The values after those of the journal. */
  values: readonly unknown[];
  result: T;
}

/** The result is read from the row that the statement returns. */
interface UpdatePlan<T> {
  kind: 'update';
  /** @returns null where the statement wrote nothing */
  run(execute: ExecuteWrite): Promise<T | null>;
}

/** Nothing is written but the journal. */
interface Unchanged<T> {
  kind: 'unchanged';
  result: T;
}

/** Sends a statement with the values of the journal before its own; undefined where it wrote nothing. */
export type ExecuteWrite = <R extends QueryResultRow>(write: JournaledStatement<R>, values: readonly unknown[]) => Promise<R | undefined>;

export const planInsert = <T>(write: KeyedWrite, values: readonly unknown[], result: T): InsertPlan<T> => ({
  kind: 'insert',
  write,
  values,
  result,
});

export const planUpdate = <R extends QueryResultRow, T>(
  write: JournaledStatement<R>,
  values: readonly unknown[],
  resultOf: (row: R) => T,
): UpdatePlan<T> => ({
  kind: 'update',
  async run(execute) {
    const row = await execute(write, values);
    return row === undefined ? null : resultOf(row);
  },
});

export const unchanged = <T>(result: T): Unchanged<T> => ({ kind: 'unchanged', result });

/** The same plan with another result. */
export function mapPlan<T, U>(plan: WritePlan<T>, map: (result: T) => U): WritePlan<U> {
  if (plan.kind !== 'update') return { ...plan, result: map(plan.result) };
  return {
    kind: 'update',
    async run(execute) {
      const result = await plan.run(execute);
      return result === null ? null : map(result);
    },
  };
}

/** The same write with another result. */
export const mapWrite = <T, U>(write: OptimisticWrite<T>, map: (result: T) => U): OptimisticWrite<U> => ({
  async plan(context, caller) {
    const plan = await write.plan(context, caller);
    return plan && mapPlan(plan, map);
  },
  check: async (tx, caller) => mapPlan(await write.check(tx, caller), map),
});
