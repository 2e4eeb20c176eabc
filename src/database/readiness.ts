import type pg from 'pg';
import { CLOCK_MS, describeClock, measureClock } from './clock.ts';
import { retryOnConnectionLoss } from './connections/retry-on-connection-loss.ts';
import type { Keyring } from './encryption/keyring.ts';
import { isDatabaseUnreachable, isDiskFull } from './errors.ts';
import { pendingMigrations } from './migrations/migrations.ts';
import { SEEN_RECENTLY } from './running-processes.ts';

/** Whether a process can serve, or the reason why it cannot, as /readyz says it. */
export interface Readiness {
  status: 'ready' | 'migrations pending' | 'database unreachable' | 'disk full' | 'database refuses writes' | 'master key missing';
  /** Sentences about what an operator should look at; left out where there are none. */
  warnings?: string[];
}

type OwnKeys = Pick<Keyring, 'ids' | 'isLost'>;

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
 * Looks whether the database answers, has all migrations and takes writes, and compares the clock and the keys of this process with it.
 * Those who ask at the same time get one answer.
 * @param keys of the process; left out, they are not looked at
 */
export function readiness(pool: pg.Pool, keys?: OwnKeys): Promise<Readiness> {
  const asked = underWay.get(pool);
  if (asked) return asked;
  const tooLate = new Promise<Readiness>((resolve) => setTimeout(resolve, READY_WITHIN_MS, UNREACHABLE).unref());
  const answer = Promise.race([look(pool, keys), tooLate]).finally(() => underWay.delete(pool));
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

async function look(pool: pg.Pool, keys: OwnKeys | undefined): Promise<Readiness> {
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
    const answer = await lookAtProcess(pool, keys);
    written.set(pool, { begun, answer });
    return answer;
  } catch (error) {
    if (isDiskFull(error)) return { status: 'disk full' };
    return isDatabaseUnreachable(error) ? UNREACHABLE : { status: 'database refuses writes' };
  }
}

/** Compares the clock and the keys of this process with a database that takes writes. */
async function lookAtProcess(pool: pg.Pool, keys: OwnKeys | undefined): Promise<Readiness> {
  // One question is exact enough: a late answer is none. And one after the other, since a probe should open no second connection.
  const clock = await measureClock(pool, { probes: 1 });
  const { needed, encrypting } = keys ? await missingKeys(pool, keys) : { needed: [], encrypting: [] };
  const warnings = [
    ...(Math.abs(clock) < CLOCK_MS.fail ? [] : [describeClock(clock)]),
    ...needed.map((id) => `keys and seals of the server need the master key "${id}", which MASTER_KEYS lack`),
    ...encrypting.map((id) => `another process encrypts with the master key "${id}", which MASTER_KEYS lack`),
  ];
  const found: Readiness = { status: needed.length > 0 ? 'master key missing' : 'ready' };
  return warnings.length > 0 ? { ...found, warnings } : found;
}

/** The master keys of what belongs to no practice: `keys renew` puts it under the new one. And those with which processes make new values. */
const KEYS_IN_USE = `
  SELECT ARRAY(SELECT split_part(private_pem, '.', 1) FROM signing_key WHERE retired_at IS NULL
               UNION SELECT split_part(private_key, '.', 1) FROM push_key UNION SELECT key_id FROM audit_roll) AS needed,
         ARRAY(SELECT DISTINCT key_ids[1] FROM running_process WHERE ${SEEN_RECENTLY}) AS encrypting`;

/** Those of the keys in use that a process lacks. A lost one is known to be missing. */
async function missingKeys(pool: pg.Pool, keys: OwnKeys): Promise<Record<'needed' | 'encrypting', string[]>> {
  const { rows } = await pool.query<Record<'needed' | 'encrypting', string[]>>(KEYS_IN_USE);
  const isMissing = (id: string) => !keys.ids.includes(id) && !keys.isLost(id);
  return { needed: rows[0]?.needed.filter(isMissing) ?? [], encrypting: rows[0]?.encrypting.filter(isMissing) ?? [] };
}
