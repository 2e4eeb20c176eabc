import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import { CONTACT_BY_NUMBER } from '../contacts/contacts.sql.ts';
import { isInboxKind, openInboxItem } from './inbox.ts';

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
export async function moveInboxEntries(
  db: Db,
  caller: Caller,
  subject: { type: string; id: number },
  to: { patientId: number | null; number: string },
): Promise<void> {
  const { organizationId } = caller;
  const entries = await db.$queryRaw<OpenEntry[]>`
    SELECT e.id, i.id AS "itemId", i.chat_id AS "chatId", e.kind, i.urgent
      FROM inbox_item i JOIN inbox_entry e ON e.organization_id = ${organizationId} AND e.inbox_item_id = i.id
     WHERE i.organization_id = ${organizationId} AND i.closed_at IS NULL AND e.subject_type = ${subject.type} AND e.subject_id = ${subject.id}
     ORDER BY e.id FOR NO KEY UPDATE OF i`;
  if (entries.length === 0) return;
  const [contact] = to.patientId === null ? await preparedIn(db).rows(CONTACT_BY_NUMBER, [organizationId, to.number]) : [];
  for (const { id, itemId, chatId, kind, urgent } of entries) {
    if (!isInboxKind(kind)) continue;
    await db.inboxEntry.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
    await shrink(db, caller, itemId);
    await openInboxItem(db, caller, { kind, subject, contactId: contact?.id ?? null, ...to, chatId, urgent });
  }
}

async function shrink(db: Db, { organizationId, userId }: Caller, id: number): Promise<void> {
  await db.$executeRaw`
    UPDATE inbox_item SET entry_count = entry_count - 1 WHERE organization_id = ${organizationId} AND id = ${id} AND entry_count > 1`;
  const where = { organizationId, id, entries: { none: { organizationId } } };
  const closed = { closedAt: new Date(), closedByUserId: userId, waitingEntryId: null, escalateAt: null };
  await db.inboxItem.updateMany({ where, data: closed });
}
