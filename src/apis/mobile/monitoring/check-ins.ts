import { countCheckIns } from '../../../domain/monitoring/check-in-counts.ts';
import { listCheckIns, listPatientCheckIns } from '../../../domain/monitoring/check-ins.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
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

/** Check-ins of monitored patients. */
export function monitoringCheckInRoutes({ get }: Endpoints): void {
  get('/remote-patient-monitoring/checkins', {
    operationId: 'listMonitoringCheckIns',
    summary: 'List the check-ins of your organization',
    description: 'The newest first unless asked otherwise. An answer is there as soon as the patient gave it.',
    tag: 'Remote patient monitoring',
    query: checkInsQuery,
    response: CheckInReportList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listCheckIns(db, caller, toCheckInSort(query), query), fromCheckIn),
  });

  get('/remote-patient-monitoring/checkins/count/:user_uuid', {
    operationId: 'countMonitoringCheckIns',
    summary: 'Count the check-ins of a user’s patients',
    description:
      'Those that the user sent, and those of patients whose primary provider the user is or for whom a tracked condition names the user.',
    tag: 'Remote patient monitoring',
    params: countParams,
    response: CheckInCountsResponse,
    handle: async ({ db, caller, params }) => ({ data: fromCounts(await countCheckIns(db, caller, params.user_uuid)) }),
  });

  get('/remote-patient-monitoring/checkins/patients/:patient_uuid', {
    operationId: 'listPatientCheckIns',
    summary: 'List the check-ins of a patient',
    description: 'Sent between two dates; the newest first unless asked otherwise.',
    tag: 'Remote patient monitoring',
    params: patientParams,
    query: patientCheckInsQuery,
    response: CheckInReportList,
    handle: async ({ db, caller, params, query, request }) => {
      const which = { patientId: params.patient_uuid, dates: toDates(query), sort: toCheckInSort(query) };
      return writePage(request, await listPatientCheckIns(db, caller, which, query), fromCheckIn);
    },
  });
}
