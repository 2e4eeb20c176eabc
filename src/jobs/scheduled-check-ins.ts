import { jobCaller } from '../domain/caller.ts';
import type { LinkOptions } from '../domain/messaging/check-ins/check-ins.ts';
import { listDueSchedules, runSchedule } from '../domain/messaging/check-ins/scheduled-check-in-runs.ts';
import { dueByEachClock, nowIn } from '../domain/values/test-practices.ts';
import type { JobDeps } from './queue/job-deps.ts';

/** Schedules per run. */
const MOST = 1_000;
/** Batches of one schedule per run; the next run continues, so that no schedule waits for a very long one. */
const MOST_BATCHES = 20;

/**
 * Sends check-ins that are due, in batches of one transaction each. After a kill the next run continues where the last batch
 * ended; schedules that another process is running are skipped.
 * @throws the first error, after all schedules were tried
 */
export async function sendScheduledCheckIns(
  { database, outbox, unitOfWork, keyring, origin }: LinkOptions & Pick<JobDeps, 'database' | 'outbox' | 'unitOfWork'>,
  clock: (organizationId: number | null) => Date = nowIn,
): Promise<void> {
  // Opened before any transaction, so that no transaction waits for its connection.
  await outbox.open();
  const failures: unknown[] = [];
  const due = await dueByEachClock(clock, (now, practice) => listDueSchedules(database.prisma, now, MOST, practice));
  for (const { organizationId, id } of due) {
    const caller = jobCaller(organizationId, 'scheduled-check-ins');
    const batch = () =>
      unitOfWork.write(caller, (db, inTransaction) => runSchedule(db, inTransaction, id, clock(organizationId), { keyring, origin }));
    try {
      for (let batches = 0; batches < MOST_BATCHES && (await batch()) === 'more'; batches += 1);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
