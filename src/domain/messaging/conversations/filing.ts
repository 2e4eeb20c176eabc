import { recordChange } from '../../audit/journal-entries.ts';
import { conflict } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { CONTACT_BY_NUMBER } from '../contacts/contacts.sql.ts';
import { isInboxKind, openInboxItem } from '../inbox/inbox.ts';
import { readConversationText } from './conversations.ts';

/**
 * Files a text of a conversation with another patient, or with nobody. What it left in the inbox goes with it.
 * @throws Failure not_found for the text and the patient; conflict for a text that waits, and for one that is about an appointment or
 *   has a link: both are its patient's
 */
export async function fileText(tx: Tx, of: { number: string; id: number }, patientId: number | null): Promise<void> {
  const { organizationId } = tx;
  const { id, number } = of;
  await tx.prisma.$queryRaw`SELECT id FROM sms_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const text = await readConversationText(tx, of);
  if (patientId !== null) await findPatient(tx, patientId, 'patientId');
  if (text.patientId === patientId) return;
  if (text.state === 'queued')
    throw conflict('text_waits', 'The text has not been sent yet. Withdraw it, and send it to the other patient.');
  if (text.appointmentId !== null)
    throw conflict('about_appointment', 'The text cannot be filed elsewhere: it is about an appointment of its patient.');
  const none = { none: { organizationId } };
  const carriesLink = { checkIns: none, externalMessages: none, sessionInvites: none };
  const where = { organizationId, id, ...carriesLink };
  const { count } = await tx.prisma.smsMessage.updateMany({ where, data: { patientId, ownNumber: false } });
  if (count === 0) throw conflict('has_link', 'The text cannot be filed elsewhere: it contains a link for its patient.');
  const patientIds = [text.patientId, patientId].filter((one) => one !== null);
  recordChange(tx, 'update', { name: 'text.filed', id, changed: ['patient'] }, patientIds);
  await moveInboxEntries(tx, { type: 'text', id }, { patientId, number });
}

interface OpenEntry {
  id: number;
  itemId: number;
  chatId: number | null;
  kind: string;
  urgent: boolean;
}

/**
 * Moves what a record left in open items of the inbox to the conversation of another patient, or of a number that is nobody's. An item
 * that has nothing else is closed.
 */
async function moveInboxEntries(
  tx: Tx,
  subject: { type: string; id: number },
  to: { patientId: number | null; number: string },
): Promise<void> {
  const { organizationId } = tx;
  const entries = await tx.prisma.$queryRaw<OpenEntry[]>`
    SELECT e.id, i.id AS "itemId", i.chat_id AS "chatId", e.kind, i.urgent
      FROM inbox_item i JOIN inbox_entry e ON e.organization_id = ${organizationId} AND e.inbox_item_id = i.id
     WHERE i.organization_id = ${organizationId} AND i.closed_at IS NULL AND e.subject_type = ${subject.type} AND e.subject_id = ${subject.id}
     ORDER BY e.id FOR NO KEY UPDATE OF i`;
  if (entries.length === 0) return;
  const [contact] = to.patientId === null ? await tx.rows(CONTACT_BY_NUMBER, [to.number]) : [];
  for (const { id, itemId, chatId, kind, urgent } of entries) {
    if (!isInboxKind(kind)) continue;
    await tx.prisma.inboxEntry.delete({ where: tx.key(id), select: { id: true } });
    await shrink(tx, itemId);
    await openInboxItem(tx, { kind, subject, contactId: contact?.id ?? null, ...to, chatId, urgent });
  }
}

async function shrink(tx: Tx, id: number): Promise<void> {
  const { organizationId, userId } = tx;
  await tx.prisma.$executeRaw`
    UPDATE inbox_item SET entry_count = entry_count - 1 WHERE organization_id = ${organizationId} AND id = ${id} AND entry_count > 1`;
  const where = { organizationId, id, entries: { none: { organizationId } } };
  const closed = { closedAt: new Date(), closedByUserId: userId, waitingEntryId: null, escalateAt: null };
  await tx.prisma.inboxItem.updateMany({ where, data: closed });
}
