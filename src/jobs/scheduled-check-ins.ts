import type { Database } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import type { LinkOptions } from '../domain/messaging/check-ins/check-ins.ts';
import { listDueSchedules, runSchedule } from '../domain/messaging/check-ins/scheduled-check-in-runs.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Outbox } from './queue.ts';

/** Schedules per run. */
const MOST = 1_000;
/** Batches of one schedule per run; the next run continues, so that no schedule waits for a very long one. */
const MOST_BATCHES = 20;

interface SchedulingDeps extends LinkOptions {
  database: Database;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
}

/**
 * Sends the check-ins whose time has come, in batches of one transaction each. Killed in the middle, the next look goes on
 * where the last batch ended; what another process is at is left to it.
 * @throws the first of what kept a schedule from being sent, after all others were looked at
 */
export async function sendScheduledCheckIns(
  { database, outbox, unitOfWork, keyring, origin }: SchedulingDeps,
  clock: () => Date = () => new Date(),
): Promise<void> {
  // Opened before any transaction, so that no transaction waits for its connection.
  await outbox.open();
  const failures: unknown[] = [];
  for (const { organizationId, id } of await listDueSchedules(database.prisma, clock(), MOST)) {
    const caller = jobCaller(organizationId, 'scheduled-check-ins');
    const batch = () => unitOfWork.write(caller, (db, inTransaction) => runSchedule(db, inTransaction, id, clock(), { keyring, origin }));
    try {
      for (let batches = 0; batches < MOST_BATCHES && (await batch()) === 'more'; batches += 1);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
