import { listMonitoredPatients, readMonitoredPatient } from '../../../domain/monitoring/patients.ts';
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

/** Monitored patients. */
export function monitoredPatientRoutes({ get }: Endpoints): void {
  get('/remote-patient-monitoring/patients', {
    operationId: 'listMonitoredPatients',
    summary: 'List the patients who are monitored',
    description:
      'Those with the flag RPM, by name unless asked otherwise, each with what a care team looks at first. There is only your own organization to ask for.',
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
    summary: 'Read a patient who is monitored',
    description: 'A patient without the flag RPM is not found here. Sorting makes no difference to one record.',
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
