import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { removeUnclaimedFiles } from '../domain/files/stored-files.ts';
import { createGateways, type Gateways } from '../gateways/gateways.ts';
import { removeExpired } from './clean-up.ts';
import { fetchRecordings } from './fetch-recordings.ts';
import { sendFiveMinuteCheckIns } from './five-minute-check-in.ts';
import { reportLocalTexts } from './local-reports.ts';
import { requeueLost } from './lost-jobs.ts';
import { createOutbox, type Outbox, startQueue } from './queue.ts';
import { createQueueHandlers } from './queue-handlers.ts';
import { reconcileNumberOrders } from './reconcile-number-orders.ts';
import { reconcilePresence } from './reconcile-presence.ts';
import { sendScheduledCheckIns } from './scheduled-check-ins.ts';
import { sealAudit } from './seal-audit.ts';

/** Something that is done again and again, by whichever process comes first. */
interface RecurringJob {
  name: string;
  everySeconds: number;
  run(deps: RunningDeps): Promise<void>;
}

export interface JobDeps {
  config: Config;
  database: Database;
  keyring: Keyring;
  logger: Logger;
  /** What links that jobs send begin with. */
  origin: string;
}

interface RunningDeps extends JobDeps, Gateways {
  outbox: Outbox;
}

const JOBS: readonly RecurringJob[] = [
  { name: 'seal-audit', everySeconds: 3, run: ({ database, keyring, logger }) => sealAudit(database, keyring, logger) },
  { name: 'clean-up', everySeconds: 600, run: ({ database }) => removeExpired(database) },
  { name: 'abandoned-files', everySeconds: 600, run: ({ database, files }) => removeUnclaimedFiles({ db: database.prisma, files }) },
  { name: 'settle-numbers', everySeconds: 2, run: ({ database, carrier }) => reconcileNumberOrders(database, carrier) },
  { name: 'local-reports', everySeconds: 1, run: ({ database, carrier }) => reportLocalTexts(database, carrier) },
  { name: 'scheduled-check-ins', everySeconds: 5, run: (deps) => sendScheduledCheckIns(deps) },
  { name: 'reconcile-presence', everySeconds: 5, run: ({ database }) => reconcilePresence(database) },
  { name: 'five-minute-check-in', everySeconds: 10, run: (deps) => sendFiveMinuteCheckIns(deps) },
  { name: 'fetch-recordings', everySeconds: 5, run: ({ database, carrier, files }) => fetchRecordings(database, { carrier, files }) },
  { name: 'lost-jobs', everySeconds: 60, run: ({ database, outbox }) => requeueLost(database, outbox) },
];

/** Where the queue cannot be reached at the start, it is tried again so soon. */
const QUEUE_AGAIN_MS = 3_000;

/**
 * Runs the recurring jobs of this process, and those of the queue. Each recurring one locks what it works on for its own transaction and leaves alone what
 * another has locked, so any number of processes may run them; one that is killed lets go at once. The queue gives each of
 * its jobs to one process.
 * @returns how to stop: no new run starts, and the running ones are waited for
 */
export function startJobs(deps: JobDeps): () => Promise<void> {
  const stopping = new AbortController();
  const gateways = createGateways(deps.config, deps.database, deps.keyring);
  const running = { ...deps, ...gateways, outbox: createOutbox(deps.database, deps.logger) };
  const loops = JOBS.map((job) => repeat(job, running, stopping.signal));
  const queue = serveQueue(running, stopping.signal);
  return async () => {
    stopping.abort();
    await Promise.all([...loops, queue]);
    await running.outbox.close();
  };
}

/** Until it is told to stop; then the jobs that are not done go back. */
async function serveQueue({ config, database, logger, outbox, ...deps }: RunningDeps, signal: AbortSignal): Promise<void> {
  const jobs = createQueueHandlers(config, database, outbox, deps);
  while (!signal.aborted) {
    try {
      await outbox.open();
      const stop = await startQueue(database, jobs, logger);
      await pause(null, signal);
      await stop();
    } catch (error) {
      logger.warn({ err: error }, 'the queue cannot be served; it is tried again');
      await pause(QUEUE_AGAIN_MS, signal);
    }
  }
}

async function repeat({ name, everySeconds, run }: RecurringJob, deps: RunningDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await run(deps);
    } catch (error) {
      deps.logger.warn({ err: error, job: name }, 'job failed; it runs again');
    }
    await pause(everySeconds * 1000, signal);
  }
}

/** So many milliseconds, or without a number until the signal. */
function pause(ms: number | null, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = ms === null ? undefined : setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
