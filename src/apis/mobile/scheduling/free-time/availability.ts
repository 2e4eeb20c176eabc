import {
  changeAvailability,
  createAvailability,
  deleteAvailability,
  findAvailability,
  listAvailability,
} from '../../../../domain/scheduling/hours/availability.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  AvailabilityCreate,
  AvailabilityList,
  AvailabilityResponse,
  AvailabilityUpdate,
  availabilityParams,
  fromAvailability,
  hoursQuery,
  toHoursChanges,
  toHoursFilter,
  toNewHours,
} from './availability.wire.ts';

export function availabilityRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Availability', beyondDocument: true });
  get('/availability', {
    operationId: 'listAvailability',
    summary: 'List weekly hours',
    description: 'Sorted by provider, day and time.',
    query: hoursQuery,
    response: AvailabilityList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listAvailability(db, caller, toHoursFilter(query), query), fromAvailability),
  });

  post('/availability', {
    operationId: 'createAvailability',
    summary: 'Add weekly hours of a provider at an office',
    description: 'In local time of the office. Administrators add hours for all providers, providers their own.',
    body: AvailabilityCreate,
    response: AvailabilityResponse,
    status: 201,
    etag: true,
    handle: async ({ db, caller, body }) => ({ data: fromAvailability(await createAvailability(db, caller, toNewHours(body))) }),
  });

  get('/availability/:uuid', {
    operationId: 'getAvailability',
    summary: 'Read weekly hours',
    params: availabilityParams,
    response: AvailabilityResponse,
    etag: true,
    handle: async ({ db, caller, params }) => ({ data: fromAvailability(await findAvailability(db, caller, params.uuid)) }),
  });

  put('/availability/:uuid', {
    operationId: 'updateAvailability',
    summary: 'Update weekly hours',
    description: 'Only the fields sent are changed. Booked appointments do not change.',
    params: availabilityParams,
    body: AvailabilityUpdate,
    response: AvailabilityResponse,
    etag: true,
    current: async ({ db, caller, params }) => ({ data: fromAvailability(await findAvailability(db, caller, params.uuid)) }),
    handle: async ({ db, caller, params, body }) => ({
      data: fromAvailability(await changeAvailability(db, caller, params.uuid, toHoursChanges(body))),
    }),
  });

  remove('/availability/:uuid', {
    operationId: 'deleteAvailability',
    summary: 'Delete weekly hours',
    params: availabilityParams,
    current: async ({ db, caller, params }) => ({ data: fromAvailability(await findAvailability(db, caller, params.uuid)) }),
    handle: ({ db, caller, params }) => deleteAvailability(db, caller, params.uuid),
  });
}
