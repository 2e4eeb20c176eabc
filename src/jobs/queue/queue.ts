import type { Pool } from 'pg';
import { type JobResult, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { timeStatement } from '../../database/statements/statement-times.ts';
import { sendLater } from '../../database/transaction.ts';
import type { NewJob } from '../../domain/journal.ts';
import type { Enqueue } from '../../domain/unit-of-work/unit-of-work.ts';
import { realTime } from '../../domain/values/test-practices.ts';
import { inSpan } from '../../tracing/spans.ts';

/** Data of a job in the queue: the key of a record, and none of its fields. */
interface JobData {
  kind: NewJob['queue'];
  organizationId: number;
  id: number;
}

/** Outcome of a job: done, or to be retried for a reason, which is one stable word. */
export type Outcome = 'done' | { again: string };

export interface QueueHandler {
  /** @throws errors without the message of a provider: they are stored in the queue, which may hold no patient data */
  run(organizationId: number, id: number): Promise<Outcome>;
  /** Called after the last attempt failed. */
  giveUp(organizationId: number, id: number): Promise<void>;
}

export type QueueHandlers = Record<NewJob['queue'], QueueHandler>;

/**
 * Eleven attempts in about an hour and a half. A killed worker sends no heartbeat, and its jobs are free again within one
 * heartbeat and one run of the supervisor; a hanging one loses its job to another after a minute.
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
/** Batches of one queue that a process handles concurrently. */
const CONCURRENT_BATCHES = 2;
/** Milliseconds between two warnings about one outage. */
const WARN_EVERY_MS = 10_000;
/** Milliseconds that a stop waits for the running jobs; jobs that are not done by then go back to the queue. */
const STOP_WITHIN_MS = 4_000;

/** pg-boss on the process's pool, in the schema that the migrations create: it changes no schema itself. */
function createBoss(pool: Pool, logger: Pick<Logger, 'warn'>, { supervise }: { supervise: boolean }): PgBoss {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => timeStatement({ text }, () => pool.query(text, values)) },
    schema: 'queue',
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: 300,
  });
  let warnedAt = Number.NEGATIVE_INFINITY;
  // In an outage every poll of every queue fails; one warning in a while is enough.
  boss.on('error', (err) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    logger.warn({ err }, 'the queue cannot be reached');
  });
  return boss;
}

/**
 * Seconds from now, one more than there are, since the queue counts from the beginning of its transaction: a moment too early is in the quiet
 * hours still. A moment would be compared with the database's clock, which may differ from that by which it was chosen.
 */
const secondsUntil = (moment: Date): number => Math.max(0, Math.ceil((moment.getTime() - Date.now()) / 1_000) + 1);

/** Sends an insert of jobs, of which nothing is to be known. */
function sendJobs(...insert: Parameters<typeof sendLater>): { rows: [] } {
  sendLater(...insert);
  return { rows: [] };
}

/** Puts jobs into the queue, in the transaction of the request that has them. */
export interface Outbox {
  enqueue: Enqueue;
  /** Connects to the queue, so that the first request with a job does not wait for that. */
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
    async enqueue(tx, jobs) {
      const { organizationId } = tx;
      await open();
      for (const queue of new Set(jobs.map((job) => job.queue))) {
        const mine = jobs.filter((job) => job.queue === queue);
        await boss.insert(
          queue,
          mine.map(({ id, startAfter }) => ({
            ...RULES,
            data: { kind: queue, organizationId, id } satisfies JobData,
            ...(startAfter ? { startAfter: secondsUntil(realTime(organizationId, startAfter)) } : {}),
          })),
          { db: { executeSql: async (text, values = []) => sendJobs(tx.prisma, { name: `enqueue_${queue}`, text }, values) } },
        );
      }
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/**
 * Handles the jobs of the queue, beside any number of other processes; each job is given to one of them at a time.
 * @returns stops: no job is started, the running ones are waited for, and jobs that are not done then go back to the queue
 */
export async function startQueue({ pool }: Database, jobs: QueueHandlers, logger: Pick<Logger, 'warn'>): Promise<() => Promise<void>> {
  const boss = createBoss(pool, logger, { supervise: true });
  await boss.start();
  const attempt = async (id: string, data: JobData): Promise<JobResult> => {
    const run = () => jobs[data.kind].run(data.organizationId, data.id);
    const outcome = await inSpan({ kind: 'job', name: `job ${data.kind}` }, run).catch((error: unknown): Outcome => {
      logger.warn({ err: error, job: data.kind, organization: data.organizationId, id: data.id }, 'job failed; it runs again');
      return { again: 'error' };
    });
    return outcome === 'done' ? { id, status: 'completed' } : { id, status: 'failed', output: { reason: outcome.again } };
  };
  for (const queue of ['send-text', 'send-mail', 'send-push'] as const) {
    await boss.work<JobData, object, typeof BATCH & { localConcurrency: number }>(
      queue,
      { ...BATCH, localConcurrency: CONCURRENT_BATCHES },
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
