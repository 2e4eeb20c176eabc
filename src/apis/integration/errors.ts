import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Failure, FailureKind } from '../../domain/errors.ts';
import { type FailureAnswer, operationOf, statusOf } from '../../http/failures.ts';

export const Exception = z
  .strictObject({
    exception: z.string().describe('Stable class name'),
    file: z.string().describe('The operation, as METHOD /path/template'),
    line: z.int().describe('Always 0'),
    message: z.string(),
  })
  .meta({ id: 'Exception' });

const CLASS_NAMES: Record<FailureKind, string> = {
  invalid: 'ValidationException',
  unauthenticated: 'AuthenticationException',
  forbidden: 'AuthorizationException',
  not_found: 'NotFoundException',
  conflict: 'ConflictException',
  precondition_failed: 'PreconditionFailedException',
  too_large: 'PayloadTooLargeException',
  unsupported_media_type: 'UnsupportedMediaTypeException',
  unprocessable: 'UnprocessableException',
  too_many_requests: 'TooManyRequestsException',
  internal: 'InternalServerException',
  unavailable: 'ServiceUnavailableException',
};

/** A failure as the integration document's Exception. `file` names the operation and never a source file. */
export function writeException(failure: Failure, request: FastifyRequest): FailureAnswer {
  return {
    status: statusOf(failure),
    body: { exception: CLASS_NAMES[failure.kind], file: operationOf(request), line: 0, message: failure.message } satisfies z.input<typeof Exception>,
  };
}
