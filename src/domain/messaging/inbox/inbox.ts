import { NONE } from '../../../database/statements/no-id.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';
import { notifyAgain, startEscalation } from './escalation.ts';
import { ADD_ACCEPTANCE, JOIN_ITEM, LOCK_DECLINED_ITEM, MAIN_GROUP } from './inbox.sql.ts';

/**
 * Kinds of what waits for a person: a text that no machine has handled, a No to an appointment, a wish for no more texts that only
 * the rules of consent saw, a message on a voice pager, an alert of remote patient monitoring, a text or a mail that was not sent because its patient
 * no longer has the number or address, a text that did not arrive, one of somebody that was not sent for another reason, a scheduled check-in that could
 * not be sent twice in a row, a guardian to whom messages no longer go; and a Yes after such a No, for which nobody is notified.
 */
export const INBOX_KINDS = [
  'text',
  'declined',
  'accepted',
  'revoked',
  'voice_message',
  'alert',
  'number_changed',
  'address_changed',
  'text_failed',
  'text_withdrawn',
  'check_in_not_sent',
  'guardian_ended',
] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

export const isInboxKind = (kind: string): kind is InboxKind => INBOX_KINDS.some((one) => one === kind);

/** Something that a patient or caller wrote, said or reported, for a person to look at. */
export interface NewInboxEntry {
  kind: InboxKind;
  /** The record that it is about, by the name that its events have: text, voice_pager_message, monitoring_alert. */
  subject: { type: string; id: number };
  /** Null where the number was withheld. A patient's contact has the patient's id. */
  contactId: number | null;
  patientId: number | null;
  /** The call group whose work it is (that of the number that it came to, or findMainGroup); null: the whole practice's. */
  chatId: number | null;
  /** E.164, from which it came. */
  number?: string | null;
  /** Its item is listed before others while it is open. */
  urgent?: boolean;
}

interface StoredItem {
  id: number;
  entryCount: number;
  /** The entry for which people are notified; null where all are acknowledged. */
  waitingEntryId: number | null;
  /** Somebody is still to be notified of that entry. */
  escalates: boolean;
}

/**
 * Adds an entry to the open item of its conversation (call group and contact), or opens one, and notifies the first of the call
 * group. A further entry of an item that nobody has acknowledged yet notifies nobody again while the escalation goes on, except for a
 * voice message; after an acknowledgment, and a period after everybody was notified in vain, it begins anew.
 * @returns id of the item
 */
export async function openInboxItem(tx: Tx, entry: NewInboxEntry): Promise<number> {
  const item = await upsertOpenItem(tx, entry);
  const { id, entryCount, waitingEntryId } = item;
  const { kind } = entry;
  const beginsAnew = waitingEntryId === null || (await isExhausted(tx, item));
  const entryId = await addEntry(tx, id, entry);
  if (entryCount === 1) recordChange(tx, 'create', { name: 'inbox_item.opened', id }, toPatientIds(entry));
  else recordChange(tx, 'update', { name: 'inbox_item.joined', id, changed: ['entries'] }, toPatientIds(entry));
  if (beginsAnew) await startEscalation(tx, { id, entryId });
  else if (kind === 'voice_message') await notifyAgain(tx, { id, entryId });
  return id;
}

/** Marks the open items with a record as urgent: more of it came to be known. */
export async function markUrgent(tx: Tx, { type, id }: NewInboxEntry['subject']): Promise<void> {
  const entries = { some: { ...tx.practice, subjectType: type, subjectId: id } };
  await tx.prisma.inboxItem.updateMany({ where: { ...tx.practice, closedAt: null, entries }, data: { urgent: true } });
}

type Conversation = Omit<NewInboxEntry, 'kind'>;

/** The open item of a conversation that holds a No, locked until the transaction ends. */
export async function findDeclinedItem(tx: Tx, { chatId, patientId, contactId }: Conversation): Promise<{ id: number } | undefined> {
  const [item] = await tx.rows(LOCK_DECLINED_ITEM, [chatId ?? 0, patientId ?? contactId ?? NONE]);
  return item;
}

/** Adds a Yes to an item that holds a No, so that nobody offers the visit to somebody else. Nobody is notified. */
export function addAcceptance(tx: Tx, id: number, entry: Conversation): void {
  tx.later(JOIN_ITEM, [id]);
  tx.later(ADD_ACCEPTANCE, [id, entry.subject.type, entry.subject.id]);
  recordChange(tx, 'update', { name: 'inbox_item.joined', id, changed: ['entries'] }, toPatientIds(entry));
}

/** @returns id of the entry */
async function addEntry(tx: Tx, inboxItemId: number, { kind, subject }: NewInboxEntry): Promise<number> {
  const data = { ...tx.practice, inboxItemId, kind, subjectType: subject.type, subjectId: subject.id };
  return (await tx.prisma.inboxEntry.create({ data, select: { id: true } })).id;
}

/** One statement, so that concurrent entries of a conversation, and its closing, wait for each other. */
async function upsertOpenItem(tx: Tx, entry: NewInboxEntry): Promise<StoredItem> {
  const { chatId, patientId, number = null, urgent = false } = entry;
  const [item] = await tx.prisma.$queryRaw<StoredItem[]>`
    INSERT INTO inbox_item AS i (organization_id, chat_id, contact_id, patient_id, number, urgent, latest_at)
    VALUES (${tx.organizationId}, ${chatId}::int, ${patientId ?? entry.contactId}::int, ${patientId}::int, ${number}::text, ${urgent}, now())
        ON CONFLICT (organization_id, coalesce(chat_id, 0), contact_id) WHERE closed_at IS NULL AND contact_id IS NOT NULL
        DO UPDATE SET entry_count = i.entry_count + 1, latest_at = greatest(i.latest_at, excluded.latest_at),
                      number = coalesce(i.number, excluded.number), urgent = i.urgent OR excluded.urgent, acknowledged_at = NULL, acknowledged_by_user_id = NULL
    RETURNING i.id, i.entry_count AS "entryCount", i.waiting_entry_id AS "waitingEntryId", i.escalate_at IS NOT NULL AS escalates`;
  if (!item) throw new Error('an upsert returned no row');
  return item;
}

/** Whether everybody was notified of the entry that an item waits for, at least one period of the practice ago. */
async function isExhausted(tx: Tx, { id, waitingEntryId, escalates }: StoredItem): Promise<boolean> {
  const { organizationId } = tx;
  if (waitingEntryId === null || escalates) return false;
  const notified = await tx.prisma.$queryRaw<unknown[]>`
    SELECT FROM organization o
      JOIN "user" u ON u.organization_id = ${organizationId}
      JOIN notification n ON n.organization_id = ${organizationId} AND n.user_id = u.id AND n.kind = 'inbox_item.waiting'
                         AND n.subject_type = 'inbox_item' AND n.subject_id = ${id} AND n.occasion = ${waitingEntryId}
     WHERE o.id = ${organizationId} AND n.created_at > now() - make_interval(mins => o.inbox_escalation_minutes) LIMIT 1`;
  return notified.length === 0;
}

/**
 * The call group of what came in on no number, such as answers of a check-in: that of the number from which the practice texts, so
 * that a patient's answers and texts are one conversation. Null where that number has none.
 */
export async function findMainGroup(tx: Tx): Promise<number | null> {
  const [main] = await tx.rows(MAIN_GROUP);
  return main?.chatId ?? null;
}
