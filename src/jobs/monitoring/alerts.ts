import type { Db } from '../../database/database.ts';
import { type Caller, jobCaller } from '../../domain/caller.ts';
import { escalateAlert, listDueAlerts } from '../../domain/monitoring/alerts/alert-escalation.ts';
import { listOrganizationsWithMissedCheckIns, raiseAlertsOfMissedCheckIns } from '../../domain/monitoring/alerts/missed-check-ins.ts';
import { listDuePatientTexts, textPatient } from '../../domain/monitoring/alerts/patient-texts.ts';
import type { JobDeps } from '../queue/job-deps.ts';

type Deps = Pick<JobDeps, 'database' | 'outbox' | 'unitOfWork'>;

/** Alerts, or check-ins of an organization, per run. */
const MOST = 500;

/** Notifies the next people of each alert that nobody has acknowledged in time. */
export const escalateAlerts = (deps: Deps): Promise<void> =>
  writeEach(deps, 'escalate-alerts', {
    list: (db) => listDueAlerts(db, MOST),
    write: (db, caller, { id }) => escalateAlert(db, caller, id),
  });

/** Raises alerts of check-ins that nobody has answered in the time of their program. */
export const raiseMissedAlerts = (deps: Deps): Promise<void> =>
  writeEach(deps, 'missed-check-ins', {
    list: async (db) => (await listOrganizationsWithMissedCheckIns(db)).map((organizationId) => ({ organizationId })),
    write: (db, caller) => raiseAlertsOfMissedCheckIns(db, caller, MOST),
  });

/** Texts patients what to do about a danger value. */
export const textPatientsInDanger = (deps: Deps): Promise<void> =>
  writeEach(deps, 'text-patients-in-danger', {
    list: (db) => listDuePatientTexts(db, MOST),
    write: (db, caller, { id }) => textPatient(db, caller, id),
  });

interface Work<T> {
  list(db: Db): Promise<T[]>;
  write(db: Db, caller: Caller, one: T): Promise<void>;
}

/**
 * Each step is one transaction with its notifications and texts, so that none is lost by a kill or made twice by several processes.
 * @throws the first error, after all were tried
 */
async function writeEach<T extends { organizationId: number }>(
  { database, outbox, unitOfWork }: Deps,
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
