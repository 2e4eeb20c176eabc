import type { FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { KeyringError } from '../../database/encryption/keyring.ts';
import { isDatabaseUnreachable, isDiskFull, isReadOnly, isTooSlow } from '../../database/errors.ts';
import { Failure, noRoom, outcomeUnknown, unavailable } from '../../domain/errors.ts';
import { NOT_UTF_8 } from '../input/utf8.ts';
import { pathTemplate } from '../requests/path-template.ts';

export interface ErrorResponse {
  status: number;
  body: object;
  /** Names of the fields that it is about, as the caller sent them. */
  fields: string[];
  contentType?: string;
}

export const STATUS: Record<Failure['kind'], number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unprocessable: 422,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
};

/** Whether an issue names what was sent: no field of the domain has that name. */
export const isNamedAsSent = (code: string): boolean => ['unknown_parameter', 'unknown_field', NOT_UTF_8.code].includes(code);

export const toStatus = ({ kind }: Failure): number => STATUS[kind];

const httpError = z.object({ code: z.string().optional(), statusCode: z.number() });

/**
 * The failure, with a public message, of anything that was thrown. An unexpected error becomes `internal` and is kept as its cause for the log.
 * @param expected the content type that a body should have had
 */
export function toFailure(error: unknown, expected?: string): Failure {
  if (error instanceof Failure) return error;
  if (isDiskFull(error)) return noRoom(error);
  if (isReadOnly(error)) return unavailable('The database takes no changes at the moment.', error);
  if (isTooSlow(error)) return unavailable('The database took too long. Try again in a moment.', error);
  if (isDatabaseUnreachable(error)) return outcomeUnknown('The service cannot reach its database.', error);
  if (error instanceof KeyringError)
    return new Failure('internal', 'unreadable_value', 'A stored value cannot be decrypted: it was changed or moved, or its key is lost.', {
      cause: error,
    });
  const { code, statusCode } = httpError.safeParse(error).data ?? { statusCode: 500 };
  if (statusCode === 413) return new Failure('too_large', 'body_too_large', 'The body is larger than this operation accepts.');
  if (statusCode === 415)
    return new Failure(
      'unsupported_media_type',
      'unsupported_media_type',
      `This operation does not accept the content type of the body.${expected ? ` It takes ${expected}.` : ''}`,
    );
  if (statusCode >= 400 && statusCode < 500) {
    const message = MALFORMED[code ?? ''];
    const issues = message === undefined ? [] : [{ field: 'body', code: 'malformed', message }];
    return new Failure('invalid', 'malformed_request', message ?? 'The request cannot be read.', { issues });
  }
  return new Failure('internal', 'internal_error', 'Something went wrong on our side. It was logged with the request id.', {
    cause: error,
  });
}

const MALFORMED: Record<string, string> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
};

/** The parts of a request that an error response may name; an unreadable request has no others. */
export interface FailedRequest {
  id: string;
  method: string;
  routeOptions: { url?: string | undefined };
  /** The path that is served at this address with other methods. */
  refusedUrl?: string | undefined;
}

/** The documented path template, which has no data of a record in it; null for an unknown path. */
export function findPathTemplate({ routeOptions, refusedUrl }: Pick<FailedRequest, 'routeOptions' | 'refusedUrl'>): string | null {
  const url = refusedUrl ?? routeOptions.url;
  return url === undefined ? null : pathTemplate(url);
}

/** `METHOD /path/template` of a request. */
export function nameOperation(request: Omit<FailedRequest, 'id'>): string {
  return `${request.method} ${findPathTemplate(request) ?? '(no such path)'}`.trim();
}

/**
 * The operation of a request as the log has it: of an unknown path its first segment too, which tells an operator a wrong address from a
 * scan. It has no token, number or date in it, and what follows may be about a person.
 */
export function loggedOperation(request: Pick<FastifyRequest, 'method' | 'routeOptions' | 'refusedUrl' | 'url'>): object {
  const [path] = /^\/(?:[A-Za-z._~-]|\d{1,3}(?!\d)){1,24}(?=[/?]|$)/.exec(request.url) ?? [];
  return { operation: nameOperation(request), ...(findPathTemplate(request) === null ? { path } : {}) };
}

/** Above 0 somebody has changed or moved an encrypted value, or a master key is missing: an operator must look. */
const unreadableValues = new Counter({
  name: 'encrypted_values_unreadable_total',
  help: 'Requests that failed because a stored value cannot be decrypted, by column; the log names the rows',
  labelNames: ['column'],
});

/** Logs failures that are not the caller's fault, and counts values that do not open. */
export function logServerFailure(failure: Failure, request: FastifyRequest): void {
  if (failure.cause instanceof KeyringError && failure.cause.cell) {
    const { table, column } = failure.cause.cell;
    unreadableValues.inc({ column: `${table}.${column}` });
  }
  const log = { err: failure.cause ?? failure, operation: nameOperation(request) };
  if (failure.kind === 'internal') request.log.error(log, 'failed');
  if (failure.kind === 'unavailable') request.log.warn(log, 'unavailable');
}
