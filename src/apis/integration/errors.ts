import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Failure, FailureKind } from '../../domain/errors.ts';
import { type ErrorResponse, isNamedAsSent, nameOperation, toStatus } from '../../http/errors/error-mapping.ts';
import { GUARDIAN_LINK_NAMES } from '../../http/wire/guardian.ts';
import { APPOINTMENT_TYPE_NAMES } from './appointment-types.wire.ts';
import { APPOINTMENT_NAMES } from './appointments.wire.ts';
import { PATIENT_NAMES } from './patients.wire.ts';

export const Exception = z
  .strictObject({
    exception: z.string().describe('Stable class name'),
    file: z.string().describe('The operation, as METHOD /path/template'),
    line: z.int().describe('Always 0'),
    message: z.string().describe('Error message that names the fields'),
  })
  .meta({ id: 'Exception' });

const CLASS_NAMES: Record<FailureKind, string> = {
  invalid: 'ValidationException',
  unauthenticated: 'AuthenticationException',
  forbidden: 'AuthorizationException',
  not_found: 'NotFoundException',
  method_not_allowed: 'MethodNotAllowedException',
  conflict: 'ConflictException',
  gone: 'GoneException',
  precondition_failed: 'PreconditionFailedException',
  too_large: 'PayloadTooLargeException',
  unsupported_media_type: 'UnsupportedMediaTypeException',
  range_not_satisfiable: 'RangeNotSatisfiableException',
  unprocessable: 'UnprocessableException',
  too_many_requests: 'TooManyRequestsException',
  internal: 'InternalServerException',
  unavailable: 'ServiceUnavailableException',
};

/** Class names of failures that callers tell from others of their kind, by code. */
const CLASS_NAMES_BY_CODE: Readonly<Record<string, string>> = { global_type_operator_only: 'GlobalTypeException' };

/** Names on the wire of the domain's fields, which patients and appointments share under other names. */
const OF_PATIENTS = new Map<string, string>(Object.entries({ ...PATIENT_NAMES, ...GUARDIAN_LINK_NAMES }));
const OF_APPOINTMENTS = new Map<string, string>(Object.entries({ id: 'uuid', ...APPOINTMENT_NAMES, ...APPOINTMENT_TYPE_NAMES }));

/** Fields that a request may name in another way too. */
const OTHER_NAMES = new Map([
  ['firstname', 'fname'],
  ['lastname', 'lname'],
  ['user', 'user[]'],
]);

/** The name on the wire of a field, or of the parts of a path such as `userIds.0`: of two names the one that was sent. */
function nameOnWire(field: string, operation: string, body: unknown): string {
  const names = operation.includes('/patients') ? OF_PATIENTS : OF_APPOINTMENTS;
  const [first = '', ...rest] = field.split('.');
  const name = names.get(first) ?? first;
  const other = OTHER_NAMES.get(name);
  const isSent = (one: string) => typeof body === 'object' && body !== null && Object.hasOwn(body, one);
  return [other !== undefined && isSent(other) && !isSent(name) ? other : name, ...rest.map((part) => names.get(part) ?? part)].join('.');
}

/**
 * A failure as the type Exception of the integration API's source document. That type has a source file's
 * `file` and `line`; so that no response reveals the source, `file` is the operation and `line` is 0.
 */
export function writeException(failure: Failure, request: FastifyRequest): ErrorResponse {
  const operation = nameOperation(request);
  const fields = failure.issues.map(({ field, code }) => (isNamedAsSent(code) ? field : nameOnWire(field, operation, request.body)));
  const wrong = failure.issues.map(({ message }, index) => `${fields[index]}: ${message}`);
  const body: z.input<typeof Exception> = {
    exception: CLASS_NAMES_BY_CODE[failure.code] ?? CLASS_NAMES[failure.kind],
    file: operation,
    line: 0,
    message: wrong.length > 0 ? wrong.join('; ') : failure.message,
  };
  return { status: toStatus(failure), body, fields };
}
