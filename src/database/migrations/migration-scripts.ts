import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../config/start-errors.ts';
import { runInStage } from '../distribution/cluster-scripts.ts';

/** Milliseconds that a statement of a migration waits for a lock. The requests of running servers queue behind it for as long. */
const LOCK_WAIT_MS = 800;
/** Milliseconds from one try to the next, in which the requests that had queued go on. */
const PAUSE_MS = 1_200;
/** Tries in about four minutes. */
const TRIES = 120;

/** SQLSTATEs of a script that was rolled back for the sake of other transactions: lock_not_available, deadlock_detected. */
const IN_THE_WAY = ['55P03', '40P01'];

/** Classes of SQLSTATEs whose messages may quote stored values: data exceptions and violated constraints. */
const QUOTING = /^2[23]/;

interface Attempts {
  /** Receives a sentence for the operator. */
  notice: (sentence: string) => void;
  lockWaitMs?: number;
  pauseMs?: number;
  tries?: number;
}

/**
 * Runs the script of a migration as one transaction. Where it would have to wait for a lock, or others for it, it is rolled back and run
 * again, so that no request of a running server waits for longer than a moment.
 * @param connect opens a connection, which is closed after one try
 * @throws StartError where another transaction holds a lock for minutes; the error of PostgreSQL otherwise
 */
export async function runScript(
  connect: () => Promise<pg.PoolClient>,
  script: string,
  { notice, lockWaitMs = LOCK_WAIT_MS, pauseMs = PAUSE_MS, tries = TRIES }: Attempts,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(await connect(), (client) => runInStage(client, script, Math.floor(lockWaitMs)), notice);
    } catch (error) {
      if (!IN_THE_WAY.includes(readErrorCode(error))) throw error;
      if (attempt === tries)
        throw new StartError(`${HELD} SELECT pid, state, xact_start, query FROM pg_stat_activity ORDER BY xact_start`, { cause: error });
      if (attempt === 1) notice('A migration is waiting for a table that is in use, and retries until it is free.');
      await sleep(pauseMs);
    }
  }
}

const HELD = 'A migration was not applied because a table was in use for minutes. End the transaction that locks it:';

/** Milliseconds that an index that is built or dropped beside writers waits for transactions that began before; it holds up nobody. */
const OLD_TRANSACTIONS_MS = 10 * 60_000;

const CONCURRENTLY = /^(?:create (?:unique )?index|drop index) concurrently if (?:not )?exists ("?)(\w+)\1[^;]*;?$/i;

/**
 * The index that a migration builds or drops beside writers; null for one that does anything else. PostgreSQL does so outside of
 * transactions only, so the statement is all that stands in the script.
 */
export function concurrentIndex(script: string): string | null {
  const statement = script.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim();
  return CONCURRENTLY.exec(statement)?.[2] ?? null;
}

/**
 * Builds or drops an index while others read and write its table. What an earlier try left, which is incomplete, is dropped first.
 * @param connect opens a connection, which is closed in the end
 * @throws the error of PostgreSQL, after which it may be run again
 */
export async function runConcurrently(connect: () => Promise<pg.PoolClient>, script: string, index: string): Promise<void> {
  const client = await connect();
  try {
    await client.query(`SET lock_timeout = ${OLD_TRANSACTIONS_MS}`);
    const { rows } = await client.query<{ name: string }>(
      'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1)) AND NOT indisvalid',
      [index],
    );
    for (const { name } of rows) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
    await client.query(script);
  } finally {
    client.release(true);
  }
}

async function runOnce(client: pg.PoolClient, run: (client: pg.PoolClient) => Promise<void>, notice: Attempts['notice']): Promise<void> {
  // Only what a script raises itself; PostgreSQL also notes what it skips.
  client.on('notice', ({ routine, message }) => {
    if (routine === 'exec_stmt_raise' && message !== undefined) notice(message);
  });
  await run(client).finally(() => client.release(true));
}

/** A sentence for the operator about a migration that failed, without a stored value. @param name of the migration, where it is known */
export function explainFailure(error: unknown, name: string | undefined): StartError {
  if (error instanceof StartError) return error;
  const which = name === undefined ? 'A migration' : `The migration ${name}`;
  return new StartError(`${which} could not be applied and was rolled back: ${describeError(error)}.`, { cause: error });
}

function describeError(error: unknown): string {
  const [code, message] = [readErrorCode(error), error instanceof Error ? error.message : String(error)];
  if (!QUOTING.test(code)) return code === '' ? message : `${message} (${code})`;
  const { table, constraint } = error instanceof pg.DatabaseError ? error : {};
  return `stored rows ${table ? `of ${table} ` : ''}do not fit ${constraint ?? 'it'} (${code})`;
}

const readErrorCode = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
