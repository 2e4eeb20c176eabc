import { STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Failure } from '../../domain/errors.ts';
import { type ErrorResponse, operationOf, statusOf } from '../../http/error-mapping.ts';
import { READING_NAMES } from './monitoring/readings.wire.ts';
import { APPOINTMENT_TYPE_NAMES } from './scheduling/appointment-types.wire.ts';
import { APPOINTMENT_NAMES } from './scheduling/appointments.wire.ts';

export const Problem = z
  .strictObject({
    type: z.string().describe('about:blank: the code tells problems apart'),
    title: z.string(),
    status: z.int().describe('HTTP status'),
    detail: z.string(),
    instance: z.string().describe('The operation, as METHOD /path/template'),
    code: z.string().describe('Stable'),
    request_id: z.string(),
    errors: z.array(z.strictObject({ pointer: z.string(), code: z.string(), detail: z.string() })),
  })
  .meta({ id: 'Problem' });

/** Names on the wire of the domain's fields that an error may name: the first, unless the caller sent another. */
const FIELDS: Readonly<Record<string, string | readonly string[]>> = {
  ...APPOINTMENT_NAMES,
  ...APPOINTMENT_TYPE_NAMES,
  ...READING_NAMES,
  appointmentId: ['appointment_id'],
  chatId: ['chat_id', 'chat', 'group'],
  checkInId: ['checkin_uuid'],
  contactId: ['Contact'],
  entryCount: ['entry_count'],
  fiveMinuteType: ['teleheath_5_minute_check_in_type'],
  fromUserId: ['from_user_id'],
  icdCode: ['icd_code'],
  id: ['uuid', 'id'],
  icdLexCode: ['icd_lex_code'],
  patientId: [...APPOINTMENT_NAMES.patientId, 'patient_uuid'],
  mediaPatientId: ['patient_uuid'],
  programId: ['program_uuid'],
  providerId: [...APPOINTMENT_NAMES.providerId, 'provider_uuid'],
  recipientId: ['recipient_id'],
  reviewId: ['checkin_review'],
  heldReviewId: ['review_uuid'],
  heldPatientId: ['patient_uuid'],
  reviewUserId: ['review_user_id'],
  givenAt: ['given_at'],
  startedAt: ['started_at'],
  sentTo: ['sent_to'],
  stepId: ['step_uuid'],
  surveyTypeId: ['survey_type_id'],
  tagId: ['contact_tag_uuid'],
  templateId: ['template_id'],
  userId: ['user_id', 'user_uuid'],
};

/**
 * A filter may be sent under several names: `patient`, `patient_id` and `patient_uuid` are one (`filterNames`), and so are
 * `min-date` and `min_date`.
 */
const thingOf = (name: string): string => name.replace(/_(uu)?id$/, '').replaceAll('-', '_');

/** A field, or a path such as `recipients.0.recipientId`, in the names that the caller sent. One that is missing was sent by no name. */
function nameOnWire(field: string, sent: ReadonlySet<string>): string {
  return field
    .split('.')
    .map((name) => {
      const names = [FIELDS[name] ?? name].flat();
      const things = new Set(names.map(thingOf));
      return names.find((one) => sent.has(one)) ?? [...sent].find((one) => things.has(thingOf(one))) ?? names[0] ?? name;
    })
    .join('.');
}

const NOTHING_SENT: ReadonlySet<string> = new Set();

/** Names of all fields in the body, the path and the query of a request. */
function namesSent({ body, params, query }: FastifyRequest): Set<string> {
  return new Set([body, params, query].flatMap((part) => (typeof part === 'object' && part !== null ? Object.keys(part) : [])));
}

/** A failure as RFC 9457 writes problems. */
export function writeProblem(failure: Failure, request: FastifyRequest): ErrorResponse {
  const status = statusOf(failure);
  const sent = namesSent(request);
  const issues = failure.issues.map(({ field, code, message, alternative, missing }) => ({
    field: nameOnWire(field, missing ? NOTHING_SENT : sent),
    code,
    message: alternative === undefined ? message : `${message}, or ${nameOnWire(alternative, sent)}`,
  }));
  const isAboutInput = ['invalid', 'not_found'].includes(failure.kind) && issues.length > 0;
  const body: z.input<typeof Problem> = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: isAboutInput ? issues.map(({ field, message }) => `${field}: ${message}`).join('; ') : failure.message,
    instance: operationOf(request),
    code: failure.code,
    request_id: request.id,
    errors: issues.map(({ field, code, message }) => ({ pointer: `/${field.replaceAll('.', '/')}`, code, detail: message })),
  };
  return { status, body, contentType: 'application/problem+json' };
}
