import type { PoolClient } from 'pg';
import { createPrepared, type Prepared, type Statement, statement } from './reads/statement.ts';

/** A transaction past Prisma, on one connection. */
export interface DirectTransaction extends Prepared {
  /** Sends a write whose rows nobody needs, and does not wait for it: should it fail, nothing is committed. */
  send(write: Statement<never>, values: readonly unknown[]): void;
}

const BEGIN = statement<never>('begin', 'BEGIN');
const BEGIN_REPEATABLE = statement<never>('begin_repeatable', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
const COMMIT = statement<never>('commit', 'COMMIT');

/**
 * Runs a job between BEGIN and COMMIT. Statements that are made in one turn of the loop leave in one write to the socket,
 * which costs more than most of them: so BEGIN goes with the first question, and COMMIT with what was sent last.
 * @param finish sends what belongs before the commit; the last that may throw
 */
export async function runDirectly<T>(
  client: PoolClient,
  repeatable: boolean,
  job: (tx: DirectTransaction) => Promise<T>,
  finish: (tx: DirectTransaction) => void,
): Promise<T> {
  const sent: Promise<unknown>[] = [];
  const { rows } = createPrepared(client);
  const tx: DirectTransaction = {
    rows: (read, values) => {
      holdTurn(client);
      return rows(read, values);
    },
    send(write, values) {
      const done = tx.rows(write, values);
      // It is awaited below, and may fail before.
      done.catch(() => {});
      sent.push(done);
    },
  };
  tx.send(repeatable ? BEGIN_REPEATABLE : BEGIN, []);
  const result = await job(tx);
  finish(tx);
  tx.send(COMMIT, []);
  await Promise.all(sent);
  return result;
}

/** Keeps what is written to the database until this turn of the loop ends. */
function holdTurn({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
