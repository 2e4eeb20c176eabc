import { findCanText } from '../../../../domain/messaging/recipients/can-text.ts';
import {
  findMonitoredPatient,
  listMonitoredPatients,
  type MonitoredPatient,
  readMonitoredPatient,
} from '../../../../domain/monitoring/patients/patients.ts';
import { requireOwnOrganization } from '../../../../domain/practices/organizations.ts';
import type { Tx } from '../../../../domain/tx.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromMonitoredPatient,
  MonitoredPatientList,
  MonitoredPatientResponse,
  monitoredPatientParams,
  monitoredPatientQuery,
  monitoredPatientsQuery,
  toMonitoredSearch,
} from './patients.wire.ts';

const showMonitored = async (tx: Tx, monitored: MonitoredPatient) => ({
  data: fromMonitoredPatient(monitored, await findCanText(tx, { patientIds: [monitored.patient.id] })),
});

/** The monitored patient as its own address answers with it, or null: an enrolment changes its tag. */
export async function taggedPatient(tx: Tx, id: number) {
  const patient = await findMonitoredPatient(tx, id);
  return patient && showMonitored(tx, patient);
}

export function monitoredPatientRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Remote patient monitoring' });
  get('/remote-patient-monitoring/patients', {
    operationId: 'listMonitoredPatients',
    summary: 'List monitored patients',
    description:
      'Patients with the flag RPM, sorted by name by default, each with programs, tracked conditions, the last check-in and open reviews. Only your own organization can be requested.',
    query: monitoredPatientsQuery,
    response: MonitoredPatientList,
    handle: async ({ tx, query, request }) => {
      requireOwnOrganization(tx, query.org_uuid ?? undefined, 'org_uuid');
      const patients = await listMonitoredPatients(tx, toMonitoredSearch(query), query);
      const canText = await findCanText(tx, { patientIds: patients.items.map(({ patient }) => patient.id) });
      return writePage(request, patients, (patient) => fromMonitoredPatient(patient, canText));
    },
  });

  get('/remote-patient-monitoring/patients/:patient', {
    operationId: 'getMonitoredPatient',
    summary: 'Read a monitored patient',
    description: 'Responds 404 for a patient without the flag RPM. The sort parameters have no effect on a single record.',
    params: monitoredPatientParams,
    query: monitoredPatientQuery,
    response: MonitoredPatientResponse,
    etag: true,
    handle: async ({ tx, params }) => showMonitored(tx, await readMonitoredPatient(tx, params.patient)),
  });
}
