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
    handle: async ({ tx, query, request }) => writePage(request, await listAvailability(tx, toHoursFilter(query), query), fromAvailability),
  });

  post('/availability', {
    operationId: 'createAvailability',
    summary: 'Add weekly hours of a provider at an office',
    description: 'In local time of the office. Administrators add hours for all providers, providers their own.',
    body: AvailabilityCreate,
    response: AvailabilityResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => ({ data: fromAvailability(await createAvailability(tx, toNewHours(body))) }),
  });

  const current = get('/availability/:uuid', {
    operationId: 'getAvailability',
    summary: 'Read weekly hours',
    params: availabilityParams,
    response: AvailabilityResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromAvailability(await findAvailability(tx, params.uuid)) }),
  });

  put('/availability/:uuid', {
    operationId: 'updateAvailability',
    summary: 'Update weekly hours',
    description: 'Only the fields sent are changed. Booked appointments do not change.',
    params: availabilityParams,
    body: AvailabilityUpdate,
    response: AvailabilityResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => ({
      data: fromAvailability(await changeAvailability(tx, params.uuid, toHoursChanges(body))),
    }),
  });

  remove('/availability/:uuid', {
    operationId: 'deleteAvailability',
    summary: 'Delete weekly hours',
    params: availabilityParams,
    current,
    handle: ({ tx, params }) => deleteAvailability(tx, params.uuid),
  });
}
