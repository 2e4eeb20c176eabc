import { STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Failure } from '../../domain/errors.ts';
import { type FailureAnswer, operationOf, statusOf } from '../../http/failures.ts';

export const Problem = z
  .strictObject({
    type: z.string().describe('about:blank: the code tells problems apart'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().describe('The operation, as METHOD /path/template'),
    code: z.string().describe('Stable'),
    request_id: z.string(),
    errors: z.array(z.strictObject({ pointer: z.string(), code: z.string(), detail: z.string() })),
  })
  .meta({ id: 'Problem' });

/** A failure as RFC 9457 writes problems. */
export function writeProblem(failure: Failure, request: FastifyRequest): FailureAnswer {
  const status = statusOf(failure);
  const body: z.input<typeof Problem> = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: failure.message,
    instance: operationOf(request),
    code: failure.code,
    request_id: request.id,
    errors: failure.issues.map(({ field, code, message }) => ({ pointer: `/${field.replaceAll('.', '/')}`, code, detail: message })),
  };
  return { status, body, contentType: 'application/problem+json' };
}
