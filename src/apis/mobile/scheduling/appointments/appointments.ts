import { AGENT_SCOPES } from '../../../../domain/identity/clients/client-scopes.ts';
import { findAppointment, readAppointment } from '../../../../domain/scheduling/appointment/appointment-reader.ts';
import { changeAppointment } from '../../../../domain/scheduling/booking/appointments.ts';
import { scheduleAppointment } from '../../../../domain/scheduling/booking/booking.ts';
import { cancelAppointment } from '../../../../domain/scheduling/booking/cancellation.ts';
import { setStatus } from '../../../../domain/scheduling/status/appointment-status.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { STATUS_DESCRIPTION, StatusRequest } from '../../../../http/wire/appointment-statuses.ts';
import { cancelQuery } from '../../../../http/wire/change-notices.ts';
import { showAppointment, showSaved } from './appointment-answers.ts';
import {
  AppointmentRequest,
  AppointmentResponse,
  appointmentParams,
  ignoredRecords,
  SavedAppointmentResponse,
  toAppointment,
} from './appointments.wire.ts';

export function appointmentRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Appointments' });
  post('/appointments/', {
    operationId: 'createAppointment',
    scope: AGENT_SCOPES.write,
    summary: 'Create an appointment',
    description:
      'All fields are optional. An appointment without a date is stored and appears in lists once it has one. Booking by `slot` or `hold` guarantees the time.',
    body: AppointmentRequest,
    ignored: ignoredRecords,
    response: SavedAppointmentResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => showSaved(tx, await scheduleAppointment(tx, toAppointment(body))),
  });

  const current = get('/appointments/:uuid', {
    operationId: 'getAppointment',
    summary: 'Read an appointment',
    params: appointmentParams,
    response: AppointmentResponse,
    etag: true,
    handle: async ({ tx, params }) => showAppointment(tx, await readAppointment(tx, params.uuid)),
  });

  post('/appointments/:uuid', {
    operationId: 'saveAppointment',
    summary: 'Update an appointment',
    description: 'Only the fields sent are changed; null clears a field. A rescheduled appointment must be confirmed again.',
    params: appointmentParams,
    body: AppointmentRequest,
    ignored: ignoredRecords,
    response: SavedAppointmentResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => showSaved(tx, await changeAppointment(tx, params.uuid, toAppointment(body))),
  });

  post('/appointments/:uuid/status', {
    operationId: 'setAppointmentStatus',
    summary: 'Set the progress of a visit, or restore it',
    beyondDocument: true,
    description: STATUS_DESCRIPTION,
    params: appointmentParams,
    body: StatusRequest,
    response: AppointmentResponse,
    etag: true,
    current: async ({ tx, params }) => showAppointment(tx, await findAppointment(tx, params.uuid, undefined, { cancelled: true })),
    handle: async ({ tx, params, body }) => showAppointment(tx, await setStatus(tx, params.uuid, body)),
  });

  remove('/appointments/:uuid', {
    operationId: 'cancelAppointment',
    summary: 'Cancel an appointment',
    description: 'The appointment is removed from every list, but kept in the history.',
    params: appointmentParams,
    query: cancelQuery,
    current,
    handle: ({ tx, params, query }) => cancelAppointment(tx, params.uuid, query.notify, query.reason),
  });
}
