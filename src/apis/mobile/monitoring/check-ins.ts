import { countCheckIns } from '../../../domain/monitoring/reviews/check-in-counts.ts';
import { listCheckIns, listPatientCheckIns } from '../../../domain/monitoring/reviews/check-ins.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
import {
  CheckInCountsResponse,
  CheckInReportList,
  checkInsQuery,
  countParams,
  fromCheckIn,
  fromCounts,
  patientCheckInsQuery,
  patientParams,
  toCheckInSort,
  toDates,
} from './check-ins.wire.ts';

export function monitoringCheckInRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Remote patient monitoring' });
  get('/remote-patient-monitoring/checkins', {
    operationId: 'listMonitoringCheckIns',
    summary: 'List the check-ins of your organization',
    description: 'Sorted newest first by default. Answers appear as soon as the patient submits them.',
    query: checkInsQuery,
    response: CheckInReportList,
    handle: async ({ tx, query, request }) => writePage(request, await listCheckIns(tx, toCheckInSort(query), query), fromCheckIn),
  });

  get('/remote-patient-monitoring/checkins/count/:user_uuid', {
    operationId: 'countMonitoringCheckIns',
    summary: 'Count the check-ins of a user’s patients',
    description:
      'Counts the check-ins that the user sent, and those of patients whose primary provider is the user or whose tracked conditions name the user.',
    params: countParams,
    response: CheckInCountsResponse,
    handle: async ({ tx, params }) => ({ data: fromCounts(await countCheckIns(tx, params.user_uuid)) }),
  });

  get('/remote-patient-monitoring/checkins/patients/:patient_uuid', {
    operationId: 'listPatientCheckIns',
    summary: 'List the check-ins of a patient',
    description: 'Check-ins sent between two dates, newest first by default.',
    params: patientParams,
    query: patientCheckInsQuery,
    response: CheckInReportList,
    handle: async ({ tx, params, query, request }) => {
      const which = { patientId: params.patient_uuid, dates: toDates(query), sort: toCheckInSort(query) };
      return writePage(request, await listPatientCheckIns(tx, which, query), fromCheckIn);
    },
  });
}
