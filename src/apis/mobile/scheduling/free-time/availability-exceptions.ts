import {
  changeAvailabilityException,
  createAvailabilityException,
  deleteAvailabilityException,
  findAvailabilityException,
  listAvailabilityExceptions,
} from '../../../../domain/scheduling/hours/availability-exceptions.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { hoursQuery, toHoursFilter } from './availability.wire.ts';
import {
  AvailabilityExceptionCreate,
  AvailabilityExceptionList,
  AvailabilityExceptionResponse,
  AvailabilityExceptionUpdate,
  availabilityExceptionParams,
  exceptionQuery,
  fromException,
  toExceptionChanges,
  toNewException,
} from './availability-exceptions.wire.ts';

/** Leave, holidays, closed offices and extra hours. */
export function availabilityExceptionRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Availability', beyondDocument: true });
  get('/availability/exceptions', {
    operationId: 'listAvailabilityExceptions',
    summary: 'List leave, holidays and extra hours',
    description: 'Sorted by start.',
    query: hoursQuery,
    response: AvailabilityExceptionList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listAvailabilityExceptions(tx, toHoursFilter(query), query), fromException),
  });

  post('/availability/exceptions', {
    operationId: 'createAvailabilityException',
    summary: 'Add leave, a holiday or extra hours',
    description:
      'With a provider, adds leave; with only an office, closes the office; with neither, adds a holiday. Administrators add all of these, providers their own. 409 `visits_to_come` if upcoming visits fall in that time.',
    query: exceptionQuery,
    body: AvailabilityExceptionCreate,
    response: AvailabilityExceptionResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, query, body }) => ({
      data: fromException(await createAvailabilityException(tx, toNewException(body), query.despite_visits ?? false)),
    }),
  });

  const current = get('/availability/exceptions/:uuid', {
    operationId: 'getAvailabilityException',
    summary: 'Read leave, a holiday or extra hours',
    params: availabilityExceptionParams,
    response: AvailabilityExceptionResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromException(await findAvailabilityException(tx, params.uuid)) }),
  });

  put('/availability/exceptions/:uuid', {
    operationId: 'updateAvailabilityException',
    summary: 'Update leave, a holiday or extra hours',
    description: 'Only the fields sent are changed. 409 `visits_to_come` if upcoming visits fall in that time.',
    params: availabilityExceptionParams,
    query: exceptionQuery,
    body: AvailabilityExceptionUpdate,
    response: AvailabilityExceptionResponse,
    etag: true,
    current,
    handle: async ({ tx, params, query, body }) => ({
      data: fromException(await changeAvailabilityException(tx, params.uuid, toExceptionChanges(body), query.despite_visits ?? false)),
    }),
  });

  remove('/availability/exceptions/:uuid', {
    operationId: 'deleteAvailabilityException',
    summary: 'Delete leave, a holiday or extra hours',
    params: availabilityExceptionParams,
    current,
    handle: ({ tx, params }) => deleteAvailabilityException(tx, params.uuid),
  });
}
