import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';

/** What users are told of. */
export type NotificationKind = 'checkin_review.created';

/** News of one record, for some users. It names the record, and nothing that is in it. */
export interface NewNotification {
  kind: NotificationKind;
  subject: { type: string; id: number };
  userIds: readonly number[];
}

const SHOWN = {
  id: true,
  kind: true,
  subjectType: true,
  subjectId: true,
  createdAt: true,
  pushedAt: true,
  readAt: true,
} as const satisfies Prisma.NotificationSelect;

/** What a user was told of, and what became of it. It holds no patient data, and so showing it is not audited. */
export type ShownNotification = Prisma.NotificationGetPayload<{ select: typeof SHOWN }>;

/** Tells users of a record, each of them once: they find it in their list, in their stream, and on their devices. */
export async function notifyUsers(db: Db, caller: Caller, { kind, subject, userIds }: NewNotification): Promise<void> {
  const told = { organizationId: caller.organizationId, kind, subjectType: subject.type, subjectId: subject.id };
  const rows = await db.notification.createManyAndReturn({
    data: [...new Set(userIds)].map((userId) => ({ ...told, userId })),
    skipDuplicates: true,
    select: { id: true },
  });
  for (const { id } of rows) {
    recordChange(caller, 'create', { name: 'notification.created', subject: 'notification', id });
    caller.journal.jobs.push({ queue: 'send-push', id });
  }
}

/** What the caller was told of, the newest first. */
export async function listNotifications(
  db: Db,
  { organizationId, userId }: Caller,
  { unread }: { unread: boolean },
  page: PageRequest,
): Promise<Page<ShownNotification>> {
  const where = { organizationId, userId: userId ?? 0, ...(unread ? { readAt: null } : {}) };
  const [items, total] = await Promise.all([
    db.notification.findMany({ where, select: SHOWN, orderBy: [{ transactionId: 'desc' }, { id: 'desc' }], ...window(page) }),
    db.notification.count({ where }),
  ]);
  return { ...page, items, total };
}

/** One of the caller's own. @throws Failure not_found, also for another user's */
export async function findNotification(db: Db, { organizationId, userId }: Caller, id: number): Promise<ShownNotification> {
  const found = await db.notification.findFirst({ where: { organizationId, userId: userId ?? 0, id }, select: SHOWN });
  if (!found) throw notFound('notification');
  return found;
}

/** Notes that the caller has seen one, or has not after all; it is no change where that stands already. @throws Failure not_found */
export async function markNotification(db: Db, caller: Caller, id: number, isRead: boolean): Promise<ShownNotification> {
  const { organizationId, userId } = caller;
  await db.$queryRaw`SELECT id FROM notification WHERE organization_id = ${organizationId} AND id = ${id} AND user_id = ${userId} FOR NO KEY UPDATE`;
  const before = await findNotification(db, caller, id);
  if ((before.readAt !== null) === isRead) return before;
  const data = { readAt: isRead ? new Date() : null };
  const after = await db.notification.update({ where: { organizationId_id: { organizationId, id } }, data, select: SHOWN });
  const name = isRead ? 'notification.read' : 'notification.unread';
  recordChange(caller, 'update', { name, subject: 'notification', id, changed: ['readAt'] });
  return after;
}
