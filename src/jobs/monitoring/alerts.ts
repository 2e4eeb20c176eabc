import { escalateAlert, listDueAlerts } from '../../domain/monitoring/alerts/alert-escalation.ts';
import { listOrganizationsWithMissedCheckIns, raiseAlertsOfMissedCheckIns } from '../../domain/monitoring/alerts/missed-check-ins.ts';
import { listDuePatientTexts, textPatient } from '../../domain/monitoring/alerts/patient-texts.ts';
import { type WriteEachDeps, writeEach } from '../write-each.ts';

/** Alerts, or check-ins of an organization, per run. */
const MOST = 500;

/** Notifies the next people of each alert that nobody has acknowledged in time. */
export const escalateAlerts = (deps: WriteEachDeps): Promise<void> =>
  writeEach(deps, 'escalate-alerts', {
    list: (db) => listDueAlerts(db, MOST),
    write: (db, caller, { id }) => escalateAlert(db, caller, id),
  });

/** Raises alerts of check-ins that nobody has answered in the time of their program. */
export const raiseMissedAlerts = (deps: WriteEachDeps): Promise<void> =>
  writeEach(deps, 'missed-check-ins', {
    list: async (db) => (await listOrganizationsWithMissedCheckIns(db)).map((organizationId) => ({ organizationId })),
    write: (db, caller) => raiseAlertsOfMissedCheckIns(db, caller, MOST),
  });

export const textPatientsInDanger = (deps: WriteEachDeps): Promise<void> =>
  writeEach(deps, 'text-patients-in-danger', {
    list: (db) => listDuePatientTexts(db, MOST),
    write: (db, caller, { id }) => textPatient(db, caller, id),
  });
