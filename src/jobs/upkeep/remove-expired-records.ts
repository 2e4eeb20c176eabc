import { jobCaller } from '../../domain/caller.ts';
import { EXPIRING, type Expiring, removeExpiredPage } from '../../domain/patient-rights/expiry.ts';
import { listRetentionPolicies } from '../../domain/patient-rights/retention-policy.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import type { JobDeps } from '../queue/job-deps.ts';

/**
 * Deletes drafts, media, texts and mails that are older than their practice keeps them, in pages of one transaction each: a kill loses
 * the page under way, and the next run begins anew. The contents of files go with the job of abandoned files.
 * @throws the first error, after all practices were tried
 */
export async function removeExpiredRecords(
  { database, unitOfWork }: Pick<JobDeps, 'database' | 'unitOfWork'>,
  stopping?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { organizationId } of await listRetentionPolicies(database.prisma))
    for (const kind of EXPIRING)
      await removeKind(unitOfWork, organizationId, kind, stopping).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function removeKind(unitOfWork: UnitOfWork, organizationId: number, kind: Expiring, stopping?: AbortSignal): Promise<void> {
  const caller = jobCaller(organizationId, 'remove-expired-records');
  for (let after: number | null = 0; after !== null && stopping?.aborted !== true; ) {
    const begin: number = after;
    after = await unitOfWork.write(caller, (tx) => removeExpiredPage(tx, kind, begin));
  }
}
