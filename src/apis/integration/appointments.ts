import { findAppointment, readAppointment } from '../../domain/scheduling/appointment/appointment-reader.ts';
import { changeAppointment } from '../../domain/scheduling/booking/appointments.ts';
import { scheduleAppointment } from '../../domain/scheduling/booking/booking.ts';
import { cancelAppointment } from '../../domain/scheduling/booking/cancellation.ts';
import { listAppointments } from '../../domain/scheduling/lists/appointment-lists.ts';
import { setStatus } from '../../domain/scheduling/status/appointment-status.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { STATUS_DESCRIPTION, StatusRequest } from '../../http/wire/appointment-statuses.ts';
import { cancelQuery } from '../../http/wire/change-notices.ts';
import { pageLinks } from '../../http/wire/links.ts';
import {
  AppointmentList,
  AppointmentRequest,
  AppointmentResponse,
  appointmentListQuery,
  appointmentParams,
  fromAppointment,
  MessageResponse,
  toAppointment,
  toAppointmentFilter,
} from './appointments.wire.ts';

/** `GET` and `POST /api/appointments`, and `/api/appointments/{uuid}`. */
export function appointmentRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Appointments' });
  post('/appointments', {
    operationId: 'createAppointment',
    summary: 'Create an appointment',
    description: 'All fields are optional. An appointment without a date is stored and appears in lists once it has one.',
    body: AppointmentRequest,
    bodyOptional: true,
    response: AppointmentResponse,
    etag: true,
    handle: async ({ tx, body }) => ({ data: fromAppointment(await scheduleAppointment(tx, toAppointment(body))) }),
  });

  get('/appointments', {
    operationId: 'listAppointments',
    beyondDocument: true,
    summary: 'List appointments',
    description: 'Sorted by start time. Cancelled appointments and those without a date are not listed; an unknown patient has none.',
    query: appointmentListQuery,
    response: AppointmentList,
    handle: async ({ tx, query, request }) => {
      const appointments = await listAppointments(tx, toAppointmentFilter(query), query);
      return { data: appointments.items.map(fromAppointment), links: pageLinks(request, appointments), meta: null };
    },
  });

  const current = get('/appointments/:uuid', {
    operationId: 'getAppointment',
    summary: 'Read an appointment',
    params: appointmentParams,
    response: AppointmentResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromAppointment(await readAppointment(tx, params.uuid)) }),
  });

  put('/appointments/:uuid', {
    operationId: 'updateAppointment',
    summary: 'Update an appointment',
    description: 'Only the fields sent are changed; null clears a field. A rescheduled appointment must be confirmed again.',
    params: appointmentParams,
    body: AppointmentRequest,
    response: AppointmentResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => ({
      data: fromAppointment(await changeAppointment(tx, params.uuid, toAppointment(body))),
    }),
  });

  post('/appointments/:uuid/status', {
    operationId: 'setAppointmentStatus',
    beyondDocument: true,
    summary: 'Set the progress of a visit, or restore it',
    description: STATUS_DESCRIPTION,
    params: appointmentParams,
    body: StatusRequest,
    response: AppointmentResponse,
    etag: true,
    current: async ({ tx, params }) => ({
      data: fromAppointment(await findAppointment(tx, params.uuid, undefined, { cancelled: true })),
    }),
    handle: async ({ tx, params, body }) => ({ data: fromAppointment(await setStatus(tx, params.uuid, body)) }),
  });

  remove('/appointments/:uuid', {
    operationId: 'cancelAppointment',
    beyondDocument: true,
    summary: 'Cancel an appointment',
    description: 'Used by public clients of the API.',
    params: appointmentParams,
    query: cancelQuery,
    response: MessageResponse,
    current,
    handle: async ({ tx, params, query }) => {
      await cancelAppointment(tx, params.uuid, query.notify, query.reason);
      return { message: 'The appointment is cancelled.' };
    },
  });
}
