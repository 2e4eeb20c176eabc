import { Counter, Gauge, Histogram } from 'prom-client';
import { removeUnclaimedFiles } from '../../domain/files/stored-files.ts';
import type { Carrier } from '../../gateways/carrier/carrier.ts';
import { inSpan } from '../../tracing/spans.ts';
import { fetchPictures, fetchRecordings } from '../calls/fetch-files.ts';
import { reportLocalTexts } from '../calls/local-reports.ts';
import { reconcileNumberOrders } from '../calls/reconcile-number-orders.ts';
import { registerNumbers } from '../calls/register-numbers.ts';
import {
  closeMonths,
  endGuardianships,
  escalateAlerts,
  escalateInbox,
  offerFreedTimes,
  raiseMissedAlerts,
  sendDueLinks,
  sendFiveMinuteLinks,
  sendRequestDigests,
  sendScheduledCheckIns,
  sendVisitMessages,
  textPatientsInDanger,
} from '../due-work.ts';
import { measureBacklog, measureSize, measureSurroundings } from '../measures/measure-surroundings.ts';
import { reconcilePresence } from '../reconcile-presence.ts';
import { runImports } from '../run-imports.ts';
import { serveWebhooks } from '../sending/send-webhooks.ts';
import { backUp } from '../upkeep/back-up.ts';
import { keepLogPartitions, removeExpired, removeOldEvents } from '../upkeep/clean-up.ts';
import { removeExpiredRecords } from '../upkeep/remove-expired-records.ts';
import { anchorAudit, sealAudit } from '../upkeep/seal-audit.ts';
import type { JobDeps } from './job-deps.ts';
import { requeueLost } from './lost-jobs.ts';
import { pause } from './pause.ts';
import { startQueue } from './queue.ts';
import { createQueueHandlers } from './queue-handlers.ts';

/** A job that every process repeats. */
interface ScheduledJob {
  name: string;
  /** Seconds between the end of a run and the start of the next. */
  everySeconds: number;
  run(deps: JobDeps, stopping: AbortSignal): Promise<void>;
}

const JOBS: readonly ScheduledJob[] = [
  { name: 'seal-audit', everySeconds: 3, run: ({ database, keyring, logger }) => sealAudit(database, keyring, logger) },
  { name: 'anchor-audit', everySeconds: 3_600, run: (deps) => anchorAudit(deps) },
  { name: 'back-up', everySeconds: 60, run: backUp },
  { name: 'clean-up', everySeconds: 600, run: ({ database }) => removeExpired(database) },
  { name: 'remove-old-events', everySeconds: 600, run: ({ database, keyring }) => removeOldEvents(database, keyring) },
  { name: 'keep-log-partitions', everySeconds: 600, run: keepLogPartitions },
  { name: 'abandoned-files', everySeconds: 600, run: ({ store }) => removeUnclaimedFiles(store) },
  { name: 'remove-expired-records', everySeconds: 3_600, run: removeExpiredRecords },
  {
    name: 'reconcile-number-orders',
    everySeconds: 2,
    run: (deps) => eachCarrier(deps, (carrier) => reconcileNumberOrders({ ...deps, carrier })),
  },
  { name: 'register-numbers', everySeconds: 5, run: (deps) => eachCarrier(deps, (carrier) => registerNumbers({ ...deps, carrier })) },
  { name: 'local-reports', everySeconds: 1, run: (deps) => reportLocalTexts(deps) },
  { name: 'scheduled-check-ins', everySeconds: 5, run: (deps) => sendScheduledCheckIns(deps) },
  { name: 'reconcile-presence', everySeconds: 5, run: (deps) => reconcilePresence(deps) },
  { name: 'five-minute-link', everySeconds: 10, run: (deps) => sendFiveMinuteLinks(deps) },
  { name: 'request-digests', everySeconds: 600, run: (deps) => sendRequestDigests(deps) },
  { name: 'visit-messages', everySeconds: 20, run: (deps) => sendVisitMessages(deps) },
  { name: 'freed-times', everySeconds: 2, run: (deps) => offerFreedTimes(deps) },
  { name: 'booking-links', everySeconds: 5, run: (deps) => sendDueLinks(deps) },
  { name: 'guardianships', everySeconds: 20, run: (deps) => endGuardianships(deps) },
  { name: 'escalate-inbox', everySeconds: 5, run: (deps) => escalateInbox(deps) },
  { name: 'escalate-alerts', everySeconds: 5, run: (deps) => escalateAlerts(deps) },
  { name: 'missed-check-ins', everySeconds: 30, run: (deps) => raiseMissedAlerts(deps) },
  { name: 'text-patients-in-danger', everySeconds: 1, run: (deps) => textPatientsInDanger(deps) },
  { name: 'close-months', everySeconds: 1, run: (deps) => closeMonths(deps) },
  { name: 'run-imports', everySeconds: 1, run: runImports },
  { name: 'fetch-recordings', everySeconds: 5, run: fetchRecordings },
  { name: 'fetch-pictures', everySeconds: 2, run: fetchPictures },
  { name: 'measure-backlog', everySeconds: 10, run: ({ database }) => measureBacklog(database) },
  { name: 'measure-surroundings', everySeconds: 30, run: (deps) => measureSurroundings(deps) },
  { name: 'measure-size', everySeconds: 3_600, run: ({ database }) => measureSize(database) },
  { name: 'lost-jobs', everySeconds: 60, run: ({ database, outbox }) => requeueLost(database, outbox) },
];

/** The carrier of the installation, and that of practices for trying things out. */
async function eachCarrier({ gateways: { carrier, local } }: JobDeps, work: (carrier: Carrier) => Promise<void>): Promise<void> {
  await work(carrier);
  if (carrier.name !== local.carrier.name) await work(local.carrier);
}

const durations = new Histogram({
  name: 'job_duration_seconds',
  help: 'Run time of recurring jobs in this process, by name',
  labelNames: ['name'],
  buckets: [0.01, 0.1, 1, 10, 60],
});
const failures = new Counter({
  name: 'job_failures_total',
  help: 'Failed runs of recurring jobs in this process, by name; each runs again',
  labelNames: ['name'],
});
const lastSuccess = new Gauge({
  name: 'job_last_success_timestamp_seconds',
  help: 'Unix time of the last successful run of each recurring job in this process, by name',
  labelNames: ['name'],
});

/** Milliseconds between attempts to reach the queue. */
const QUEUE_RETRY_MS = 3_000;

/**
 * Runs the scheduled jobs of this process and those of the queue, and sends deliveries to webhook endpoints. A scheduled job locks
 * the rows that it works on for its own transaction and skips rows that another process has locked, so any number of processes may
 * run it; the locks of a killed process end at once. The queue gives each of its jobs to one process.
 * @param afterMs milliseconds until the first of them
 * @returns stops: no new run starts, and the running ones are waited for
 */
export function startJobs(deps: JobDeps, afterMs = 0): () => Promise<void> {
  const stopping = new AbortController();
  const running = pause(afterMs, stopping.signal).then(() =>
    Promise.all([
      ...JOBS.map((job) => repeat(job, deps, stopping.signal)),
      serveQueue(deps, stopping.signal),
      serveWebhooks(deps, stopping.signal),
    ]),
  );
  return async () => {
    stopping.abort();
    await running;
    deps.gateways.webhooks.close();
  };
}

/** Serves the queue until the signal; jobs that are not done by then go back to it. */
async function serveQueue(deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { database, logger, outbox } = deps;
  const handlers = createQueueHandlers(deps);
  while (!signal.aborted) {
    try {
      await outbox.open();
      const stop = await startQueue(database, handlers, logger);
      await pause(null, signal);
      await stop();
    } catch (error) {
      logger.warn({ err: error }, 'the queue cannot be served; it is tried again');
      await pause(QUEUE_RETRY_MS, signal);
    }
  }
}

async function repeat({ name, everySeconds, run }: ScheduledJob, deps: JobDeps, signal: AbortSignal): Promise<void> {
  failures.inc({ name }, 0);
  while (!signal.aborted) {
    const observed = durations.startTimer({ name });
    try {
      await inSpan({ kind: 'job', name: `job ${name}` }, () => run(deps, signal));
      lastSuccess.set({ name }, Date.now() / 1000);
    } catch (error) {
      failures.inc({ name });
      deps.logger.warn({ err: error, job: name }, 'job failed; it runs again');
    }
    observed();
    await pause(everySeconds * 1000, signal);
  }
}
