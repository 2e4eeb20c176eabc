import { invalid } from '../../../domain/errors.ts';
import {
  createAppointmentType,
  deleteAppointmentType,
  findAppointmentType,
  listAppointmentTypes,
  updateAppointmentType,
} from '../../../domain/scheduling/types/appointment-types.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
import {
  AppointmentTypeCreate,
  AppointmentTypeList,
  AppointmentTypeResponse,
  AppointmentTypeUpdate,
  appointmentTypeParams,
  appointmentTypesQuery,
  fromTypeWithRules,
  toAppointmentType,
} from './appointment-types.wire.ts';

export function appointmentTypeRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Appointment types' });
  get('/appointments/types', {
    operationId: 'listAppointmentTypes',
    summary: 'List appointment types',
    description: 'The organization’s own types and the global ones, sorted by id.',
    query: appointmentTypesQuery,
    response: AppointmentTypeList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listAppointmentTypes(tx, query, query.updated_since), fromTypeWithRules),
  });

  post('/appointments/types', {
    operationId: 'createAppointmentType',
    summary: 'Create an appointment type',
    body: AppointmentTypeCreate,
    response: AppointmentTypeResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => ({
      data: fromTypeWithRules(await createAppointmentType(tx, { ...toAppointmentType(body), name: body.name })),
    }),
  });

  const current = get('/appointments/types/:uuid', {
    operationId: 'getAppointmentType',
    summary: 'Read an appointment type',
    description: 'Reads one of the organization’s own types or a global one.',
    params: appointmentTypeParams,
    response: AppointmentTypeResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromTypeWithRules(await findAppointmentType(tx, params.uuid)) }),
  });

  put('/appointments/types/:uuid', {
    operationId: 'updateAppointmentType',
    summary: 'Update an appointment type',
    description: 'Only the fields sent are changed. Existing appointments keep their length.',
    params: appointmentTypeParams,
    body: AppointmentTypeUpdate,
    response: AppointmentTypeResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => {
      if ((body.uuid ?? params.uuid) !== params.uuid) throw invalid('uuid', 'differs from the id in the path', 'contradiction');
      return { data: fromTypeWithRules(await updateAppointmentType(tx, params.uuid, toAppointmentType(body))) };
    },
  });

  remove('/appointments/types/:uuid', {
    operationId: 'deleteAppointmentType',
    summary: 'Delete an appointment type',
    description: 'Admins only. Responds 409 with the number of appointments if any appointment has or had this type.',
    roles: ['admin'],
    params: appointmentTypeParams,
    current,
    handle: ({ tx, params }) => deleteAppointmentType(tx, params.uuid),
  });
}
