import type { InboxItem } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { notifyAssigned } from './escalation.ts';

/**
 * Assigns an item to a user of the practice, who is notified, or to nobody. Whoever takes it themselves has acknowledged it; another
 * user has a whole period of the practice to do so before the escalation goes on.
 * @throws Failure not_found for the item and the user; conflict where it is closed
 */
export async function assignInboxItem(tx: Tx, id: number, userId: number | null): Promise<void> {
  const item = await lockOpenItem(tx, id);
  if (userId !== null) await requireColleague(tx, userId);
  if (item.assignedUserId !== userId) {
    await tx.prisma.inboxItem.update({ where: toKey(item), data: { assignedUserId: userId }, select: { id: true } });
    recordItemChange(tx, item, 'assigned', ['assignedUserId']);
    if (userId !== null && userId !== tx.userId) await notifyAssigned(tx, { id, entryId: item.waitingEntryId }, userId);
  }
  if (userId !== null && userId === tx.userId) await acknowledge(tx, item);
}

/**
 * Records that somebody looks after an item: nobody else is notified of it. Without effect where that is so already.
 * @param seenEntries how many entries the caller has seen, if given
 * @throws Failure not_found; conflict where it is closed, and where it has more entries than the caller has seen
 */
export async function acknowledgeInboxItem(tx: Tx, id: number, seenEntries: number | undefined): Promise<void> {
  const item = await lockOpenItem(tx, id);
  requireSeen(item, seenEntries);
  await acknowledge(tx, item);
}

/**
 * Closes an item; the next event of the conversation opens another one. Without effect where it is closed with the same note.
 * @throws Failure not_found; conflict where it is closed with another note, and where it has more entries than the caller has seen
 */
export async function closeInboxItem(
  tx: Tx,
  id: number,
  { note, seenEntries }: { note: string | null; seenEntries: number | undefined },
): Promise<void> {
  const item = await lockItem(tx, id);
  if (item.closedAt !== null && (note === null || note === item.note)) return;
  requireOpen(item);
  requireSeen(item, seenEntries);
  const closed = { closedAt: new Date(), closedByUserId: tx.userId, note };
  await tx.prisma.inboxItem.update({
    where: toKey(item),
    data: { ...closed, waitingEntryId: null, escalateAt: null },
    select: { id: true },
  });
  recordItemChange(tx, item, 'closed', ['closedAt', 'note']);
}

async function acknowledge(tx: Tx, item: InboxItem): Promise<void> {
  if (item.acknowledgedAt !== null) return;
  const acknowledged = { acknowledgedAt: new Date(), acknowledgedByUserId: tx.userId };
  await tx.prisma.inboxItem.update({
    where: toKey(item),
    data: { ...acknowledged, waitingEntryId: null, escalateAt: null },
    select: { id: true },
  });
  recordItemChange(tx, item, 'acknowledged', ['acknowledgedAt']);
}

async function lockItem(tx: Tx, id: number): Promise<InboxItem> {
  await tx.prisma.$queryRaw`SELECT id FROM inbox_item WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const item = await tx.prisma.inboxItem.findUnique({ where: tx.key(id) });
  if (!item) throw notFound('inbox item');
  return item;
}

async function lockOpenItem(tx: Tx, id: number): Promise<InboxItem> {
  const item = await lockItem(tx, id);
  requireOpen(item);
  return item;
}

function requireOpen({ closedAt }: InboxItem): void {
  if (closedAt !== null) throw conflict('inbox_item_closed', 'The item is closed. The next event of the conversation opens a new one.');
}

function requireSeen({ entryCount }: InboxItem, seenEntries: number | undefined): void {
  if (seenEntries !== undefined && seenEntries < entryCount)
    throw conflict('inbox_item_joined', 'The conversation has new entries. Read the item again first.', 'entryCount');
}

async function requireColleague(tx: Tx, id: number): Promise<void> {
  const where = { ...tx.practice, id, active: true, type: { not: 'interface' } } as const;
  if (!(await tx.prisma.user.findFirst({ where, select: { id: true } }))) throw notFound('user', 'userId');
}

const toKey = ({ organizationId, id }: InboxItem) => ({ organizationId_id: { organizationId, id } });

function recordItemChange(
  caller: Caller,
  { id, patientId }: InboxItem,
  step: 'acknowledged' | 'assigned' | 'closed',
  changed: string[],
): void {
  recordChange(caller, 'update', { name: `inbox_item.${step}`, id, changed }, patientId === null ? [] : [patientId]);
}
