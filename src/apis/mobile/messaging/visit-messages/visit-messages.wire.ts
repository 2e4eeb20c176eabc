import { z } from 'zod';
import { VISIT_MESSAGE_KINDS } from '../../../../domain/messaging/templates/categories.ts';
import { readLeadTime } from '../../../../domain/messaging/visit-messages/lead-times.ts';
import type { RuleInput } from '../../../../domain/messaging/visit-messages/rules.ts';
import type { VisitMessageView } from '../../../../domain/messaging/visit-messages/visit-messages.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { describeReason } from '../../../../http/wire/text-reasons.ts';
import { flag, id, instant, longId, optional, paging, reading, text } from '../../../../http/wire/wire-types.ts';
import { wrapList } from '../../shared.wire.ts';

const OFFSETS = 'Times before the visit (reminder) or after its end (follow-up), such as 7d, 2h and 30m. Empty for other kinds';

const RuleShape = z
  .strictObject({
    kind: z.enum(VISIT_MESSAGE_KINDS),
    appointment_type_id: z.int().nullable().describe('Null: for all types without a rule of this kind'),
    enabled: z.boolean().describe('Whether the message is sent'),
    offsets: z.array(z.string()).describe(OFFSETS),
    template_id: z
      .int()
      .nullable()
      .describe('Null: the active template of the category, such as visit-reminder, otherwise the server’s words'),
  })
  .meta({ id: 'VisitMessageRule' });

export const RulesResponse = z
  .strictObject({ data: z.array(RuleShape).describe('In the order in which they were set') })
  .meta({ id: 'VisitMessageRules' });

/** Rules and times of one practice, more than any has. */
const MOST_RULES = 200;
const MOST_OFFSETS = 20;

const kind = z.preprocess(
  (sent) =>
    typeof sent === 'string'
      ? sent
          .trim()
          .toLowerCase()
          .replaceAll(/[\s_]+/g, '-')
      : sent,
  z.enum(VISIT_MESSAGE_KINDS),
);
const offset = text(20)
  .transform(reading(readLeadTime, 'must be a time of up to a year such as 7d, 2h or 30m: days, hours or minutes'))
  .meta({ pattern: '^\\d{1,5}[dhm]$' });

const RuleRequest = z
  .object({
    kind,
    appointment_type_id: optional(id()).describe('Omitted or null: for all types without a rule of this kind'),
    enabled: flag().default(false).describe('Whether the message is sent; false by default'),
    offsets: optional(z.array(offset).max(MOST_OFFSETS)).describe(OFFSETS),
    template_id: optional(id()).describe('Omitted or null: the active template of the category, otherwise the server’s words'),
  })
  .meta({ id: 'VisitMessageRuleInput' });

export const RulesRequest = z.preprocess(
  (sent) => (Array.isArray(sent) ? { data: sent } : sent),
  z
    .object({ data: z.array(RuleRequest).max(MOST_RULES).describe('All rules of the practice; a bare list is accepted as well') })
    .meta({ id: 'VisitMessageRulesInput' }),
);

export const toRules = ({ data }: z.output<typeof RulesRequest>): RuleInput[] =>
  data.map((rule) => ({
    kind: rule.kind,
    appointmentTypeId: rule.appointment_type_id ?? null,
    enabled: rule.enabled,
    offsets: rule.offsets ?? [],
    templateId: rule.template_id ?? null,
  }));

export const fromRules = (rules: readonly RuleInput[]): z.input<typeof RulesResponse> => ({
  data: rules.map((rule) => ({
    kind: rule.kind,
    appointment_type_id: rule.appointmentTypeId,
    enabled: rule.enabled,
    offsets: rule.offsets,
    template_id: rule.templateId,
  })),
});

const MessageShape = z
  .strictObject({
    id: z.string().describe('Id of the message, the same before and after it is sent'),
    kind: z.string().describe('Kind of the rule'),
    offset: z.string().nullable().describe('Time before or after the visit; null for a message that is sent immediately'),
    state: z
      .enum(['planned', 'skipped', 'queued', 'sent', 'delivered', 'failed', 'suppressed'])
      .describe('planned: will be sent at sends_at; skipped: removed; suppressed: not sent, or will not be sent unless something changes'),
    reason: z.string().nullable().describe('Reason why it is not sent or did not arrive'),
    reason_code: z.string().nullable().describe('The same for programs'),
    channel: z.enum(['text', 'email']).nullable(),
    appointment_date: instant().describe('Start of the visit'),
    due_at: instant().describe('When it is due by the visit and the offset'),
    sends_at: instant().nullable().describe('When it is sent, after the patient’s quiet hours; null if it is not waiting'),
    sent_at: instant().nullable(),
    sms_message_id: z.int().nullable().describe('The resulting text'),
    mail_message_id: z.int().nullable().describe('The resulting mail'),
  })
  .meta({ id: 'VisitMessage' });

export const MessageList = wrapList(MessageShape).meta({ id: 'VisitMessageList' });
export const visitParams = z.object({ uuid: longId().describe('Appointment id') });
export const messageParams = z.object({
  uuid: longId().describe('Appointment id'),
  message: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,80}$/, 'must be the id of a message in the list')
    .describe('Id of the message in the list'),
});
export const messagesQuery = z.object(paging);

export const fromMessage = (message: VisitMessageView): z.input<typeof MessageShape> => ({
  id: message.id,
  kind: message.kind,
  offset: message.offset,
  state: message.state,
  reason: describeReason(message.reason),
  reason_code: message.reason,
  channel: message.channel,
  appointment_date: writeInstant(message.startsAt),
  due_at: writeInstant(message.dueAt),
  sends_at: writeInstant(message.sendsAt),
  sent_at: writeInstant(message.sentAt),
  sms_message_id: message.smsMessageId,
  mail_message_id: message.mailMessageId,
});
