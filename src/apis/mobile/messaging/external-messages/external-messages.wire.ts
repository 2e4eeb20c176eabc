import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { checkExpiry } from '../../../../domain/messaging/external-messages/external-message-expiry.ts';
import { parseAddress } from '../../../../domain/messaging/external-messages/external-message-recipients.ts';
import type { ExternalMessage, ExternalMessageInput } from '../../../../domain/messaging/external-messages/external-messages.ts';
import { checkSendAt } from '../../../../domain/messaging/queue/send-at.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { bit, id, instant, longId, multilineText, optional, PATTERNS, paging, text } from '../../../../http/wire/wire-types.ts';
import { dryRunField } from '../../message-preview.wire.ts';
import { sendAt } from '../../send-at.wire.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { contentAddress } from '../attachments/attachments.wire.ts';
import { channels, DeliveryShape, fromDelivery } from '../check-ins/check-ins.wire.ts';

const LONGEST_MESSAGE = 10_000;
const LONGEST_SUBJECT = 200;
const LONGEST_NAME = 100;
const MOST_FILES = 10;

export const ExternalMessageShape = z
  .strictObject({
    uuid: z.int(),
    subject: z.string().nullable(),
    message: z.string(),
    channel: channels,
    sent_to: z.string().nullable(),
    receiver_first_name: z.string().nullable(),
    receiver_last_name: z.string().nullable(),
    contact: z
      .strictObject({
        uuid: z.int(),
        patient_uuid: z.int().nullable(),
        firstname: z.string().nullable(),
        lastname: z.string().nullable(),
      })
      .nullable(),
    attachments: z.array(
      z.strictObject({
        uuid: z.int(),
        file_name: z.string(),
        media_type: z.string(),
        byte_length: z.int(),
        url: z.string().describe('Address of the content; send a user’s token'),
      }),
    ),
    expires: instant(),
    extra_auth: z.int().describe('1 if the page asks for a one-time code, otherwise 0'),
    display_credentials: z.int().describe('1 if the page names the sender, otherwise 0'),
    total_views: z.int().describe('How often the message was shown'),
    total_downloads: z.int().describe('Number of downloads of its files'),
    last_viewed_at: instant().nullable(),
    delivery: DeliveryShape.nullable().describe('Delivery of the text or mail with the link; null if unknown'),
    withdrawn_at: instant().nullable().describe('When its link stopped working'),
    user: z.strictObject({ uuid: z.int(), firstname: z.string(), lastname: z.string() }).nullable().describe('The author'),
    created_at: instant(),
  })
  .meta({ id: 'ExternalMessage' });

export const ExternalMessageResponse = one(ExternalMessageShape).meta({ id: 'ExternalMessageResponse' });
export const ExternalMessageList = wrapList(ExternalMessageShape).meta({ id: 'ExternalMessageList' });

/** An id, or an object with a uuid, as the upload returned it. */
const attachmentId = () =>
  z.union([longId(), z.object({ uuid: longId() }).transform(({ uuid }) => uuid)], {
    error: 'must be an attachment id, or an object with its uuid',
  });

const counted = () => optional(z.int().min(0)).describe('Counted by the server; ignored if sent');

export const ExternalMessageRequest = withChecks(
  z
    .object({
      message: multilineText(LONGEST_MESSAGE).min(1),
      subject: optional(text(LONGEST_SUBJECT)).describe(
        'Shown on the page only, never in the text or mail. “A message from {practice}” by default',
      ),
      sent_to: optional(text(254).meta({ pattern: PATTERNS.emailOrPhone })).describe(
        'Mobile number or email address; by default the contact’s own, the mobile number first',
      ),
      Contact: optional(id()).describe('Contact id'),
      receiver_first_name: optional(text(LONGEST_NAME)).describe('Name of the recipient; the contact’s by default'),
      receiver_last_name: optional(text(LONGEST_NAME)).describe('Name of the recipient; the contact’s by default'),
      expires: optional(text(40).meta({ pattern: PATTERNS.date })).describe(
        'When it expires: a date-time, or a day (at its end), ISO 8601; without an offset in the organization’s time zone. By default a week after it is sent, at most 90 days',
      ),
      extra_auth: optional(bit()).describe('1: the page asks for a six-digit code, which it sends'),
      display_credentials: optional(bit()).describe('1: the page shows the sender with credentials such as MD; 0: only the practice'),
      attachments: optional(z.array(attachmentId()).max(MOST_FILES)).describe('Attachment ids, or objects with a uuid'),
      total_views: counted(),
      total_downloads: counted(),
      send_at: sendAt(),
      ...dryRunField,
    })
    .meta({ id: 'ExternalMessageRequest' }),
  { besideOthers: { sent_to: (written) => void parseAddress(written, 'sent_to'), expires: checkExpiry, send_at: checkSendAt } },
);

type Request = z.output<typeof ExternalMessageRequest>;

/** Counters in a request, which the server ignores. */
export const ignoredCounts = (body: Request): string[] =>
  (['total_views', 'total_downloads'] as const).filter((name) => body[name] !== undefined);

export const externalMessageParams = z.object({ external_message: longId().describe('External message id') });
export const externalMessagesQuery = z.object(paging);

export function toExternalMessage(body: Request): ExternalMessageInput {
  return {
    message: body.message,
    subject: body.subject ?? undefined,
    sentTo: body.sent_to ?? undefined,
    contactId: body.Contact ?? undefined,
    receiverFirstName: body.receiver_first_name ?? undefined,
    receiverLastName: body.receiver_last_name ?? undefined,
    expires: body.expires ?? undefined,
    sendAt: body.send_at ?? undefined,
    attachmentIds: body.attachments ?? [],
    extraAuth: body.extra_auth ?? false,
    displayCredentials: body.display_credentials ?? false,
  };
}

/** Responses never contain the link: anyone who has it can read the message. */
export function fromExternalMessage(request: FastifyRequest, message: ExternalMessage): z.input<typeof ExternalMessageShape> {
  const { contact, patient, user } = message;
  const named = contact?.patientId == null ? contact : patient;
  return {
    uuid: message.id,
    subject: message.subject,
    message: message.message,
    channel: message.channel === 'email' ? 'email' : 'sms',
    sent_to: message.channel === 'email' ? message.sentTo : writePhone(message.sentTo),
    receiver_first_name: message.receiverFirstName,
    receiver_last_name: message.receiverLastName,
    contact: contact && {
      uuid: contact.id,
      patient_uuid: contact.patientId,
      firstname: named?.firstName ?? null,
      lastname: named?.lastName ?? null,
    },
    attachments: message.attachments.map(({ attachment }) => ({
      uuid: attachment.id,
      file_name: attachment.fileName,
      media_type: attachment.mediaType,
      byte_length: attachment.byteLength,
      url: contentAddress(request, attachment),
    })),
    expires: writeInstant(message.expiresAt),
    extra_auth: Number(message.extraAuth),
    display_credentials: Number(message.displayCredentials),
    total_views: message.totalViews,
    total_downloads: message.totalDownloads,
    last_viewed_at: writeInstant(message.lastViewedAt),
    delivery: fromDelivery(message),
    withdrawn_at: writeInstant(message.withdrawnAt),
    user: user && { uuid: user.id, firstname: user.firstName, lastname: user.lastName },
    created_at: writeInstant(message.createdAt),
  };
}
