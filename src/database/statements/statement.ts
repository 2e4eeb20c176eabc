import pg from 'pg';
import type { Prisma } from '../../generated/prisma/client.ts';
import { allPracticesComment } from './all-practices.ts';
import { type NamedQuery, sendQuery } from './statement-query.ts';
import { timeStatement } from './statement-times.ts';

/**
 * A prepared statement; `R` is a row as the driver returns it. Texts are constant: everything that differs between calls is a
 * parameter. Long ones are in files *.sql.ts, short ones beside their rule, and a test checks the plan of each.
 */
export interface Statement<R extends pg.QueryResultRow> {
  /** Names the statement on each connection, where it is planned once; empty where it is planned for its values at each call. */
  readonly name: string;
  readonly text: string;
  /** Has no value: it only carries the type `R`. */
  readonly row?: R;
}

/** Sends prepared statements, past Prisma, on the same pool or transaction. */
export interface Prepared {
  rows<R extends pg.QueryResultRow>(statement: Statement<R>, values: readonly unknown[]): Promise<R[]>;
}

/** Every statement that was made in this process, by its name. A test reads them. */
export const allStatements = new Map<string, Statement<pg.QueryResultRow>>();

interface StatementKind {
  /** The reason to go over the rows of all practices; left out where it names one as a parameter, as nearly all do. */
  overAllPractices?: string;
}

export function statement<R extends pg.QueryResultRow>(name: string, text: string, { overAllPractices }: StatementKind = {}): Statement<R> {
  const made: Statement<R> = { name, text: overAllPractices === undefined ? text : `${text} ${allPracticesComment(overAllPractices)}` };
  allStatements.set(name, made);
  return made;
}

/** A statement of too many forms to keep, which is planned for its values at each call. */
export const unnamed = <R extends pg.QueryResultRow>(text: string): Statement<R> => ({ name: '', text });

/** SQL that formats an instant in UTC: converting dates in JavaScript would cost a list more than its query. */
export const selectInstant = (instant: string) => `to_char(${instant}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Sends a statement, or refuses it. */
export type Send = <T>(send: () => Promise<T>) => Promise<T>;

/** Prepared statements on the pool, or on a connection. */
export function createPrepared(on: pg.Pool | pg.ClientBase, through: Send = (send) => send()): Prepared {
  const send = on instanceof pg.Pool ? sendOnPool.bind(null, on) : sendQuery.bind(null, on);
  const rows = async <R extends pg.QueryResultRow>({ name, text }: Statement<R>, values: readonly unknown[]): Promise<R[]> => {
    const query = { name, text, values: values.map(toParameter) };
    try {
      return (await through(() => timeStatement(query, () => send(query)))).rows;
    } catch (error) {
      // Its own stack leads to the socket.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  };
  return { rows };
}

async function sendOnPool(pool: pg.Pool, query: NamedQuery): Promise<pg.QueryResult> {
  const client = await pool.connect();
  try {
    const result = await sendQuery(client, query);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** The driver would write an instant in the zone of this process. */
const toParameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** The Prisma client or a transaction of it. */
export type Db = Prisma.TransactionClient;

const preparedByConnection = new WeakMap<Db, Prepared>();

/** Lets `preparedIn` find the prepared statements of a client or transaction of Prisma. */
export const setPrepared = (db: Db, prepared: Prepared): void => void preparedByConnection.set(db, prepared);

/**
 * Prepared statements where `db` sends its own: on the pool, or on the connection of a transaction, where they are pipelined and see its
 * rows. Statements of one turn of the event loop leave together, so send those that do not depend on each other before you await one.
 */
export const preparedIn = (db: Db): Prepared => preparedByConnection.get(db) ?? rawStatements(db);

/** In a transaction that Prisma began itself. */
const rawStatements = (db: Db): Prepared => ({
  rows: <R extends pg.QueryResultRow>({ text }: Statement<R>, values: readonly unknown[]) => db.$queryRawUnsafe<R[]>(text, ...values),
});
