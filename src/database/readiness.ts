import type pg from 'pg';
import { CLOCK_MS, describeClock, measureClock } from './clock.ts';
import { retryOnConnectionLoss } from './connections/retry-on-connection-loss.ts';
import { isDatabaseUnreachable, isDiskFull } from './errors.ts';
import { pendingMigrations } from './migrations/migrations.ts';

/** Whether a process can serve, or the reason why it cannot, as /readyz says it. */
export interface Readiness {
  status: 'ready' | 'migrations pending' | 'database unreachable' | 'disk full' | 'database refuses writes';
  /** Sentences about what an operator should look at; left out where there are none. */
  warnings?: string[];
}

/** Milliseconds that a load balancer waits for a response. */
const READY_WITHIN_MS = 2_000;
/** Milliseconds for which a write that went well, and what was found after it, are not repeated: probes of several balancers should cost what one does. */
const WRITTEN_FOR_MS = 1_000;

/**
 * Writes without leaving a row: a record in the write-ahead log, which is flushed with the commit, and half a megabyte of temporary
 * file, which needs room where the tables are. A page of a table with room in it would take a row on a full disk, too.
 */
const WRITE = `
SET LOCAL work_mem = '64kB';
DO $$ BEGIN IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF; END $$;
SELECT pg_logical_emit_message(true, 'triptych', 'ready');
WITH filler AS MATERIALIZED (SELECT repeat('x', 1000) || n AS text FROM generate_series(1, 512) AS n) SELECT count(text) FROM filler`;

/** When the last write of a pool began that went well, by `performance.now()`, and the answer. */
const written = new WeakMap<pg.Pool, { begun: number; answer: Readiness }>();
const UNREACHABLE: Readiness = { status: 'database unreachable' };

const underWay = new WeakMap<pg.Pool, Promise<Readiness>>();

/**
 * Looks whether the database answers, has all migrations and takes writes, and compares the clock of this process with it.
 * Those who ask at the same time get one answer.
 */
export function readiness(pool: pg.Pool): Promise<Readiness> {
  const asked = underWay.get(pool);
  if (asked) return asked;
  const tooLate = new Promise<Readiness>((resolve) => setTimeout(resolve, READY_WITHIN_MS, UNREACHABLE).unref());
  const answer = Promise.race([look(pool), tooLate]).finally(() => underWay.delete(pool));
  underWay.set(pool, answer);
  return answer;
}

/** Seconds after which jobs that nobody was seen to run count as not run: who runs them looks after the queue every five. */
export const JOBS_SEEN_WITHIN_SECONDS = 60;

/** Seconds since a process that runs jobs looked after the queue; null where none ever did. */
export async function secondsSinceJobs(pool: pg.Pool): Promise<number | null> {
  const { rows } = await pool.query<{ seconds: number | null }>(
    'SELECT extract(epoch FROM now() - max(greatest(monitor_claim_on, monitor_on)))::float AS seconds FROM queue.queue',
  );
  return rows[0]?.seconds ?? null;
}

/** @param ownJobs whether this process runs jobs: then it need not ask */
export async function areJobsRun(pool: pg.Pool, ownJobs: boolean): Promise<boolean> {
  return ownJobs || ((await secondsSinceJobs(pool)) ?? Number.POSITIVE_INFINITY) < JOBS_SEEN_WITHIN_SECONDS;
}

async function look(pool: pg.Pool): Promise<Readiness> {
  try {
    if ((await retryOnConnectionLoss(() => pendingMigrations(pool))).length > 0) return { status: 'migrations pending' };
  } catch {
    return UNREACHABLE;
  }
  const begun = performance.now();
  const last = written.get(pool);
  if (last && begun - last.begun < WRITTEN_FOR_MS) return last.answer;
  try {
    await pool.query(WRITE);
    const answer = await lookAtProcess(pool);
    written.set(pool, { begun, answer });
    return answer;
  } catch (error) {
    if (isDiskFull(error)) return { status: 'disk full' };
    return isDatabaseUnreachable(error) ? UNREACHABLE : { status: 'database refuses writes' };
  }
}

/** Compares the clock of this process with a database that takes writes. */
async function lookAtProcess(pool: pg.Pool): Promise<Readiness> {
  // One question is exact enough: a late answer is none.
  const clock = await measureClock(pool, { probes: 1 });
  return Math.abs(clock) < CLOCK_MS.fail ? { status: 'ready' } : { status: 'ready', warnings: [describeClock(clock)] };
}
