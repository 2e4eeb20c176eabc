import type { Database } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import { applyCarrierEvent } from '../domain/messaging/carrier-events.ts';
import { createUnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Carrier } from '../gateways/carrier.ts';
import { listPendingReports, markReported } from '../gateways/local-carrier.ts';

/** Texts a run; the next run is soon. */
const BATCH = 200;

/**
 * Tells what became of the texts that the local carrier took, as a real carrier tells by its webhook: they arrive, or the
 * phone is out of reach. Killed in between, or done by two processes at once, a text is told of again, which changes nothing.
 * @throws the first of what could not be noted, after all others were
 */
export async function reportLocalTexts(database: Database, { name }: Pick<Carrier, 'name'>): Promise<void> {
  if (name !== 'local') return;
  const { prisma: db } = database;
  const deps = {
    db,
    unitOfWork: createUnitOfWork(database),
    callerFor: (organizationId: number) => jobCaller(organizationId, 'local-reports'),
  };
  const failures: unknown[] = [];
  const told: string[] = [];
  for (const report of await listPendingReports(db, BATCH)) {
    await applyCarrierEvent(deps, report).then(
      () => told.push(report.id),
      (error: unknown) => failures.push(error),
    );
  }
  if (told.length > 0) await markReported(db, told);
  if (failures.length > 0) throw failures[0];
}
