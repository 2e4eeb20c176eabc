import { jobCaller } from '../domain/caller.ts';
import { findDueVisits, sendDueMessages } from '../domain/messaging/visit-messages/due-messages.ts';
import type { JobDeps } from './queue/job-deps.ts';

/** Messages per run. */
const MOST = 1_000;

/**
 * Sends the messages before and after visits that are due. Each is sent once, also after a kill or with several processes: a transaction
 * for each visit locks it, and stores what became of a message together with its text.
 * @throws the first error, after all visits were tried
 */
export async function sendVisitMessages(
  { database, outbox, unitOfWork }: Pick<JobDeps, 'database' | 'outbox' | 'unitOfWork'>,
  clock: () => Date = () => new Date(),
): Promise<void> {
  // Opened before any transaction, so that no transaction waits for its connection.
  await outbox.open();
  const failures: unknown[] = [];
  for (const { organizationId, id } of await findDueVisits(database.prisma, clock(), MOST)) {
    await unitOfWork
      .write(jobCaller(organizationId, 'visit-messages'), (db, caller) => sendDueMessages(db, caller, id, clock()))
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
