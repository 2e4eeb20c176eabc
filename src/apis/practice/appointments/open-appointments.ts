import { z } from 'zod';
import { readBookedAppointment } from '../../../domain/scheduling/booked/booked-appointments.ts';
import { scheduleAppointment } from '../../../domain/scheduling/booking/booking.ts';
import { bookOpenTime, freezeOpenTime, listOpenTimes } from '../../../domain/scheduling/booking/open-times.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { pageLinks } from '../paging.ts';
import { AppointmentShape, fromAppointment, showsConfirmation } from './appointment.wire.ts';
import { showBooked } from './appointments.ts';
import { appointmentParams } from './appointments.wire.ts';
import { renameIssues } from './booked-update.wire.ts';
import {
  BookForm,
  BookParameters,
  FreezeForm,
  FreezeParameters,
  FrozenShape,
  fromOpenTime,
  OpenAppointmentList,
  OpenedShape,
  OpenForm,
  openQuery,
  toBooking,
  toFreeze,
  toOpenAppointments,
  toOpenFilter,
} from './open-appointments.wire.ts';

const EITHER_PART = 'The parameters may come in the query or in the form.';

export function openAppointmentRoutes(endpoints: Endpoints): void {
  const { get, post, put } = endpoints.group({ tag: 'Appointments', beyondDocument: true });
  get('/appointments/open', {
    operationId: 'listOpenAppointments',
    summary: 'List open appointments',
    description: 'Appointments without a patient, and free times within the providers’ hours, sorted by start. Ids are valid for a day.',
    query: openQuery,
    response: OpenAppointmentList,
    handle: async ({ tx, query, request }) => {
      const { items, total } = await listOpenTimes(tx, toOpenFilter(query), query);
      return { totalcount: total, ...pageLinks(request, query, total), appointments: items.map(fromOpenTime) };
    },
  });

  post('/appointments/open', {
    operationId: 'createOpenAppointments',
    summary: 'Create open appointments',
    description: 'Creates an appointment without a patient at each of the times, regardless of the provider’s hours.',
    body: OpenForm,
    response: OpenedShape,
    handle: async ({ tx, body }) => {
      const appointmentids: Record<string, string> = {};
      for (const { time, input } of toOpenAppointments(body)) {
        const { id } = await renameIssues(scheduleAppointment(tx, input));
        appointmentids[id] = time;
      }
      return { appointmentids };
    },
  });

  put('/appointments/:appointmentId', {
    operationId: 'bookAppointment',
    summary: 'Book an open appointment',
    description: `For a patient. ${EITHER_PART} 409 if it is taken or frozen.`,
    params: appointmentParams,
    query: BookParameters.extend(showsConfirmation),
    body: BookForm,
    bodyOptional: true,
    response: z.array(AppointmentShape),
    current: showBooked,
    handle: async ({ tx, params, query, body }) => {
      const id = await renameIssues(bookOpenTime(tx, params.appointmentId, toBooking(query, body)));
      return [fromAppointment(await readBookedAppointment(tx, id), query)];
    },
  });

  put('/appointments/:appointmentId/freeze', {
    operationId: 'freezeAppointment',
    summary: 'Freeze an open appointment',
    description: `Prevents it from being booked, or allows that again. ${EITHER_PART} 409 if it is taken.`,
    params: appointmentParams,
    query: FreezeParameters,
    body: FreezeForm,
    bodyOptional: true,
    response: FrozenShape,
    current: async ({ tx, params }) => [
      fromAppointment(await readBookedAppointment(tx, params.appointmentId), { showconfirmation: false }),
    ],
    handle: async ({ tx, params, query, body }) => {
      const freeze = toFreeze(query, body);
      const success = await freezeOpenTime(tx, params.appointmentId, freeze);
      return { success, errormessage: success ? '' : `Appointment is already ${freeze ? 'frozen' : 'unfrozen'}.` };
    },
  });
}
