import { jobCaller } from '../domain/caller.ts';
import type { LinkOptions } from '../domain/messaging/check-ins/check-ins.ts';
import { findUpcomingVisits, sendVisitLink } from '../domain/telehealth/invites/five-minute-link.ts';
import { dueByEachClock, nowIn } from '../domain/values/test-practices.ts';
import type { JobDeps } from './queue/job-deps.ts';

/** Appointments per run. */
const MOST = 500;

/**
 * Sends patients the links of their video visits five minutes before the start; later where no process was running then, until
 * the start. Each link is sent once, also after a kill or with several processes: sending it and recording that are one
 * transaction.
 * @throws the first error, after all visits were tried
 */
export async function sendFiveMinuteLinks({
  database,
  outbox,
  unitOfWork,
  keyring,
  origin,
}: LinkOptions & Pick<JobDeps, 'database' | 'outbox' | 'unitOfWork'>): Promise<void> {
  // Opened before any transaction, so that no transaction waits for its connection.
  await outbox.open();
  const failures: unknown[] = [];
  const due = await dueByEachClock(nowIn, (now, practice) => findUpcomingVisits(database.prisma, now, MOST, practice));
  for (const visit of due) {
    const caller = jobCaller(visit.organizationId, 'five-minute-link');
    await unitOfWork
      .write(caller, (db, inTransaction) => sendVisitLink(db, inTransaction, visit, { keyring, origin }))
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
