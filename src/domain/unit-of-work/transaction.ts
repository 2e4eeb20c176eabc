import type { Pool, PoolClient } from 'pg';
import { createPrepared, type Prepared, type Statement, statement } from '../../database/statement.ts';

const BEGIN = statement<never>('begin', 'BEGIN');
const BEGIN_REPEATABLE = statement<never>('begin_repeatable', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
const COMMIT = statement<never>('commit', 'COMMIT');

/**
 * Runs a job in a transaction on its own connection, past Prisma: commits when the job ends, rolls back when it throws.
 * @param options.repeatable isolation level REPEATABLE READ instead of READ COMMITTED
 */
export const inTransaction = <T>(pool: Pool, job: (tx: Prepared) => Promise<T>, { repeatable = false } = {}): Promise<T> =>
  onConnection(pool, (client) => commit(client, job, repeatable ? BEGIN_REPEATABLE : BEGIN));

/** The same on a connection that the caller has, and on which nothing else is sent meanwhile. */
export const transactionOn = <T>(client: PoolClient, job: (tx: Prepared) => Promise<T>): Promise<T> => commit(client, job, BEGIN);

/** Runs a job on its own connection, past Prisma. */
export async function onConnection<T>(pool: Pool, job: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await job(client);
  } finally {
    client.release();
  }
}

/** BEGIN is sent with the first statement: statements of one turn of the event loop leave in one write to the socket. */
async function commit<T>(client: PoolClient, job: (tx: Prepared) => Promise<T>, begin: Statement<never>): Promise<T> {
  const { rows } = createPrepared(client);
  const send: Prepared['rows'] = (query, values) => {
    corkUntilNextTick(client);
    return rows(query, values);
  };
  const begun = send(begin, []);
  // Not awaited here: where BEGIN fails, so does the statement after it.
  begun.catch(() => {});
  try {
    const result = await job({ rows: send });
    await Promise.all([begun, send(COMMIT, [])]);
    return result;
  } catch (error) {
    // If the rollback fails, the pool closes the connection (database.ts).
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Buffers writes to the database until this turn of the event loop ends: a write to the socket costs more than most statements. */
function corkUntilNextTick({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
