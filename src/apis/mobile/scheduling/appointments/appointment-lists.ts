import { AGENT_SCOPES } from '../../../../domain/identity/clients/client-scopes.ts';
import { findPatient } from '../../../../domain/patients/chart/find-patient.ts';
import { countAppointments, listAppointments } from '../../../../domain/scheduling/lists/appointment-lists.ts';
import { pageOfTimeZones } from '../../../../domain/values/time/time-zones.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { showAppointments } from './appointment-answers.ts';
import {
  AppointmentList,
  allAppointmentsQuery,
  allStatusQuery,
  appointmentSearchQuery,
  fromAppointmentCounts,
  fromTimeZone,
  ownAppointmentsQuery,
  PercentageResponse,
  patientAppointmentsParams,
  patientAppointmentsQuery,
  percentageQuery,
  statusQuery,
  TimeZoneList,
  timeZonesQuery,
  toFilter,
  toOwnFilter,
} from './appointment-lists.wire.ts';

const ORDER = 'Sorted by start time. Cancelled appointments and those without a date are not listed.';
const LIST = { tag: 'Appointments', description: ORDER, response: AppointmentList } as const;

export function appointmentListRoutes({ get }: Endpoints): void {
  get('/appointments', {
    ...LIST,
    operationId: 'listOwnAppointments',
    summary: 'List your appointments',
    query: ownAppointmentsQuery,
    handle: async ({ tx, query, request }) => showAppointments({ tx, request }, await listAppointments(tx, toOwnFilter(query, tx), query)),
  });

  get('/appointments/all', {
    ...LIST,
    operationId: 'listAppointments',
    summary: 'List the appointments of all users, or of one user',
    query: allAppointmentsQuery,
    handle: async ({ tx, query, request }) => showAppointments({ tx, request }, await listAppointments(tx, toFilter(query), query)),
  });

  get('/appointments/search', {
    ...LIST,
    operationId: 'searchAppointments',
    summary: 'Search appointments',
    query: appointmentSearchQuery,
    handle: async ({ tx, query, request }) => showAppointments({ tx, request }, await listAppointments(tx, toFilter(query), query)),
  });

  get('/appointments/patient/:uuid', {
    ...LIST,
    operationId: 'listAppointmentsOfPatient',
    scope: AGENT_SCOPES.read,
    summary: 'List the appointments of a patient',
    params: patientAppointmentsParams,
    query: patientAppointmentsQuery,
    handle: async ({ tx, params, query, request }) => {
      const { id: patientId } = await findPatient(tx, params.uuid);
      return showAppointments({ tx, request }, await listAppointments(tx, { ...toFilter(query), patientId }, query));
    },
  });

  get('/appointments/status', {
    ...LIST,
    operationId: 'listAppointmentsByStatus',
    summary: 'List appointments by confirmation status',
    description: `user_id defaults to the calling user, status to the confirmed appointments. ${ORDER}`,
    query: statusQuery,
    handle: async ({ tx, query, request }) => showAppointments({ tx, request }, await listAppointments(tx, toOwnFilter(query, tx), query)),
  });

  get('/appointments/status/all', {
    ...LIST,
    operationId: 'listAppointmentStatuses',
    summary: 'List the appointments of all users with their confirmation status',
    query: allStatusQuery,
    handle: async ({ tx, query, request }) => showAppointments({ tx, request }, await listAppointments(tx, toFilter(query), query)),
  });

  get('/appointments/percentage', {
    operationId: 'getConfirmedPercentage',
    summary: 'Read the percentages of confirmed, missed and cancelled appointments',
    description: 'Counts appointments that have a date. Cancelled ones count in `statuses` and in `cancelled_percentage` only.',
    tag: 'Appointments',
    query: percentageQuery,
    response: PercentageResponse,
    handle: async ({ tx, query }) => ({
      data: fromAppointmentCounts(await countAppointments(tx, toFilter(query))),
    }),
  });

  get('/appointments/timezones', {
    operationId: 'listTimeZones',
    summary: 'List time zones',
    description: 'Time zones of the IANA database, sorted by name, with their current UTC offset and abbreviation.',
    tag: 'Appointments',
    query: timeZonesQuery,
    response: TimeZoneList,
    handle: async ({ query, request }) => writePage(request, pageOfTimeZones(new Date(), query), fromTimeZone),
  });
}
