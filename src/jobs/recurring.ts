import type { Logger } from 'pino';
import type { Database } from '../database.ts';
import type { Keyring } from '../keyring.ts';
import { removeExpired } from './clean-up.ts';
import { sealAudit } from './seal-audit.ts';

/** Something that is done again and again, by whichever process comes first. */
interface RecurringJob {
  name: string;
  everySeconds: number;
  run(deps: JobDeps): Promise<void>;
}

export interface JobDeps {
  database: Database;
  keyring: Keyring;
  logger: Logger;
}

const JOBS: readonly RecurringJob[] = [
  { name: 'seal-audit', everySeconds: 3, run: ({ database, keyring, logger }) => sealAudit(database, keyring, logger) },
  { name: 'clean-up', everySeconds: 600, run: ({ database }) => removeExpired(database) },
];

/**
 * Runs the recurring jobs of this process. Each locks what it works on for its own transaction and leaves alone what
 * another has locked, so any number of processes may run them; one that is killed lets go at once.
 * @returns how to stop: no new run starts, and the running ones are waited for
 */
export function startJobs(deps: JobDeps): () => Promise<void> {
  const stopping = new AbortController();
  const loops = JOBS.map((job) => repeat(job, deps, stopping.signal));
  return async () => {
    stopping.abort();
    await Promise.all(loops);
  };
}

async function repeat({ name, everySeconds, run }: RecurringJob, deps: JobDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await run(deps);
    } catch (error) {
      deps.logger.warn({ err: error, job: name }, 'job failed; it runs again');
    }
    await pause(everySeconds * 1000, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
