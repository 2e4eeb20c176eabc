import {
  changeAvailabilityException,
  createAvailabilityException,
  deleteAvailabilityException,
  findAvailabilityException,
  listAvailabilityExceptions,
} from '../../../../domain/scheduling/hours/availability-exceptions.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { NoContent, writePage } from '../../shared.wire.ts';
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

const EXCEPTIONS = { tag: 'Availability', beyondDocument: true } as const;

/** Leave, holidays, closed offices and further hours. */
export function availabilityExceptionRoutes({ get, post, put, delete: remove }: Endpoints): void {
  get('/availability/exceptions', {
    ...EXCEPTIONS,
    operationId: 'listAvailabilityExceptions',
    summary: 'List leave, holidays and further hours',
    description: 'By their begin.',
    query: hoursQuery,
    response: AvailabilityExceptionList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listAvailabilityExceptions(db, caller, toHoursFilter(query), query), fromException),
  });

  post('/availability/exceptions', {
    ...EXCEPTIONS,
    operationId: 'createAvailabilityException',
    summary: 'Add leave, a holiday or further hours',
    description:
      'With a provider it is their leave, with an office alone a closed office, and without both a holiday. Administrators add all of them, and providers their own. 409 `visits_to_come` where visits to come are in it.',
    query: exceptionQuery,
    body: AvailabilityExceptionCreate,
    response: AvailabilityExceptionResponse,
    status: 201,
    etag: true,
    handle: async ({ db, caller, query, body }) => ({
      data: fromException(await createAvailabilityException(db, caller, toNewException(body), query.despite_visits ?? false)),
    }),
  });

  get('/availability/exceptions/:uuid', {
    ...EXCEPTIONS,
    operationId: 'getAvailabilityException',
    summary: 'Read leave, a holiday or further hours',
    params: availabilityExceptionParams,
    response: AvailabilityExceptionResponse,
    etag: true,
    handle: async ({ db, caller, params }) => ({ data: fromException(await findAvailabilityException(db, caller, params.uuid)) }),
  });

  put('/availability/exceptions/:uuid', {
    ...EXCEPTIONS,
    operationId: 'updateAvailabilityException',
    summary: 'Update leave, a holiday or further hours',
    description: 'Only the fields sent are changed. 409 `visits_to_come` where visits to come are in it.',
    params: availabilityExceptionParams,
    query: exceptionQuery,
    body: AvailabilityExceptionUpdate,
    response: AvailabilityExceptionResponse,
    etag: true,
    current: async ({ db, caller, params }) => ({ data: fromException(await findAvailabilityException(db, caller, params.uuid)) }),
    handle: async ({ db, caller, params, query, body }) => ({
      data: fromException(
        await changeAvailabilityException(db, caller, params.uuid, toExceptionChanges(body), query.despite_visits ?? false),
      ),
    }),
  });

  remove('/availability/exceptions/:uuid', {
    ...EXCEPTIONS,
    operationId: 'deleteAvailabilityException',
    summary: 'Delete leave, a holiday or further hours',
    params: availabilityExceptionParams,
    response: NoContent,
    status: 204,
    current: async ({ db, caller, params }) => ({ data: fromException(await findAvailabilityException(db, caller, params.uuid)) }),
    handle: async ({ db, caller, params }) => {
      await deleteAvailabilityException(db, caller, params.uuid);
      return null;
    },
  });
}
