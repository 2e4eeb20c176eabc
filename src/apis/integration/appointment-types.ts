import { invalid } from '../../domain/errors.ts';
import {
  createAppointmentType,
  findAppointmentType,
  listAppointmentTypes,
  updateAppointmentType,
} from '../../domain/scheduling/types/appointment-types.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { pageLinks } from '../../http/wire/links.ts';
import {
  AppointmentTypeCreate,
  AppointmentTypeFields,
  AppointmentTypeResponse,
  AppointmentTypeUpdate,
  appointmentTypeParams,
  fromAppointmentType,
  GetAppointmentTypesResponse,
  listQuery,
  toAppointmentType,
} from './appointment-types.wire.ts';

export function appointmentTypeRoutes(endpoints: Endpoints): void {
  const { get, post, put } = endpoints.group({ tag: 'Appointment types' });
  get('/appointments/types', {
    operationId: 'listAppointmentTypes',
    summary: 'List appointment types',
    description: 'The organization’s own types and the global ones, sorted by id.',
    query: listQuery,
    response: GetAppointmentTypesResponse,
    handle: async ({ tx, query, request }) => {
      const types = await listAppointmentTypes(tx, query, query.updated_since);
      return { data: types.items.map(fromAppointmentType), links: pageLinks(request, types), meta: null };
    },
  });

  post('/appointments/types', {
    operationId: 'createAppointmentType',
    summary: 'Create an appointment type',
    body: AppointmentTypeCreate,
    response: AppointmentTypeResponse,
    etag: true,
    handle: async ({ tx, body }) => ({
      data: fromAppointmentType(await createAppointmentType(tx, { ...toAppointmentType(body), name: body.name })),
    }),
  });

  put('/appointments/types', {
    operationId: 'updateAppointmentType',
    summary: 'Update an appointment type',
    description: 'The type is identified by the uuid in the body. Only the fields sent are changed.',
    body: AppointmentTypeUpdate,
    response: AppointmentTypeResponse,
    etag: true,
    current: async ({ tx, body }) => ({ data: fromAppointmentType(await findAppointmentType(tx, body.uuid, 'id')) }),
    handle: async ({ tx, body }) => ({
      data: fromAppointmentType(await updateAppointmentType(tx, body.uuid, toAppointmentType(body))),
    }),
  });
  put('/appointments/types/:uuid', {
    operationId: 'updateAppointmentTypeById',
    beyondDocument: true,
    summary: 'Update an appointment type by id',
    description: 'For public clients, which name the type in the path. Only the fields sent are changed.',
    params: appointmentTypeParams,
    body: AppointmentTypeFields,
    response: AppointmentTypeResponse,
    etag: true,
    current: async ({ tx, params }) => ({ data: fromAppointmentType(await findAppointmentType(tx, params.uuid)) }),
    handle: async ({ tx, params, body }) => {
      if ((body.uuid ?? params.uuid) !== params.uuid) throw invalid('uuid', 'differs from the id in the path', 'contradiction');
      return { data: fromAppointmentType(await updateAppointmentType(tx, params.uuid, toAppointmentType(body))) };
    },
  });
}
