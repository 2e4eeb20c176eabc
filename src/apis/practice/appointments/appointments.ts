import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findPatient } from '../../../domain/patients/chart/find-patient.ts';
import {
  type BookedAppointments,
  cancelForPatient,
  confirmForPatient,
  listBookedAppointments,
  readBookedAppointment,
  rescheduleForPatient,
} from '../../../domain/scheduling/booked/booked-appointments.ts';
import { changeBooked } from '../../../domain/scheduling/hours/reassign.ts';
import { setStatus } from '../../../domain/scheduling/status/appointment-status.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { positionLinks } from '../paging.ts';
import { AppointmentShape, fromAppointment, showsConfirmation } from './appointment.wire.ts';
import {
  AppointmentList,
  appointmentParams,
  bookedQuery,
  CancelForm,
  CancelledShape,
  CancelParameters,
  ConfirmationForm,
  ConfirmationParameters,
  patientAppointmentsQuery,
  patientParams,
  RescheduleForm,
  RescheduleParameters,
  toBookedFilter,
  toCancellation,
  toConfirmation,
  toOfPatient,
  toPatientFilter,
  toReschedule,
} from './appointments.wire.ts';
import { BookedUpdated, BookedUpdateForm, renameIssues, toBookedUpdate } from './booked-update.wire.ts';

const APPOINTMENTS = { tag: 'Appointments', beyondDocument: true } as const;
const EITHER_PART = 'Parameters may be in the query or in the form.';
const WITHHELD = 'Restricted and blocked patients are named only for clients with the scope restricted.read.';

interface OfAppointment {
  tx: Tx;
  params: { appointmentId: number };
  query: { showconfirmation: boolean };
}

/** The appointment as it is now, which If-Match is compared with. */
export const showBooked = async ({ tx, params, query }: OfAppointment) => [
  fromAppointment(await readBookedAppointment(tx, params.appointmentId), query),
];

export function practiceAppointmentRoutes(endpoints: Endpoints): void {
  bookedRoutes(endpoints);
  changeRoutes(endpoints);
}

function bookedRoutes({ get }: Endpoints): void {
  get('/appointments/:appointmentId', {
    ...APPOINTMENTS,
    operationId: 'getAppointment',
    summary: 'Read an appointment',
    description: `Includes cancelled appointments, and open ones without a patient. ${WITHHELD}`,
    params: appointmentParams,
    query: z.object(showsConfirmation),
    response: z.array(AppointmentShape),
    etag: true,
    handle: showBooked,
  });

  const booked = {
    ...APPOINTMENTS,
    description: `Sorted by start, without open appointments. ${WITHHELD}`,
    query: bookedQuery,
    response: AppointmentList,
  } as const;
  for (const [path, operationId, summary] of [
    ['/appointments/booked', 'listBookedAppointments', 'List booked appointments'],
    ['/appointments/booked/multipledepartment', 'listBookedAppointmentsOfDepartments', 'List booked appointments of several departments'],
  ] as const) {
    get(path, {
      ...booked,
      operationId,
      summary,
      handle: async ({ tx, query, request }) =>
        toPage(request, query, await listBookedAppointments(tx, await toBookedFilter(query), query)),
    });
  }

  get('/patients/:patientId/appointments', {
    ...APPOINTMENTS,
    operationId: 'listPatientAppointments',
    summary: 'List the appointments of a patient',
    description:
      'Sorted by start, from all charts of the person. Responds 404 for deleted patients, and for restricted and blocked ones unless the client has the scope restricted.read.',
    params: patientParams,
    query: patientAppointmentsQuery,
    response: AppointmentList,
    handle: async ({ tx, params, query, request }) => {
      const { id } = await findPatient(tx, params.patientId);
      return toPage(request, query, await listBookedAppointments(tx, toPatientFilter(id, query), query));
    },
  });
}

function changeRoutes(endpoints: Endpoints): void {
  const { put } = endpoints.group(APPOINTMENTS);
  put('/appointments/:appointmentId/cancel', {
    operationId: 'cancelAppointment',
    summary: 'Cancel an appointment',
    description: `The patient is notified according to the practice’s settings. Cancelling again changes nothing. With the reason that the patient did not come, the appointment counts as missed. ${EITHER_PART} 409 if the patient has arrived.`,
    params: appointmentParams,
    query: CancelParameters.extend(showsConfirmation),
    body: CancelForm,
    bodyOptional: true,
    response: CancelledShape,
    current: showBooked,
    handle: async ({ tx, params, query, body }) => {
      await cancelForPatient(tx, toOfPatient(params.appointmentId, query, body), toCancellation(query, body));
      return { status: 'x' } as const;
    },
  });

  put('/appointments/booked/:appointmentId', {
    operationId: 'updateBookedAppointment',
    summary: 'Update the type, department, provider or status of a booked appointment',
    description:
      'The time does not change. 409 if it has no patient or has ended. Within 24 hours of its end, `appointmentstatus` restores it unless its time has been taken.',
    params: appointmentParams,
    body: BookedUpdateForm,
    response: BookedUpdated,
    handle: async ({ tx, params, body }) => {
      const { change, status } = toBookedUpdate(body);
      if (status) await setStatus(tx, params.appointmentId, { status });
      if (change) await renameIssues(changeBooked(tx, params.appointmentId, change.providerId, change.given));
      return 1 as const;
    },
  });

  put('/appointments/:appointmentId/confirmation', {
    operationId: 'confirmAppointment',
    summary: 'Confirm or decline an appointment',
    description: `Records the answer that the patient gave you. ${EITHER_PART} 409 if the appointment is no longer ahead.`,
    params: appointmentParams,
    query: ConfirmationParameters.extend(showsConfirmation),
    body: ConfirmationForm,
    bodyOptional: true,
    response: z.array(AppointmentShape),
    current: showBooked,
    handle: async ({ tx, params, query, body }) => {
      const { of, answer } = await toConfirmation(params.appointmentId, query, body);
      await confirmForPatient(tx, of, answer);
      return [fromAppointment(await readBookedAppointment(tx, params.appointmentId), { showconfirmation: true })];
    },
  });

  put('/appointments/:appointmentId/reschedule', {
    operationId: 'rescheduleAppointment',
    summary: 'Reschedule an appointment',
    description: `Moves the patient to an open appointment and cancels the former one; or moves the appointment, which keeps its id, to another day and time, even a past one. ${EITHER_PART} 409 if the new appointment is taken or the patient has arrived.`,
    params: appointmentParams,
    query: RescheduleParameters.extend(showsConfirmation),
    body: RescheduleForm,
    bodyOptional: true,
    response: z.array(AppointmentShape),
    current: showBooked,
    handle: async ({ tx, params, query, body }) => {
      const { of, to } = await toReschedule(params.appointmentId, query, body);
      const id = await renameIssues(rescheduleForPatient(tx, of, to));
      return [fromAppointment(await readBookedAppointment(tx, id), query)];
    },
  });
}

const toPage = (
  request: FastifyRequest,
  window: { limit: number; offset: number; showconfirmation: boolean },
  { appointments, ...page }: BookedAppointments,
) => ({
  totalcount: page.total,
  appointments: appointments.map((one) => fromAppointment(one, window)),
  ...positionLinks(request, window, page),
});
