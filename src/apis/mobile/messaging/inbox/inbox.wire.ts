import { z } from 'zod';
import { INBOX_KINDS } from '../../../../domain/messaging/inbox/inbox.ts';
import type {
  InboxEntryView,
  InboxItemView,
  InboxItemWithEntries,
  InboxListFilter,
} from '../../../../domain/messaging/inbox/inbox-list.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { bit, flag, id, instant, longId, multilineText, optional, pagingByPosition } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { fromHolder, Holder } from '../conversations/holders.wire.ts';

const UserShape = z
  .strictObject({ uuid: z.int().describe('User id'), firstname: z.string(), lastname: z.string() })
  .meta({ id: 'InboxUser' });

export const urgency = z
  .enum(['urgent', 'normal'])
  .describe('urgent: an alert of an urgent symptom or danger value, or emergency words in a text or voice message');

const ITEM = {
  uuid: z.int(),
  state: z.enum(['waiting', 'acknowledged', 'closed']).describe('waiting: the newest entry is not acknowledged'),
  kinds: z
    .array(z.string())
    .describe(
      'Kinds of entries in the conversation, each once: text, declined (an appointment), accepted (one that was declined before), revoked (consent to texts withdrawn in other words than STOP), voice_message, alert (of remote patient monitoring), number_changed (a text that was not sent because the number is no longer the patient’s), address_changed (the same for an email), text_failed (a text that did not arrive), text_withdrawn (a user’s text that was not sent for another reason), check_in_not_sent (a scheduled check-in that could not be sent twice in a row), guardian_ended (messages now go to the patient, who came of age, or whose guardian died, was deleted or has another name)',
    ),
  urgency,
  entry_count: z.int().describe('Number of its entries'),
  chat_id: z.int().nullable().describe('Id of the responsible call group; null for the whole practice'),
  chat_name: z.string().nullable().describe('Name of that call group'),
  contact_uuid: z.int().nullable().describe('Other party; null for a withheld number or a restricted patient'),
  number: z.string().nullable().describe('Telephone number of the first entry'),
  patient: z.strictObject({ uuid: z.int(), firstname: z.string().nullable(), lastname: z.string().nullable() }).nullable(),
  other_patients: z.array(Holder).describe('Other patients who have the number now and may have sent entries'),
  patient_restricted: z.boolean().describe('The patient’s chart is restricted or blocked, and the patient is not named'),
  assigned_to: UserShape.nullable().describe('User who is responsible for it'),
  opened_at: instant().describe('When its first entry arrived'),
  latest_at: instant().describe('When its newest entry arrived'),
  escalates_at: instant().nullable().describe('When the next person is notified; null if no escalation follows'),
  acknowledged_at: instant().nullable().describe('When every entry was acknowledged; null again after a new entry'),
  acknowledged_by: UserShape.nullable().describe('User who acknowledged it'),
  closed_at: instant().nullable().describe('When it was closed'),
  closed_by: UserShape.nullable().describe('User who acknowledged it'),
  note: z.string().nullable().describe('Note of the user who closed it'),
};

const EntryShape = z
  .strictObject({
    uuid: z.int().describe('Entry id'),
    kind: z.string().describe('As in kinds'),
    at: instant(),
    subject: z
      .strictObject({
        type: z.string().describe('text, mail, voice_pager_message, monitoring_alert or check_in'),
        uuid: z.int().describe('Id of that record'),
      })
      .nullable()
      .describe('The record of the entry; null for a restricted patient'),
    appointment_uuid: z.int().nullable().describe('The appointment that a text answered; otherwise null'),
    text: z
      .string()
      .nullable()
      .describe(
        'The message of a text, the subject of an email, the transcript of a voice message, or the measurement or answer of an alert',
      ),
    pictures: z.int().describe('Number of pictures of a text; the conversation has their content'),
  })
  .meta({ id: 'InboxEntry' });

const ItemShape = z.strictObject(ITEM).meta({ id: 'InboxItem' });
const ItemWithEntriesShape = z
  .strictObject({ ...ITEM, entries: z.array(EntryShape).describe('The newest 200 entries, oldest first') })
  .meta({ id: 'InboxItemWithEntries' });

export const InboxList = wrapList(ItemShape).meta({ id: 'InboxItemList' });
export const InboxItemResponse = one(ItemWithEntriesShape).meta({ id: 'InboxItemResponse' });

export const inboxParams = z.object({ uuid: longId().describe('Inbox item id') });
export const inboxQuery = z.object({
  chat: alsoNamed(id().optional(), ...filterNames('chat'), 'group').describe('Id of a call group'),
  mine: bit().default(false).describe('1: only items assigned to you, and unassigned ones of your call groups or the whole practice'),
  open: bit().optional().describe('1: only open items; 0: only closed ones'),
  kind: z.enum(INBOX_KINDS).optional().describe('Only items with an entry of this kind'),
  urgency: urgency.optional().describe('Only urgent items, or only the others'),
  patient: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id'),
  ...pagingByPosition,
});

export const toInboxFilter = ({ chat, mine, open, kind, urgency: wanted, patient }: z.output<typeof inboxQuery>): InboxListFilter => ({
  chatId: chat,
  mine,
  open,
  kind,
  urgent: wanted && wanted === 'urgent',
  patientId: patient,
});

const seen = { entry_count: optional(id()).describe('Number of entries that you have read; 409 if the conversation has more now') };

export const AssignRequest = z
  .object({ user_uuid: id().nullable().describe('User id; null removes the assignment') })
  .meta({ id: 'InboxAssignRequest' });
export const AcknowledgeRequest = z.object(seen).meta({ id: 'InboxAcknowledgeRequest' });
export const CloseRequest = z
  .object({ note: multilineText(2_000).nullable().default(null).describe('What was done'), ...seen })
  .meta({ id: 'InboxCloseRequest' });

export const TextAlertsRequest = z
  .object({ text_alerts: flag().describe('Whether you get these texts') })
  .meta({ id: 'TextAlertsRequest' });
export const TextAlertsResponse = one(
  z
    .strictObject({
      chat_id: z.int(),
      text_alerts: z.boolean().describe('Whether you also get the group’s notifications by text'),
    })
    .meta({ id: 'TextAlerts' }),
).meta({ id: 'TextAlertsResponse' });

const fromUser = (user: InboxItemView['assignedUser']) => user && { uuid: user.id, firstname: user.firstName, lastname: user.lastName };

const toState = ({ closedAt, acknowledgedAt }: InboxItemView) => {
  if (closedAt !== null) return 'closed';
  return acknowledgedAt === null ? 'waiting' : 'acknowledged';
};

export function fromInboxItem(item: InboxItemView): z.input<typeof ItemShape> {
  const { patient } = item;
  return {
    uuid: item.id,
    state: toState(item),
    kinds: item.kinds,
    urgency: item.urgent ? 'urgent' : 'normal',
    entry_count: item.entryCount,
    chat_id: item.chatId,
    chat_name: item.chat?.name ?? null,
    contact_uuid: item.contactId,
    number: writePhone(item.number),
    patient: patient && { uuid: patient.id, firstname: patient.firstName, lastname: patient.lastName },
    other_patients: item.others.map(fromHolder),
    patient_restricted: item.patientRestricted,
    assigned_to: fromUser(item.assignedUser),
    opened_at: writeInstant(item.openedAt),
    latest_at: writeInstant(item.latestAt),
    escalates_at: writeInstant(item.escalateAt),
    acknowledged_at: writeInstant(item.acknowledgedAt),
    acknowledged_by: fromUser(item.acknowledgedBy),
    closed_at: writeInstant(item.closedAt),
    closed_by: fromUser(item.closedBy),
    note: item.note,
  };
}

const fromEntry = ({ id: uuid, kind, enteredAt, subject, appointmentId, words, pictures }: InboxEntryView): z.input<typeof EntryShape> => ({
  uuid,
  kind,
  at: writeInstant(enteredAt),
  subject: subject && { type: subject.type, uuid: subject.id },
  appointment_uuid: appointmentId,
  text: words,
  pictures,
});

export const fromInboxItemWithEntries = ({ entries, ...item }: InboxItemWithEntries): z.input<typeof ItemWithEntriesShape> => ({
  ...fromInboxItem(item),
  entries: entries.map(fromEntry),
});
