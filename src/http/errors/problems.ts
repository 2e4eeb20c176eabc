import { STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Failure } from '../../domain/errors.ts';
import { type ErrorResponse, findPathTemplate, isNamedAsSent, toStatus } from './error-mapping.ts';
import { errorPagePath } from './error-table.ts';

export const Problem = z
  .strictObject({
    type: z.string().meta({ format: 'uri-reference' }).describe('Address of the page about the code on this server'),
    title: z.string(),
    status: z.int().describe('HTTP status'),
    detail: z.string(),
    instance: z.string().meta({ format: 'uri-reference' }).describe('The path template of the operation; empty for an unknown path'),
    code: z.string().describe('Stable'),
    request_id: z.string(),
    errors: z.array(z.strictObject({ pointer: z.string(), code: z.string(), detail: z.string() })),
    challenge: z.string().optional().describe('second_factor_required: challenge to send back with the second factor, within five minutes'),
    methods: z.array(z.string()).optional().describe('second_factor_required: accepted factors: otp, hwk (a passkey), recovery'),
    passkey: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe('second_factor_required: PublicKeyCredentialRequestOptionsJSON of WebAuthn; null if the user has no passkey'),
    expires_in: z.int().optional().describe('second_factor_required: seconds until the challenge expires'),
    enrolment_url: z.string().optional().describe('second_factor_enrolment_required: page where the user adds a second factor'),
    max_age: z.int().optional().describe('step_up_required: seconds for which a proof is valid (RFC 9470)'),
  })
  .meta({ id: 'Problem' });

/** Names on the wire of the domain's fields that an error may name: the first, unless the caller sent another. */
export type FieldNames = Readonly<Record<string, string | readonly string[]>>;

/**
 * A filter may be sent under several names: `patient`, `patient_id` and `patient_uuid` are one (`filterNames`), and so are
 * `min-date` and `min_date`.
 */
const nameThing = (name: string): string => name.replace(/_(uu)?id$/, '').replaceAll('-', '_');

/** A field, or a path such as `recipients.0.recipientId`, in the names that the caller sent. One that is missing was sent by no name. */
function nameOnWire(fields: FieldNames, field: string, sent: SentNames): string {
  return field
    .split('.')
    .map((name) => {
      const names = [Object.hasOwn(fields, name) ? (fields[name] ?? name) : name].flat();
      const alike = names.map((one) => sent.byThing.get(nameThing(one))).find((one) => one !== undefined);
      return names.find((one) => sent.names.has(one)) ?? alike ?? names[0] ?? name;
    })
    .join('.');
}

interface SentNames {
  names: ReadonlySet<string>;
  /** The first of the names for one thing. */
  byThing: ReadonlyMap<string, string>;
}

const NOTHING_SENT: SentNames = { names: new Set(), byThing: new Map() };

/** Names of all fields in the body, the path and the query of a request. */
function namesSent({ body, params, query }: FastifyRequest): SentNames {
  const names = [body, params, query].flatMap((part) => (typeof part === 'object' && part !== null ? Object.keys(part) : []));
  return { names: new Set(names), byThing: new Map(names.toReversed().map((name) => [nameThing(name), name])) };
}

/** Writes failures as RFC 9457 writes problems, in the names of one dialect. */
export const problemWriter =
  (fields: FieldNames) =>
  (failure: Failure, request: FastifyRequest): ErrorResponse => {
    const status = toStatus(failure);
    const sent = failure.issues.length > 0 ? namesSent(request) : NOTHING_SENT;
    const issues = failure.issues.map(({ field, code, message, alternative, missing }) => ({
      field: isNamedAsSent(code) ? field : nameOnWire(fields, field, missing ? NOTHING_SENT : sent),
      code,
      message: alternative === undefined ? message : `${message}, or ${nameOnWire(fields, alternative, sent)}`,
    }));
    const isAboutInput = ['invalid', 'not_found'].includes(failure.kind) && issues.length > 0;
    const body: z.input<typeof Problem> = {
      type: errorPagePath(failure.code),
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: isAboutInput ? issues.map(({ field, message }) => `${field}: ${message}`).join('; ') : failure.message,
      instance: encodeURI(findPathTemplate(request) ?? ''),
      code: failure.code,
      request_id: request.id,
      errors: issues.map(({ field, code, message }) => ({ pointer: `/${field.replaceAll('.', '/')}`, code, detail: message })),
      ...failure.extensions,
    };
    return { status, body, fields: issues.map(({ field }) => field), contentType: 'application/problem+json' };
  };
