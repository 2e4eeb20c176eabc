import { createAppointmentType, findAppointmentType, listAppointmentTypes, updateAppointmentType } from '../../domain/appointment-types.ts';
import { invalid } from '../../domain/errors.ts';
import type { Endpoints } from '../../http/endpoints.ts';
import {
  AppointmentTypeRequest,
  AppointmentTypeResponse,
  fromAppointmentType,
  fromAppointmentTypes,
  GetAppointmentTypesResponse,
  listQuery,
  toAppointmentType,
} from './appointment-types.wire.ts';

export function appointmentTypeRoutes({ get, post, put }: Endpoints): void {
  get('/appointments/types', {
    operationId: 'listAppointmentTypes',
    summary: 'List appointment types',
    description: 'The organization’s own types and the global ones, by id.',
    tag: 'Appointment types',
    query: listQuery,
    answers: GetAppointmentTypesResponse,
    handle: async ({ db, caller, query, request }) =>
      fromAppointmentTypes(await listAppointmentTypes(db, caller, query), `${request.protocol}://${request.host}/api/appointments/types`),
  });

  post('/appointments/types', {
    operationId: 'createAppointmentType',
    summary: 'Create an appointment type',
    tag: 'Appointment types',
    body: AppointmentTypeRequest,
    answers: AppointmentTypeResponse,
    tagged: true,
    handle: async ({ db, caller, body }) => {
      const { name, ...rest } = toAppointmentType(body);
      if (name === undefined) throw invalid('name', 'is missing', 'missing');
      return { data: fromAppointmentType(await createAppointmentType(db, caller, { ...rest, name })) };
    },
  });

  put('/appointments/types', {
    operationId: 'updateAppointmentType',
    summary: 'Update an appointment type',
    description: 'The type is named by the uuid in the body. Only what is sent changes.',
    tag: 'Appointment types',
    body: AppointmentTypeRequest,
    answers: AppointmentTypeResponse,
    tagged: true,
    current: async ({ db, caller, body }) => ({ data: fromAppointmentType(await findAppointmentType(db, caller, typeId(body))) }),
    handle: async ({ db, caller, body }) => ({
      data: fromAppointmentType(await updateAppointmentType(db, caller, typeId(body), toAppointmentType(body))),
    }),
  });
}

function typeId({ uuid }: AppointmentTypeRequest): number {
  if (typeof uuid !== 'number') throw invalid('uuid', 'is missing', 'missing');
  return uuid;
}
