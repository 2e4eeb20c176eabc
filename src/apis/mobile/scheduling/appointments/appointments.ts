import { preparedIn } from '../../../../database/statements/statement.ts';
import { AGENT_SCOPES } from '../../../../domain/identity/clients/client-scopes.ts';
import { findAppointment, readAppointment } from '../../../../domain/scheduling/appointment/appointment-reader.ts';
import { changeAppointment } from '../../../../domain/scheduling/booking/appointments.ts';
import { scheduleAppointment } from '../../../../domain/scheduling/booking/booking.ts';
import { cancelAppointment } from '../../../../domain/scheduling/booking/cancellation.ts';
import { setStatus } from '../../../../domain/scheduling/status/appointment-status.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { cancelQuery } from '../../../../http/wire/change-notices.ts';
import { STATUS_DESCRIPTION, StatusRequest } from '../../../../http/wire/visit-statuses.ts';
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
    handle: async ({ db, caller, body }) => showSaved(preparedIn(db), caller, await scheduleAppointment(db, caller, toAppointment(body))),
  });

  get('/appointments/:uuid', {
    operationId: 'getAppointment',
    summary: 'Read an appointment',
    params: appointmentParams,
    response: AppointmentResponse,
    etag: true,
    handle: async ({ caller, params, prepared }) => showAppointment(prepared, caller, await readAppointment(prepared, caller, params.uuid)),
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
    current: async ({ db, caller, params }) =>
      showAppointment(preparedIn(db), caller, await findAppointment(preparedIn(db), caller, params.uuid)),
    handle: async ({ db, caller, params, body }) =>
      showSaved(preparedIn(db), caller, await changeAppointment(db, caller, params.uuid, toAppointment(body))),
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
    current: async ({ db, caller, params }) =>
      showAppointment(preparedIn(db), caller, await findAppointment(preparedIn(db), caller, params.uuid, undefined, { cancelled: true })),
    handle: async ({ db, caller, params, body }) => showAppointment(preparedIn(db), caller, await setStatus(db, caller, params.uuid, body)),
  });

  remove('/appointments/:uuid', {
    operationId: 'cancelAppointment',
    summary: 'Cancel an appointment',
    description: 'The appointment is removed from every list, but kept in the history.',
    params: appointmentParams,
    query: cancelQuery,
    current: async ({ db, caller, params }) =>
      showAppointment(preparedIn(db), caller, await findAppointment(preparedIn(db), caller, params.uuid)),
    handle: ({ db, caller, params, query }) => cancelAppointment(db, caller, params.uuid, query.notify, query.reason),
  });
}
