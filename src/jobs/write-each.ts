import type { Db } from '../database/database.ts';
import { type Caller, jobCaller } from '../domain/caller.ts';
import type { JobDeps } from './queue/job-deps.ts';

export type WriteEachDeps = Pick<JobDeps, 'database' | 'outbox' | 'unitOfWork'>;

interface Work<T> {
  list(db: Db): Promise<T[]>;
  write(db: Db, caller: Caller, one: T): Promise<void>;
}

/**
 * Each step is one transaction with its notifications and texts, so that none is lost by a kill or made twice by several processes.
 * @throws the first error, after all were tried
 */
export async function writeEach<T extends { organizationId: number }>(
  { database, outbox, unitOfWork }: WriteEachDeps,
  job: string,
  { list, write }: Work<T>,
): Promise<void> {
  // Opened before any transaction, so that no transaction waits for its connection.
  await outbox.open();
  const failures: unknown[] = [];
  for (const one of await list(database.prisma)) {
    await unitOfWork
      .write(jobCaller(one.organizationId, job), (db, caller) => write(db, caller, one))
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
