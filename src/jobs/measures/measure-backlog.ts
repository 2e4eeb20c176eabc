import { Gauge } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { hiddenSeconds, queueBacklog, unsealedSeconds } from './backlog.ts';
import { jobGauge } from './job-gauge.ts';

const QUEUES = ['send-text', 'send-mail', 'send-push', 'unsent'] as const;

const jobs = new Gauge({
  name: 'queue_jobs',
  help: 'Jobs in the database by queue and state: due, later (of a retry, or of quiet hours), active; the same in each process that runs jobs',
  labelNames: ['queue', 'state'],
});
const oldest = new Gauge({
  name: 'queue_oldest_due_seconds',
  help: 'Seconds for which the oldest job that is due waits, by queue; 0 where none is',
  labelNames: ['queue'],
});
const unsealed = jobGauge('audit_oldest_unsealed_seconds', 'Seconds since the oldest audit entry that is not sealed yet; 0 where all are');
const hidden = jobGauge(
  'event_log_hidden_seconds',
  'Seconds since the oldest event that readers do not see yet, because a transaction is open; 0 where there is none',
);

/** Sets the metrics of what waits in the database. */
export async function measureBacklog({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const [queues, unsealedFor, hiddenFor] = await Promise.all([queueBacklog(pool), unsealedSeconds(pool), hiddenSeconds(pool)]);
  for (const queue of QUEUES) {
    const { due = 0, later = 0, active = 0, oldestSeconds = 0 } = queues.find((one) => one.queue === queue) ?? {};
    for (const [state, count] of Object.entries({ due, later, active })) jobs.set({ queue, state }, count);
    oldest.set({ queue }, oldestSeconds);
  }
  unsealed.set(unsealedFor);
  hidden.set(hiddenFor);
}
