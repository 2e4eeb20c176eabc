import type { Database } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import { endGuardianship, findEndedGuardianships } from '../domain/messaging/ended-guardianships.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Outbox } from './queue/queue.ts';

/** Guardianships per run. */
const MOST = 500;

/** Ends guardianships, each in a transaction of its own. */
export async function endGuardianships({
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
  for (const { organizationId, patientId } of await findEndedGuardianships(database.prisma, MOST))
    await unitOfWork.write(jobCaller(organizationId, 'guardianships'), (db, caller) => endGuardianship(db, caller, patientId));
}
