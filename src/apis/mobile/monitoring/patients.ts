import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statement.ts';
import type { Caller } from '../../../domain/caller.ts';
import { findMonitoredPatient, listMonitoredPatients, readMonitoredPatient } from '../../../domain/monitoring/patients.ts';
import { requireOwnOrganization } from '../../../domain/practices/organizations.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
import {
  fromMonitoredPatient,
  MonitoredPatientList,
  MonitoredPatientResponse,
  monitoredPatientParams,
  monitoredPatientQuery,
  monitoredPatientsQuery,
  toMonitoredSearch,
} from './patients.wire.ts';

/** The monitored patient as its own address answers with it, or null: an enrolment changes its tag. */
export async function taggedPatient(db: Db, caller: Caller, id: number) {
  const patient = await findMonitoredPatient({ db, prepared: preparedIn(db) }, caller, id);
  return patient && { data: fromMonitoredPatient(patient) };
}

/** Monitored patients. */
export function monitoredPatientRoutes({ get }: Endpoints): void {
  get('/remote-patient-monitoring/patients', {
    operationId: 'listMonitoredPatients',
    summary: 'List monitored patients',
    description:
      'Patients with the flag RPM, sorted by name by default, each with programs, tracked conditions, the last check-in and open reviews. Only your own organization can be requested.',
    tag: 'Remote patient monitoring',
    query: monitoredPatientsQuery,
    response: MonitoredPatientList,
    handle: async ({ db, prepared, caller, query, request }) => {
      requireOwnOrganization(caller, query.org_uuid ?? undefined, 'org_uuid');
      return writePage(
        request,
        await listMonitoredPatients({ db, prepared }, caller, toMonitoredSearch(query), query),
        fromMonitoredPatient,
      );
    },
  });

  get('/remote-patient-monitoring/patients/:patient', {
    operationId: 'getMonitoredPatient',
    summary: 'Read a monitored patient',
    description: 'Responds 404 for a patient without the flag RPM. The sort parameters have no effect on a single record.',
    tag: 'Remote patient monitoring',
    params: monitoredPatientParams,
    query: monitoredPatientQuery,
    response: MonitoredPatientResponse,
    etag: true,
    handle: async ({ db, prepared, caller, params }) => ({
      data: fromMonitoredPatient(await readMonitoredPatient({ db, prepared }, caller, params.patient)),
    }),
  });
}
