import { z } from 'zod';
import {
  CHECK_IN_PLACEHOLDERS,
  type CheckInInput,
  type CheckInView,
  type DeliveryMethod,
  findDelivery,
  LINK_DAYS,
  requireCheckInPlaceholders,
} from '../../../../domain/messaging/check-ins/check-ins.ts';
import { checkSendAt } from '../../../../domain/messaging/queue/send-at.ts';
import { CATEGORIES } from '../../../../domain/messaging/templates/categories.ts';
import { MAX_TEXT_LENGTH } from '../../../../domain/messaging/templates/sms-segments.ts';
import { readPhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { describeReason } from '../../../../http/wire/text-reasons.ts';
import { email, id, instant, multilineText, optional, PATTERNS, text } from '../../../../http/wire/wire-types.ts';
import { dryRunField } from '../../message-preview.wire.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { sendAt } from '../../send-at.wire.ts';
import { one, WarningsShape } from '../../shared.wire.ts';

export const channels = z.enum(['sms', 'email']);

/** The names that requests have for the way of a message: the source document's two, and that of every response. */
const CHANNEL_NAMES = ['sms_email', 'emailOrSms', 'channel'];

/** A field of a request that says by which way a message goes, under whichever of those names. */
export const namedChannel = <T extends z.ZodType>(shape: T, name: string, description: string): T => {
  const others = CHANNEL_NAMES.filter((other) => other !== name);
  return alsoNamed(shape, ...others).describe(`${description}. Also read as ${others.map((other) => `\`${other}\``).join(', ')}`);
};

/** `sms` or `email`, in any case. */
export const channel = () => z.preprocess((sent) => (typeof sent === 'string' ? sent.trim().toLowerCase() : sent), channels);

export const DeliveryShape = z
  .strictObject({
    state: z.enum(['queued', 'sent', 'delivered', 'failed', 'suppressed', 'received']),
    reason: z.string().nullable().describe('Reason why it was not sent, failed or is postponed'),
    reason_code: z.string().nullable().describe('The reason as a stable code'),
    not_before: instant().nullable().describe('When it is sent: as requested or, for a text, at the end of the patient’s quiet hours'),
  })
  .describe('Delivery of the message');

export const CheckInShape = z
  .strictObject({
    uuid: z.int(),
    patient: PersonShape,
    survey_type: z.strictObject({ uuid: z.int(), name: z.string() }).nullable(),
    channel: channels,
    message: z.string().describe('As stored: {{url}} is the placeholder of the link, which is not stored'),
    sent_by: z.int().nullable().describe('User id'),
    sent_at: instant(),
    expires_at: instant().describe('When the link stops accepting answers'),
    answered_at: instant().nullable(),
    delivery: DeliveryShape.nullable().describe('Delivery of the message; null if the message is no longer stored'),
  })
  .meta({ id: 'CheckIn' });

export const CheckInResponse = one(CheckInShape).extend({ warnings: WarningsShape }).meta({ id: 'CheckInResponse' });

const INVALID_METHOD = 'must be sms, email, a telephone number or an email address';

/** `sms` or `email`, or a number or address to use instead of the patient's own. */
const deliveryMethod = () =>
  text(254)
    .transform((written, context): DeliveryMethod => {
      const channel = channels.safeParse(written.toLowerCase());
      if (channel.success) return { channel: channel.data };
      const address = email().safeParse(written);
      if (address.success) return { channel: 'email', to: address.data };
      const number = readPhone(written);
      if (number !== null) return { channel: 'sms', to: number };
      context.addIssue(INVALID_METHOD);
      return z.NEVER;
    })
    .meta({ pattern: PATTERNS.channelOrAddress });

export const CheckInRequest = withChecks(
  z
    .object({
      message: optional(multilineText(MAX_TEXT_LENGTH)).describe(
        `May name ${CHECK_IN_PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}. Without {{url}} the link is appended. If omitted, the active template of the category check-in is sent in the patient’s language, otherwise: ${CATEGORIES['check-in'].text.en}`,
      ),
      sms_email: namedChannel(
        deliveryMethod(),
        'sms_email',
        '`sms` or `email` for the patient’s own contact details, or another number or address',
      ),
      recipient_id: id().describe('Patient id, which is also the id of the patient’s contact'),
      survey_type_id: id().describe('Survey type id'),
      send_at: sendAt(),
      ...dryRunField,
    })
    .meta({ id: 'CheckInRequest' }),
  { besideOthers: { message: requireCheckInPlaceholders, send_at: checkSendAt } },
);

export const SEND_DESCRIPTION = `Returns the stored check-in; a worker sends its message immediately, or at the end of the patient’s quiet hours. The link in it opens a page that accepts answers for ${LINK_DAYS} days. If the patient cannot be contacted, the check-in is still stored, and its delivery has the reason.`;

export const toCheckIn = ({
  message,
  sms_email,
  recipient_id,
  survey_type_id,
  send_at,
}: z.output<typeof CheckInRequest>): CheckInInput => ({
  patientId: recipient_id,
  surveyTypeId: survey_type_id,
  method: sms_email,
  message: message ?? undefined,
  sendAt: send_at ?? undefined,
});

export function fromDelivery(checkIn: Pick<CheckInView, 'text' | 'mail'>): z.input<typeof DeliveryShape> | null {
  const delivery = findDelivery(checkIn);
  if (!delivery) return null;
  const { state, reason, notBefore } = delivery;
  const code = reason ?? (state === 'queued' && notBefore !== null ? 'postponed' : null);
  return { state, reason: describeReason(code), reason_code: code, not_before: writeInstant(notBefore) };
}

export function fromCheckIn(checkIn: CheckInView): z.input<typeof CheckInShape> {
  const { survey } = checkIn;
  return {
    uuid: checkIn.id,
    patient: fromPerson(checkIn.patient),
    survey_type: survey && { uuid: survey.id, name: survey.name },
    channel: channels.parse(checkIn.channel),
    message: checkIn.message,
    sent_by: checkIn.sentByUserId,
    sent_at: writeInstant(checkIn.sentAt),
    expires_at: writeInstant(checkIn.expiresAt),
    answered_at: writeInstant(checkIn.answeredAt),
    delivery: fromDelivery(checkIn),
  };
}
