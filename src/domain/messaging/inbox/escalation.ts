import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notifyUsers } from '../../notifications/notifications.ts';
import type { Tx } from '../../tx.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import type { RowKey } from '../../values/row-key.ts';
import { textUnlessRefused } from '../queue/text-unless-refused.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';

/** An item and the entry for which people are notified: each of them once for it. */
interface Waiting {
  id: number;
  entryId: number;
}

/**
 * Notifies the first person of an item that waits: who is assigned, else the first of the call group in ring order. The others
 * follow (escalateItem), one after each period that the practice has set, until somebody acknowledges the item.
 */
export async function startEscalation(tx: Tx, { id, entryId }: Waiting): Promise<void> {
  await tx.prisma.inboxItem.update({ where: toKey(tx, id), data: { waitingEntryId: entryId }, select: { id: true } });
  await notifyNext(tx, { id, entryId });
}

/** Notifies who was to be notified first, once more: a pager pages at each message. The escalation goes on as it is. */
export async function notifyAgain(tx: Tx, waiting: Waiting): Promise<void> {
  await notify(tx, waiting, (await findNext(tx, waiting)).userIds);
}

/**
 * Notifies a user that an item was given to them. While it waits, the next after them is notified one period later.
 * @param waiting its entry is null where the item was acknowledged
 */
export async function notifyAssigned(tx: Tx, { id, entryId }: { id: number; entryId: number | null }, userId: number): Promise<void> {
  const notified = entryId === null ? [] : await notify(tx, { id, entryId }, [userId]);
  if (entryId !== null) await planNext(tx, id);
  if (notified.length > 0) return;
  const subject = { type: 'inbox_item', id };
  await notifyUsers(tx, { kind: 'inbox_item.assigned', subject, occasion: Date.now(), userIds: [userId] });
}

/** Items that nobody has acknowledged within the period of their practice, the longest due first. */
export function listDueItems(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT organization_id AS "organizationId", id FROM inbox_item i WHERE escalate_at <= now()
     ORDER BY escalate_at LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
}

/**
 * Notifies the next person of an item that is due. An item that another process has locked, or that was acknowledged or closed
 * meanwhile, is left alone.
 */
export async function escalateItem(tx: Tx, id: number): Promise<void> {
  const [due] = await tx.prisma.$queryRaw<{ entryId: number }[]>`
    SELECT waiting_entry_id AS "entryId" FROM inbox_item
     WHERE organization_id = ${tx.organizationId} AND id = ${id} AND escalate_at <= now() FOR NO KEY UPDATE SKIP LOCKED`;
  if (!due) return;
  const notified = await notifyNext(tx, { id, entryId: due.entryId });
  if (notified) recordChange(tx, 'update', { name: 'inbox_item.escalated', id, changed: ['escalateAt'] });
}

/** Notifies the next, and plans the step after that. Returns whether there was anybody. */
async function notifyNext(tx: Tx, waiting: Waiting): Promise<boolean> {
  const { userIds, isLast } = await findNext(tx, waiting);
  await notify(tx, waiting, userIds);
  if (isLast) await tx.prisma.inboxItem.update({ where: toKey(tx, waiting.id), data: { escalateAt: null }, select: { id: true } });
  else await planNext(tx, waiting.id);
  return userIds.length > 0;
}

/** The next step is one period of the practice from now. */
async function planNext(tx: Tx, id: number): Promise<void> {
  const { organizationId } = tx;
  const [practice] = await tx.prisma.$queryRaw<{ next: Date }[]>`
    SELECT now() + make_interval(mins => inbox_escalation_minutes) AS next FROM organization WHERE id = ${organizationId}`;
  await tx.prisma.$executeRaw`
    UPDATE inbox_item SET escalate_at = ${practice?.next ?? null}::timestamptz WHERE organization_id = ${organizationId} AND id = ${id}`;
}

/** The users who are notified next. `isLast`: nobody comes after them. */
interface NextUsers {
  userIds: number[];
  isLast: boolean;
}

/**
 * The order of an item: who is assigned, the members of its call group in ring order, then all admins at once. Whoever was notified
 * of this entry is passed over, and so are users who have left.
 */
async function findNext(tx: Tx, { id, entryId }: Waiting): Promise<NextUsers> {
  const { organizationId } = tx;
  const users = await tx.prisma.$queryRaw<{ id: number; step: 'person' | 'admins' }[]>`
    SELECT u.id, CASE WHEN u.id = i.assigned_user_id OR m.user_id IS NOT NULL THEN 'person' ELSE 'admins' END AS step
      FROM inbox_item i
      JOIN "user" u ON u.organization_id = i.organization_id AND u.active AND u.type <> 'interface'
      LEFT JOIN chat_member m ON m.organization_id = i.organization_id AND m.chat_id = i.chat_id AND m.user_id = u.id
     WHERE i.organization_id = ${organizationId} AND i.id = ${id}
       AND (u.id = i.assigned_user_id OR m.user_id IS NOT NULL OR u.type = 'admin')
       AND NOT EXISTS (
         SELECT FROM notification n
          WHERE n.organization_id = ${organizationId} AND n.user_id = u.id AND n.kind = 'inbox_item.waiting'
            AND n.subject_type = 'inbox_item' AND n.subject_id = i.id AND n.occasion = ${entryId})
     ORDER BY u.id = i.assigned_user_id DESC NULLS LAST, m.ring_order NULLS LAST, u.id`;
  const [first] = users;
  const isPerson = first?.step === 'person';
  const userIds = (isPerson ? users.slice(0, 1) : users).map((user) => user.id);
  return { userIds, isLast: userIds.length === users.length };
}

/**
 * Notifies users of an item, each once for the entry: in the list and stream of their notifications, by push, and by text if set.
 * @returns ids of those who were not notified before
 */
async function notify(tx: Tx, { id, entryId }: Waiting, userIds: readonly number[]): Promise<number[]> {
  if (userIds.length === 0) return [];
  const subject = { type: 'inbox_item', id };
  const notified = await notifyUsers(tx, { kind: 'inbox_item.waiting', subject, occasion: entryId, userIds });
  await textAlerts(tx, id, notified);
  return notified;
}

const toKey = ({ organizationId }: Caller, id: number) => ({ organizationId_id: { organizationId, id } });

/** A member of a call group who wants its notifications by text too. */
interface AlertedMember {
  phone: string;
  language: string;
  practiceLanguage: string;
  practice: string;
  group: string;
}

type Alert = (practice: string, group: string) => string;

/** They name no patient and have no link: a telephone shows them to whoever is near it. */
const ALERTS: InEachLanguage<Alert> = {
  en: (practice, group) => `${practice}: a message waits in the inbox of ${group}.`,
  es: (practice, group) => `${practice}: un mensaje espera en la bandeja de ${group}.`,
};

/**
 * Texts those of the users who have set so for the item's call group and have a telephone number. Quiet hours do not apply to people
 * on duty; a STOP does, and a practice without a number sends none.
 */
async function textAlerts(tx: Tx, itemId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const members = await tx.prisma.$queryRaw<AlertedMember[]>`
    SELECT u.phone, u.language_id AS language, o.language_id AS "practiceLanguage", o.name AS practice, c.name AS "group"
      FROM inbox_item i
      JOIN organization o ON o.id = i.organization_id
      JOIN chat c ON c.organization_id = i.organization_id AND c.id = i.chat_id
      JOIN chat_member m ON m.organization_id = c.organization_id AND m.chat_id = c.id AND m.text_alerts
      JOIN "user" u ON u.organization_id = m.organization_id AND u.id = m.user_id AND u.phone IS NOT NULL
     WHERE i.organization_id = ${tx.organizationId} AND i.id = ${itemId} AND u.id = ANY (${[...userIds]}::int[])
     ORDER BY m.ring_order, u.id`;
  for (const { phone, language, practiceLanguage, practice, group } of members) {
    const { own } = recipientLanguage(language, practiceLanguage);
    await textUnlessRefused(tx, { to: phone, body: ALERTS[own](practice, group), urgent: true });
  }
}
