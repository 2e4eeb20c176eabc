import type { Pool, PoolClient } from 'pg';
import { sendThrough } from './connections/connection-client.ts';
import { shareSync } from './connections/shared-sync.ts';
import type { Database, Db } from './database.ts';
import { databaseErrorCode } from './errors.ts';
import { createPrepared, type Prepared, preparedIn, type Send, type Statement, setPrepared } from './statements/statement.ts';
import { sendQuery } from './statements/statement-query.ts';
import { timeStatement } from './statements/statement-times.ts';

const BEGIN = { name: 'begin', text: 'BEGIN', values: [] };
const BEGIN_REPEATABLE = { name: 'begin_repeatable', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ', values: [] };
const COMMIT = { name: 'commit', text: 'COMMIT', values: [] };
const ROLLBACK = { name: 'rollback', text: 'ROLLBACK', values: [] };

/** Of a statement after one that failed, in the same transaction. */
const FAILED_BEFORE = '25P02';

interface Options {
  /** Isolation level REPEATABLE READ instead of READ COMMITTED. */
  repeatable?: boolean;
  /** Milliseconds after which it sends no further statement. */
  timeout?: number;
}

/**
 * A transaction. Statements of one turn of the event loop leave together, BEGIN with the first and COMMIT with the last ones, and their
 * answers come in the same order.
 */
export interface Transaction {
  prepared: Prepared;
  /**
   * Sends what has to be known first, and may fail: the job waits for it before it commits. Statements after it leave with it, but nobody gets
   * their answers before its own, or where it fails.
   */
  sendFirst(ask: (prepared: Prepared) => Promise<void>): Promise<void>;
  /** Keeps the answer of a statement that nobody needs before the commit; where it is an error, the commit fails with it. */
  keep(answer: Promise<unknown>): void;
  /** @throws what an answer that was kept failed with; Error where another statement failed and the database rolled back */
  commit(): Promise<void>;
}

/** A transaction with Prisma's client for it. */
export interface DbTransaction extends Transaction {
  db: Db;
}

/** Runs a job in a transaction on its own connection, without Prisma: commits when the job ends, rolls back when it throws. */
export const inTransaction = <T>(pool: Pool, job: (prepared: Prepared) => Promise<T>, options: Options = {}): Promise<T> =>
  onConnection(pool, (client) => transactionOn(client, job, options));

/** The same on a connection that the caller has, and on which nothing else is sent meanwhile. */
export async function transactionOn<T>(client: PoolClient, job: (prepared: Prepared) => Promise<T>, options: Options = {}): Promise<T> {
  const tx = begin(client, options);
  try {
    const result = await job(tx.prepared);
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollBack();
    throw error;
  }
}

const transactionByClient = new WeakMap<Db, Transaction>();

/** Runs a job in a transaction with Prisma. The job commits; where it throws, the transaction is rolled back. */
export const inDbTransaction = <T>(database: Database, job: (tx: DbTransaction) => Promise<T>, options: Options = {}): Promise<T> =>
  onConnection(database.pool, async (client) => {
    // The client of this transaction alone: nothing that is left of it can write in the next one.
    const { proxy: db, revoke } = Proxy.revocable(await database.clientOn(client), {});
    const tx = begin(client, { timeout: database.transactionTimeout, ...options });
    const end = sendThrough(client, tx.send);
    setPrepared(db, tx.prepared);
    transactionByClient.set(db, tx);
    try {
      return await job({ ...tx, db });
    } catch (error) {
      await tx.rollBack();
      throw tx.findCause(error);
    } finally {
      end();
      revoke();
    }
  });

/**
 * Sends a write whose answer nobody needs: it leaves with the next statements, the commit at the latest.
 * @param db of a transaction of inDbTransaction
 */
export function sendLater(db: Db, write: Statement<never>, values: readonly unknown[]): void {
  const tx = transactionByClient.get(db);
  if (!tx) throw new Error('a write is sent later by a transaction of inDbTransaction');
  tx.keep(preparedIn(db).rows(write, values));
}

/** Runs a job on its own connection, without Prisma. */
export async function onConnection<T>(pool: Pool, job: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await job(client);
  } finally {
    client.release();
  }
}

interface Begun extends Transaction {
  send: Send;
  /** The failure of a kept statement, where a later statement failed because of it; else the error itself. */
  findCause(error: unknown): unknown;
  /** If this fails, the pool closes the connection (database.ts). */
  rollBack(): Promise<void>;
}

function begin(client: PoolClient, { repeatable = false, timeout }: Options): Begun {
  let hasEnded = false;
  const sendNow = sender(client, () => hasEnded, timeout);
  const kept: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const keep = (answer: Promise<unknown>) => {
    answer.catch((error: unknown) => failures.push(error));
    kept.push(answer);
  };
  let first: Promise<void> | null = null;
  const send: Send = (statement) => {
    const answer = sendNow(statement);
    if (first === null) return answer;
    answer.catch(() => {});
    return first.then(() => answer);
  };
  const control = (query: typeof BEGIN) => timeStatement(query, () => sendQuery(client, query));
  keep(sendNow(() => control(repeatable ? BEGIN_REPEATABLE : BEGIN)));
  return {
    send,
    prepared: createPrepared(client, send),
    keep,
    sendFirst(ask) {
      first = ask(createPrepared(client, sendNow)).then(() => {
        first = null;
      });
      first.catch(() => {});
      return first;
    },
    async commit() {
      const committed = sendNow(() => control(COMMIT));
      hasEnded = true;
      committed.catch(() => {});
      await Promise.all(kept);
      const { command } = await committed;
      if (command !== COMMIT.text) throw new Error('a statement of the transaction failed, and the database rolled it back');
    },
    findCause: (error) => (databaseErrorCode(error) === FAILED_BEFORE ? (failures[0] ?? error) : error),
    async rollBack() {
      hasEnded = true;
      await control(ROLLBACK).catch(() => {});
    },
  };
}

/** Sends statements until the transaction has ended, or its time is over. */
function sender(client: PoolClient, hasEnded: () => boolean, timeout = Number.POSITIVE_INFINITY): Send {
  const end = performance.now() + timeout;
  return (statement) => {
    if (hasEnded()) return Promise.reject(new Error('a statement was sent after its transaction had ended'));
    if (performance.now() > end) return Promise.reject(Object.assign(new Error('the transaction takes too long'), { code: '25P04' }));
    corkUntilNextTick(client);
    return statement();
  };
}

/** Buffers writes to the database until this turn of the event loop ends: a write to the socket costs more than most statements. */
function corkUntilNextTick({ connection }: PoolClient): void {
  const { stream } = connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  const sendSync = shareSync(connection);
  process.nextTick(() => {
    sendSync();
    stream.uncork();
  });
}
