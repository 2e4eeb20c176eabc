import { Counter, Gauge } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { measureDisk } from '../../database/measures/disk.ts';
import { measureConnections, measureStandbys } from '../../database/measures/server-load.ts';
import { databaseSize } from '../../database/measures/sizes.ts';
import type { JobDeps } from '../queue/job-deps.ts';
import { queueBacklog, readHiddenSeconds, unsealedSeconds } from './backlog.ts';
import { jobGauge } from './job-gauge.ts';

const KINDS = ['text', 'mail', 'push'] as const;
/** `retried`: the attempt failed, and there will be another; `given_up`: there will be none. */
const OUTCOMES = ['sent', 'refused', 'retried', 'given_up'] as const;

const messages = new Counter({
  name: 'messages_total',
  help: 'Attempts of this process to send texts, mails and pushes, by result',
  labelNames: ['kind', 'outcome'],
});
// A rate can be told from the first one on only where there was a zero before it.
for (const kind of KINDS) for (const outcome of OUTCOMES) messages.inc({ kind, outcome }, 0);

export function countMessage(kind: (typeof KINDS)[number], outcome: (typeof OUTCOMES)[number]): void {
  messages.inc({ kind, outcome });
}

const diskFree = jobGauge('disk_free_bytes', 'Free bytes on the disk of DATA_DIR');
const diskFreeRatio = jobGauge('disk_free_ratio', 'Free share of the disk of DATA_DIR, from 0 to 1');
const used = jobGauge('database_server_connections', 'Connections to PostgreSQL from all programs');
const allowed = jobGauge('database_server_connections_allowed', 'Maximum number of connections for roles without superuser rights');
const lag = jobGauge(
  'database_standby_lag_seconds',
  'Seconds that the slowest standby lags; 0 without a standby, NaN if the role may not see it',
);

/** Sets the metrics of the disk and of PostgreSQL as a whole. */
export async function measureSurroundings({ config, database: { pool } }: Pick<JobDeps, 'config' | 'database'>): Promise<void> {
  const [disk, connections, standbys] = await Promise.all([measureDisk(config.DATA_DIR), measureConnections(pool), measureStandbys(pool)]);
  diskFree.set(disk.free);
  diskFreeRatio.set(disk.share);
  used.set(connections.used);
  allowed.set(connections.allowed);
  lag.set(standbys.seen < standbys.standbys ? Number.NaN : standbys.lag);
}

/**
 * Keeps the size of the database for each day (UTC); the last measurement of a day stays. `doctor` tells from it how fast it grows. What
 * is not whole is not kept: growth would be told of a node's return.
 */
export async function measureSize({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>): Promise<void> {
  const { bytes, nodesLeftOut } = await databaseSize(pool);
  if (nodesLeftOut > 0) return;
  await prisma.$executeRaw`
    INSERT INTO database_size (day, bytes) VALUES (current_date, ${BigInt(bytes)}::bigint)
        ON CONFLICT (day) DO UPDATE SET bytes = excluded.bytes`;
}

const QUEUES = ['send-text', 'send-mail', 'send-push', 'unsent'] as const;

const jobs = new Gauge({
  name: 'queue_jobs',
  help: 'Jobs in the database by queue and state: due, later (a retry, or quiet hours), active; equal in all processes that run jobs',
  labelNames: ['queue', 'state'],
});
const oldest = new Gauge({
  name: 'queue_oldest_due_seconds',
  help: 'Seconds that the oldest due job has waited, by queue; 0 if none is due',
  labelNames: ['queue'],
});
const unsealed = jobGauge('audit_oldest_unsealed_seconds', 'Age in seconds of the oldest unsealed audit entry; 0 if all are sealed');
const hidden = jobGauge(
  'event_log_hidden_seconds',
  'Age in seconds of the oldest event hidden from readers by an open transaction; 0 if there is none',
);

export async function measureBacklog({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const [queues, unsealedFor, hiddenFor] = await Promise.all([queueBacklog(pool), unsealedSeconds(pool), readHiddenSeconds(pool)]);
  for (const queue of QUEUES) {
    const { due = 0, later = 0, active = 0, oldestSeconds = 0 } = queues.find((one) => one.queue === queue) ?? {};
    for (const [state, count] of Object.entries({ due, later, active })) jobs.set({ queue, state }, count);
    oldest.set({ queue }, oldestSeconds);
  }
  unsealed.set(unsealedFor);
  hidden.set(hiddenFor);
}
