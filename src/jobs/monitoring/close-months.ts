import { jobCaller } from '../../domain/caller.ts';
import { continueClosing, listClosingsUnderWay } from '../../domain/monitoring/monthly-billing/closing/closing-steps.ts';
import type { JobDeps } from '../queue/job-deps.ts';

/** Steps of one closing per run; the next run continues, so that no closing waits for a very long one. */
const MOST_STEPS = 8;

/**
 * Takes the closings of ledger months further that many patients have. Each step is one transaction: after a kill the next run
 * continues where the last step ended.
 * @throws the first error, after all closings were tried
 */
export async function closeMonths(
  { database, unitOfWork }: Pick<JobDeps, 'database' | 'unitOfWork'>,
  mostSteps = MOST_STEPS,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { organizationId, id } of await listClosingsUnderWay(database.prisma)) {
    const step = () => unitOfWork.write(jobCaller(organizationId, 'close-months'), (db, caller) => continueClosing(db, caller, id));
    try {
      for (let steps = 0; steps < mostSteps && (await step()) === 'more'; steps += 1);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
