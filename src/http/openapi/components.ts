import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Dialect } from '../endpoints/dialect.ts';
import { TRANSFER_HEADERS, TRANSFER_PARAMETERS } from '../endpoints/documented-transfers.ts';
import { WEBHOOK_HEADERS } from '../endpoints/documented-webhooks.ts';
import type { ErrorEntry } from '../errors/error-table.ts';
import { type Json, type SchemaUse, writeSchema } from './json-schema.ts';
import { isUsual } from './operation-failures.ts';

/** Name and meaning of each status that tells of a failure. */
const FAILURES: Record<number, readonly [name: string, description: string]> = {
  400: ['BadRequest', 'The input is invalid; the response names the field.'],
  401: ['Unauthorized', 'The token is missing, invalid, expired or revoked.'],
  403: ['Forbidden', 'The token lacks a scope or role, which the response names, or was issued for another API.'],
  404: ['NotFound', 'There is no such record in the practice of the caller.'],
  409: [
    'Conflict',
    'The request conflicts with existing data, or the first request with this Idempotency-Key is still running or returned a secret.',
  ],
  410: ['Gone', 'The record existed, but is no longer stored.'],
  412: ['PreconditionFailed', 'The record has changed since it was read (If-Match).'],
  413: ['ContentTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The operation does not support the content type of the body.'],
  416: ['RangeNotSatisfiable', 'The requested range is beyond the end of the file; Content-Range has its length.'],
  422: ['UnprocessableContent', 'The request cannot be processed, or the Idempotency-Key was used for another request.'],
  429: ['TooManyRequests', 'Too many requests; Retry-After has the seconds to wait.'],
  500: ['InternalServerError', 'An unexpected error occurred on the server.'],
  503: ['ServiceUnavailable', 'The service is temporarily unavailable; Retry-After has the seconds to wait.'],
};

const text = (description: string, example: string): Json => ({ description, schema: { type: 'string' }, example });

const HEADERS: Record<string, Json> = {
  'X-Request-Id': text(
    'The X-Request-Id of the request, if it is 1 to 128 characters of A-Z, a-z, 0-9, dot, underscore and dash; otherwise a new one.',
    'a1b2c3',
  ),
  'Error-Code': text('Stable error code: see /docs/errors.', 'invalid_input'),
  'Error-Fields': text(
    'Names of the fields that the failure concerns, as sent, percent-encoded, at most twenty.',
    'last_name, address.zip',
  ),
  RateLimit: text('Remaining requests (r) and the seconds until the limit resets (t).', '"caller";r=5999;t=60'),
  'RateLimit-Policy': text('Limit: requests (q) per window in seconds (w).', '"caller";q=6000;w=60'),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 }, example: 2 },
  'WWW-Authenticate': text('Token error (RFC 6750).', 'Bearer realm="triptych", error="invalid_token"'),
  ETag: text('ETag of the returned record, for If-Match and If-None-Match.', '"Zk3vC0h4bXw1"'),
  'Content-Range': text('Range of the returned bytes and the total length.', 'bytes 0-1023/4096'),
  'Warning-Fields': text(
    'Ignored fields, percent-encoded, at most twenty: unknown ones, also within the body as in address.streeet, and optional ones with unusable values; in the practice API also parameters that begin with show or ignore.',
    'nickname, shoe%20size',
  ),
  'Warning-Codes': text('Codes for unusual things about an accepted request; see the warnings of the response.', 'survey_language_missing'),
  Registration: {
    description: 'Whether a patient was created, or the same person was found; with dryrun, what would have happened.',
    schema: { type: 'string', enum: ['created', 'matched', 'would-create', 'would-match'] },
  },
  'Possible-Matches': text(
    'Ids of up to five patients who may be the same person, each with the score and the strongest reason, most likely first (a list of RFC 9651). Excludes restricted and deleted patients.',
    '1042;score=24;reason="same name and birth date", 977;score=16;reason="same birth date and telephone number"',
  ),
  'Feed-Cursor': text('Cursor of the event log as of the export; later changes come after it.', 'MTI0NS4w'),
  ...TRANSFER_HEADERS,
  'Merged-Into': text('Id of the chart into which the requested one was merged.', '1042'),
  'Idempotent-Replayed': {
    description: '"true" if this response repeats that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const PARAMETERS: Record<string, Json> = {
  'Idempotency-Key': {
    description:
      'Makes a retry safe: for 24 hours, the same request with the same key gets the first response, byte for byte; 409 `idempotency_key_spent` if that contained a secret.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  },
  'If-Match': {
    description: 'ETags of the record as it was read. If it has changed since, nothing is done and the response is 412.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'ETags of the record that the caller already has. If the record still has one of them, the response is 304.',
    schema: { type: 'string' },
  },
  'Last-Event-ID': {
    description: 'Id of the last event received; the stream begins after it. Browsers send it when they reconnect.',
    schema: { type: 'string' },
  },
  ...TRANSFER_PARAMETERS,
  ...WEBHOOK_HEADERS,
};

/** Headers of failures, by status. */
const OWN_HEADERS: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Failures that may name fields. */
const NAMING = new Set([400, 404, 409, 410, 415, 422]);

const pascal = (code: string): string => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
const describeEntry = ({ code, meaning, remedy }: ErrorEntry): string => `- \`${code}\`: ${meaning} ${remedy}`;

/** Headers of every response. */
const ALWAYS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];

/** Components shared by the operations of one document: each is written once, and only if an operation refers to it. */
export interface Components {
  /** The JSON Schema of a zod shape; named shapes (`.meta({ id })`) become components. Without nulls for a `form`, which has none. */
  schema(shape: unknown, io: SchemaUse): Json;
  /** Headers of a response: those of every response, and these. */
  headers(...names: string[]): Json;
  parameter(name: string): Json;
  /** A failure with the codes that it can have; with one at most that few operations have, it is a component. */
  failure(status: number, entries: readonly ErrorEntry[], form?: { type: string; shape: z.ZodType }): Json;
  /** A response of another kind, under a name of its own. */
  response(name: string, response: Json): Json;
  /** All that was referred to so far, by kind and name. */
  collected(): Json;
}

export function createComponents(dialect: Dialect): Components {
  const usualSets = new Map<string, string[]>();
  const parts: Record<string, Record<string, Json>> = { schemas: {}, responses: {}, parameters: {}, headers: {} };

  function refer(kind: string, name: string, part: Json): Json {
    const kept = parts[kind]?.[name];
    if (kept && !isDeepStrictEqual(kept, part)) throw new Error(`two different ${kind} of the ${dialect.name} document are called ${name}`);
    parts[kind] = { ...parts[kind], [name]: part };
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** `Forbidden` for the first set of codes, `Forbidden2` for the next; `PatientNotFound` where one code is of few operations. */
  function nameOfSet(name: string, codes: string): string {
    const sets = usualSets.get(name) ?? [];
    usualSets.set(name, sets.includes(codes) ? sets : [...sets, codes]);
    const index = sets.includes(codes) ? sets.indexOf(codes) : sets.length;
    return index === 0 ? name : `${name}${index + 1}`;
  }

  const components: Components = {
    schema(shape, io) {
      if (!(shape instanceof z.ZodType)) return {};
      const { $schema: _, $defs = {}, ...schema } = writeSchema(shape, io, new Map(Object.entries(dialect.fieldDescriptions)));
      for (const [name, part] of Object.entries(definitions.parse($defs))) refer('schemas', name, part);
      return schema;
    },
    headers: (...names) => Object.fromEntries([...ALWAYS, ...names].map((name) => [name, refer('headers', name, HEADERS[name] ?? {})])),
    parameter: (name) => refer('parameters', name, { name, in: 'header', required: false, ...PARAMETERS[name] }),
    failure(status, entries, { type, shape } = { type: dialect.errorContentType, shape: dialect.errorShape }) {
      const [name, description] = FAILURES[status] ?? [`Status${status}`, 'Failure'];
      const codes = entries.map(({ code }) => code);
      const response = {
        description: [description, '', ...entries.map(describeEntry)].join('\n'),
        headers: components.headers('Error-Code', ...(NAMING.has(status) ? ['Error-Fields'] : []), ...(OWN_HEADERS[status] ?? [])),
        content: { [type]: { schema: components.schema(shape, 'output') } },
        'x-error-codes': codes,
      };
      const [other, another] = entries.filter((entry) => !isUsual(entry));
      return another ? response : refer('responses', nameOfSet(other ? pascal(other.code) : name, codes.join()), response);
    },
    response: (name, response) => refer('responses', name, response),
    collected: () =>
      Object.fromEntries(
        Object.entries(parts).flatMap(([kind, named]) => (Object.keys(named).length > 0 ? [[kind, sortByName(named)]] : [])),
      ),
  };
  return components;
}

const definitions = z.record(z.string(), z.record(z.string(), z.unknown()));

const sortByName = (named: Record<string, Json>): Json => Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
