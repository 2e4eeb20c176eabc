import type { Pool } from 'pg';
import { fromPrisma, type JobResult, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { NewJob } from '../domain/journal.ts';
import type { Enqueue } from '../domain/unit-of-work/unit-of-work.ts';

/** What lies in the queue: which record a job is about, and nothing of it. */
interface JobData {
  kind: NewJob['queue'];
  organizationId: number;
  id: number;
}

/** What came of a job: done, or worth another attempt later, and why in one stable word. */
export type Outcome = 'done' | { again: string };

export interface QueueHandler {
  /** @throws never what a provider said: errors are kept in the queue, where no patient data may lie */
  run(organizationId: number, id: number): Promise<Outcome>;
  /** All attempts were in vain. */
  giveUp(organizationId: number, id: number): Promise<void>;
}

export type QueueHandlers = Record<NewJob['queue'], QueueHandler>;

/**
 * Eleven attempts in about an hour and a half. A worker that is killed stops beating, and its jobs are free again within
 * the beat and one look of a supervisor; one that hangs loses its job to another after a minute.
 */
const RULES = {
  retryLimit: 10,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 1_800,
  heartbeatSeconds: 15,
  expireInSeconds: 60,
  deleteAfterSeconds: 600,
  deadLetter: 'unsent',
} as const;
const SUPERVISE_SECONDS = 5;
const BATCH = { batchSize: 10, pollingIntervalSeconds: 1, burstWhenBatchFull: true, perJobResults: true } as const;
/** Jobs of one kind that one process does at once, in batches. */
const BATCHES_AT_ONCE = 2;
const TELL_EVERY_MS = 10_000;
/** How long the running jobs are waited for; what is not done by then goes back. */
const STOP_WITHIN_MS = 4_000;

/** pg-boss on our pool, in the schema that the migrations made: it changes no schema by itself. */
function createBoss(pool: Pool, logger: Pick<Logger, 'warn'>, { supervise }: { supervise: boolean }): PgBoss {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: 'queue',
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: 300,
  });
  let told = Number.NEGATIVE_INFINITY;
  // In an outage each look at each queue fails; a line now and then says as much.
  boss.on('error', (err) => {
    if (performance.now() - told < TELL_EVERY_MS) return;
    told = performance.now();
    logger.warn({ err }, 'the queue cannot be reached');
  });
  return boss;
}

/** How requests put jobs into the queue. */
export interface Outbox {
  enqueue: Enqueue;
  /** So that the first request that has a job need not wait for it. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export function createOutbox({ pool }: Database, logger: Pick<Logger, 'warn'>): Outbox {
  const boss = createBoss(pool, logger, { supervise: false });
  let opening: Promise<unknown> | undefined;
  const open = async () => {
    opening ??= boss.start().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    await opening;
  };
  return {
    open,
    async enqueue(tx, organizationId, jobs) {
      await open();
      for (const queue of new Set(jobs.map((job) => job.queue))) {
        const mine = jobs.filter((job) => job.queue === queue);
        await boss.insert(
          queue,
          mine.map(({ id, startAfter }) => ({
            ...RULES,
            data: { kind: queue, organizationId, id } satisfies JobData,
            ...(startAfter ? { startAfter } : {}),
          })),
          { db: fromPrisma(tx) },
        );
      }
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/**
 * Does the jobs of the queue, beside any number of other processes: each job goes to one of them at a time.
 * @returns how to stop: no job is begun any more, the running ones are waited for, and what is not done then goes back
 */
export async function startQueue({ pool }: Database, jobs: QueueHandlers, logger: Pick<Logger, 'warn'>): Promise<() => Promise<void>> {
  const boss = createBoss(pool, logger, { supervise: true });
  await boss.start();
  const attempt = async (id: string, data: JobData): Promise<JobResult> => {
    const outcome = await jobs[data.kind].run(data.organizationId, data.id).catch((error: unknown): Outcome => {
      logger.warn({ err: error, job: data.kind, organization: data.organizationId, id: data.id }, 'job failed; it runs again');
      return { again: 'error' };
    });
    return outcome === 'done' ? { id, status: 'completed' } : { id, status: 'failed', output: { reason: outcome.again } };
  };
  for (const queue of ['send-text', 'send-mail', 'send-push'] as const) {
    await boss.work<JobData, object, typeof BATCH & { localConcurrency: number }>(
      queue,
      { ...BATCH, localConcurrency: BATCHES_AT_ONCE },
      (batch) => Promise.all(batch.map(({ id, data }) => attempt(id, data))),
    );
  }
  await boss.work<JobData>('unsent', { batchSize: 1, pollingIntervalSeconds: 5 }, async (batch) => {
    for (const { data } of batch) {
      await jobs[data.kind].giveUp(data.organizationId, data.id).catch((error: unknown) => {
        logger.warn({ err: error, job: data.kind, organization: data.organizationId, id: data.id }, 'job was not given up; it runs again');
        throw new Error('not given up');
      });
    }
  });
  return () => boss.stop({ graceful: true, close: false, timeout: STOP_WITHIN_MS });
}
