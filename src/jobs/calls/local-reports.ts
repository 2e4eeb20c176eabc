import type { Database } from '../../database/database.ts';
import { jobCaller } from '../../domain/caller.ts';
import { applyCarrierEvent } from '../../domain/messaging/inbound/carrier-events.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { listPendingReports, markReported } from '../../gateways/carrier/local-carrier.ts';

/** Texts per run; the next run is soon. */
const BATCH = 200;

interface ReportDeps {
  database: Database;
  unitOfWork: UnitOfWork;
}

/**
 * Reports the delivery of texts that the local carrier accepted, as a real carrier does by its webhook: delivered, or the phone is
 * unreachable. After a kill, or with two concurrent processes, a text is reported again, which changes nothing.
 * @throws the first error, after all reports were tried
 */
export async function reportLocalTexts({ database: { prisma: db }, unitOfWork }: ReportDeps): Promise<void> {
  const deps = {
    db,
    unitOfWork,
    callerFor: (organizationId: number) => jobCaller(organizationId, 'local-reports'),
  };
  const failures: unknown[] = [];
  const reported: string[] = [];
  for (const report of await listPendingReports(db, BATCH)) {
    await applyCarrierEvent(deps, report).then(
      () => reported.push(report.id),
      (error: unknown) => failures.push(error),
    );
  }
  if (reported.length > 0) await markReported(db, reported);
  if (failures.length > 0) throw failures[0];
}
