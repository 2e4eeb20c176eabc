import type { Database } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import { escalateItem, listDueItems } from '../domain/messaging/inbox/escalation.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Outbox } from './queue/queue.ts';

/** Items per run. */
const MOST = 500;
const JOB = 'escalate-inbox';

/**
 * Notifies the next person of each inbox item that nobody has acknowledged in time. Each step is one transaction with its
 * notification, so that none is lost by a kill or made twice by several processes.
 * @throws the first error, after all items were tried
 */
export async function escalateInbox({
  database,
  outbox,
  unitOfWork,
}: {
  database: Database;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
}): Promise<void> {
  // Opened before any transaction, so that no transaction waits for its connection.
  await outbox.open();
  const failures: unknown[] = [];
  for (const { organizationId, id } of await listDueItems(database.prisma, MOST)) {
    await unitOfWork
      .write(jobCaller(organizationId, JOB), (db, caller) => escalateItem(db, caller, id))
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
