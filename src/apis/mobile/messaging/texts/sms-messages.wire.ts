import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { neitherGiven } from '../../../../domain/errors.ts';
import type { AppointmentTextInput } from '../../../../domain/messaging/confirmations/appointment-texts.ts';
import { checkSendAt } from '../../../../domain/messaging/queue/send-at.ts';
import { MAX_TEXT_LENGTH } from '../../../../domain/messaging/templates/sms-segments.ts';
import { requireKnownPlaceholders } from '../../../../domain/messaging/templates/template-wordings.ts';
import type { TextFilter, TextView } from '../../../../domain/messaging/texts/text-list.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant, writeLocal } from '../../../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { describeReason } from '../../../../http/wire/text-reasons.ts';
import { id, instant, localTime, longId, multilineText, optional, pagingByPosition } from '../../../../http/wire/wire-types.ts';
import { dryRunField } from '../../message-preview.wire.ts';
import { sendAt } from '../../send-at.wire.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { contentAddress } from '../attachments/attachments.wire.ts';
import { dates, directions, states, toDates } from './sms-reports.wire.ts';

export const TextShape = z
  .strictObject({
    uuid: z.int(),
    direction: directions,
    state: states,
    reason: z.string().nullable().describe('Reason why it was not sent, failed or is postponed'),
    reason_code: z.string().nullable().describe('The same for programs'),
    message: z.string().nullable().describe('Empty if the text has only pictures; null where the patient’s chart is restricted'),
    pictures: z
      .array(
        z.strictObject({
          state: z
            .enum(['waiting', 'stored', 'lost'])
            .describe('waiting: it is being fetched from the carrier; lost: the carrier did not deliver it'),
          attachment: z
            .strictObject({
              uuid: z.int(),
              media_type: z.string(),
              byte_length: z.int(),
              url: z.string().describe('Address of the content; send a user’s token'),
            })
            .nullable()
            .describe('Null until it is stored'),
        }),
      )
      .describe('Pictures and other files that came with the text'),
    language: z
      .string()
      .nullable()
      .describe('Language of the server’s wording; null for text written by people and for a restricted chart'),
    from_number: z.string().nullable(),
    to_number: z.string().nullable(),
    patient_id: z.int().nullable(),
    appointment_id: z.int().nullable(),
    template_id: z.int().nullable(),
    review_user_id: z.int().nullable(),
    patient: z.strictObject({ uuid: z.int(), firstname: z.string().nullable(), lastname: z.string().nullable() }).nullable(),
    patient_restricted: z.boolean().describe('Whether the patient’s chart is restricted or blocked; the text then does not name them'),
    appointment: z
      .strictObject({
        uuid: z.int(),
        appointment_date: instant().nullable(),
        local_appointment_date: localTime().nullable(),
        appointment_timezone: z.string(),
        confirmation: z.string(),
      })
      .nullable(),
    template: z.strictObject({ uuid: z.int(), name: z.string(), category: z.string() }).nullable(),
    attempts: z.int(),
    created_at: instant(),
    send_at: instant().nullable().describe('Requested time; null for texts that are sent immediately'),
    not_before: instant().nullable().describe('When it is sent, such as at the end of the patient’s quiet hours'),
    sent_at: instant().nullable(),
    delivered_at: instant().nullable(),
    updated_at: instant(),
  })
  .meta({ id: 'SmsMessage' });

export const TextResponse = one(TextShape).meta({ id: 'SmsMessageResponse' });
export const TextList = wrapList(TextShape).meta({ id: 'SmsMessageList' });

export const AppointmentTextRequest = withChecks(
  z
    .object({
      template_id: optional(id()).describe(
        'The template that is sent, or that the message was written from. Without it and without a message, the active template of the category appointment is sent, otherwise the server’s own words',
      ),
      message: optional(multilineText(MAX_TEXT_LENGTH)).describe('Replaces the body of the template; placeholders are filled in'),
      review_user_id: optional(id()).describe('{{url}} becomes the review page of this user; without a placeholder it is appended'),
      send_at: sendAt(),
      ...dryRunField,
    })
    .meta({ id: 'AppointmentSms' }),
  { besideOthers: { message: (written) => requireKnownPlaceholders(written, 'message'), send_at: checkSendAt } },
);

export const TextChangeRequest = withChecks(
  z
    .object({
      message: multilineText(MAX_TEXT_LENGTH)
        .min(1)
        .optional()
        .describe('New words. A link in the text is kept: in place of {{url}}, otherwise at the end'),
      send_at: sendAt(),
    })
    .meta({ id: 'SmsMessageChange' }),
  { besideOthers: { send_at: checkSendAt } },
);

export const textParams = z.object({ uuid: longId().describe('Text id') });

export const appointmentParams = z.object({ uuid: longId().describe('Appointment id') });

export const textsQuery = z.object({
  patient: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id'),
  appointment: alsoNamed(longId().optional(), ...filterNames('appointment')).describe('Appointment id'),
  template: alsoNamed(id().optional(), ...filterNames('template')).describe('Template id'),
  state: states.optional().describe('State of the text'),
  direction: directions.optional().describe('Sent by the practice or received'),
  ...dates,
  ...pagingByPosition,
});

/** @throws Failure invalid for an empty message, and for a review page, without a template: other words than were meant would be sent */
export function toAppointmentText(body: z.output<typeof AppointmentTextRequest>): AppointmentTextInput {
  const { template_id: templateId, message, review_user_id: reviewUserId, send_at: sendsAt } = body;
  const isMeant = message === null || (message === undefined && (reviewUserId ?? null) !== null);
  if (isMeant && (templateId ?? null) === null) throw neitherGiven('message', 'templateId');
  return {
    templateId: templateId ?? undefined,
    message: message ?? undefined,
    reviewUserId: reviewUserId ?? undefined,
    sendAt: sendsAt ?? undefined,
  };
}

export function toTextFilter(query: z.output<typeof textsQuery>): TextFilter {
  const { patient: patientId, appointment: appointmentId, template: templateId, state, direction } = query;
  return { patientId, appointmentId, templateId, state, direction, dates: toDates(query) };
}

const fromPicture = (request: FastifyRequest, { dueAt, attachment }: TextView['pictures'][number]) => ({
  state: attachment ? ('stored' as const) : dueAt ? ('waiting' as const) : ('lost' as const),
  attachment: attachment && {
    uuid: attachment.id,
    media_type: attachment.mediaType,
    byte_length: attachment.byteLength,
    url: contentAddress(request, attachment),
  },
});

export function fromText(request: FastifyRequest, text: TextView): z.input<typeof TextShape> {
  const { patient, appointment, template } = text;
  const waits = text.state === 'queued' && text.notBefore !== null;
  const code = text.reason ?? (waits ? (text.scheduledAt ? 'scheduled' : 'postponed') : null);
  return {
    uuid: text.id,
    direction: text.direction,
    state: text.state,
    reason: describeReason(code),
    reason_code: code,
    message: text.body,
    pictures: text.pictures.map((picture) => fromPicture(request, picture)),
    language: text.language,
    from_number: writePhone(text.fromNumber),
    to_number: text.toNumber === '' ? null : writePhone(text.toNumber),
    patient_id: text.patientId,
    appointment_id: text.appointmentId,
    template_id: text.templateId,
    review_user_id: text.reviewUserId,
    patient: patient && { uuid: patient.id, firstname: patient.firstName, lastname: patient.lastName },
    patient_restricted: text.patientRestricted,
    appointment: appointment && {
      uuid: appointment.id,
      appointment_date: writeInstant(appointment.startsAt),
      local_appointment_date: writeLocal(appointment.localStart),
      appointment_timezone: appointment.timeZone,
      confirmation: appointment.confirmation,
    },
    template: template && { uuid: template.id, name: template.name, category: template.category },
    attempts: text.attempts,
    created_at: writeInstant(text.scheduledAt ?? text.queuedAt),
    send_at: writeInstant(text.scheduledAt && text.queuedAt),
    not_before: writeInstant(text.notBefore),
    sent_at: writeInstant(text.sentAt),
    delivered_at: writeInstant(text.deliveredAt),
    updated_at: writeInstant(text.updatedAt),
  };
}
