import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import { listOpenedCharts, maySeeRestricted } from '../caller.ts';
import { notFound } from '../errors.ts';
import type { Tx } from '../tx.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { isAboutRestrictedBut } from './notification-feed.ts';

/**
 * Kinds of notifications. `visit.knocked`: somebody waits to be let in, by a link to a session or in a waiting room.
 * `inbox_item.waiting`: an item of the inbox waits for an acknowledgment. `inbox_item.assigned`: it was given to the user.
 * `monitoring_alert.opened`: a patient of the user's has an alert. `monitoring_alert.escalated`: nobody has acknowledged it in time.
 * `accounts.locked`: within an hour, ten times an account of the practice was locked by wrong passwords.
 * `text.withdrawn`: a text that the user sent does not leave; its reason says why.
 * `chart.opened`: somebody has opened a restricted chart in an emergency, of which privacy officers are told.
 */
export type NotificationKind =
  | 'checkin_review.created'
  | 'visit.knocked'
  | 'inbox_item.waiting'
  | 'inbox_item.assigned'
  | 'monitoring_alert.opened'
  | 'monitoring_alert.escalated'
  | 'accounts.locked'
  | 'text.withdrawn'
  | 'chart.opened';

/** A notification about a record, for several users. It names the record and carries no patient data. */
export interface NewNotification {
  kind: NotificationKind;
  subject: { type: string; id: number };
  /** Tells two notifications of one kind about one record apart; 0 unless given. */
  occasion?: number;
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

/** A notification of a user with its state. It carries no patient data, so reading it is not audited. */
export type ShownNotification = Prisma.NotificationGetPayload<{ select: typeof SHOWN }>;

/**
 * Notifies users of a record, each of them once: in their list, in their event stream, and by push to their devices.
 * @returns ids of the users who were not notified before
 */
export function notifyUsers(tx: Tx, { kind, subject, occasion, userIds }: NewNotification): Promise<number[]> {
  const recipients = userIds.map((userId) => ({ subjectId: subject.id, userId }));
  return notifyOfEach(tx, { kind, subjectType: subject.type, occasion, recipients });
}

/** Notifications about several records of one type, each for users of its own. */
export interface NewNotifications {
  kind: NotificationKind;
  subjectType: string;
  occasion?: number | undefined;
  recipients: readonly { subjectId: number; userId: number }[];
}

/** As notifyUsers, of many records with one statement. @returns ids of the users, one for each notification that was not there before */
export async function notifyOfEach(tx: Tx, { kind, subjectType, occasion = 0, recipients }: NewNotifications): Promise<number[]> {
  if (recipients.length === 0) return [];
  const [subjectIds, userIds] = [recipients.map(({ subjectId }) => subjectId), recipients.map(({ userId }) => userId)];
  const rows = await tx.prisma.$queryRaw<{ id: number; userId: number }[]>`
    INSERT INTO notification (organization_id, user_id, kind, subject_type, subject_id, occasion)
    SELECT ${tx.organizationId}::int, n.user_id, ${kind}::text, ${subjectType}::text, n.subject_id, ${occasion}::bigint
      FROM unnest(${subjectIds}::bigint[], ${userIds}::int[]) AS n (subject_id, user_id)
        ON CONFLICT DO NOTHING
    RETURNING id, user_id AS "userId"`;
  for (const { id } of rows) {
    recordChange(tx, 'create', { name: 'notification.created', id });
    tx.journal.jobs.push({ queue: 'send-push', id });
  }
  return rows.map(({ userId }) => userId);
}

/** The notifications of the caller, newest first, without those about restricted and blocked patients. */
export async function listNotifications(tx: Tx, { unread }: { unread: boolean }, page: PageRequest): Promise<Page<ShownNotification>> {
  const id = { notIn: await findAboutRestricted(tx) };
  const where = { ...tx.practice, userId: tx.userId ?? 0, id, ...(unread ? { readAt: null } : {}) };
  const [items, total] = await Promise.all([
    tx.prisma.notification.findMany({ where, select: SHOWN, orderBy: [{ transactionId: 'desc' }, { id: 'desc' }], ...window(page) }),
    tx.prisma.notification.count({ where }),
  ]);
  return { ...page, items, total };
}

/** The caller's notifications about restricted and blocked patients. A user has few notifications: they are kept for 90 days. */
async function findAboutRestricted(tx: Tx): Promise<number[]> {
  if (maySeeRestricted(tx)) return [];
  const { organizationId, userId } = tx;
  const rows = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT n.id FROM notification n WHERE n.organization_id = ${organizationId} AND n.user_id = ${userId} AND ${isAboutRestrictedBut(organizationId, listOpenedCharts(tx))}`;
  return rows.map(({ id }) => id);
}

/** A notification of the caller. @throws Failure not_found, also for another user's, and one about a restricted or blocked patient */
export async function findNotification(tx: Tx, id: number): Promise<ShownNotification> {
  const found = await tx.prisma.notification.findFirst({ where: { ...tx.practice, userId: tx.userId ?? 0, id }, select: SHOWN });
  if (!found || (await findAboutRestricted(tx)).includes(id)) throw notFound('notification');
  return found;
}

/** Marks a notification of the caller as read or unread. Does nothing where it is so already. @throws Failure not_found */
export async function markNotification(tx: Tx, id: number, isRead: boolean): Promise<ShownNotification> {
  const { organizationId, userId } = tx;
  await tx.prisma
    .$queryRaw`SELECT id FROM notification WHERE organization_id = ${organizationId} AND id = ${id} AND user_id = ${userId} FOR NO KEY UPDATE`;
  const before = await findNotification(tx, id);
  if ((before.readAt !== null) === isRead) return before;
  const data = { readAt: isRead ? new Date() : null };
  const after = await tx.prisma.notification.update({ where: tx.key(id), data, select: SHOWN });
  const name = isRead ? 'notification.read' : 'notification.unread';
  recordChange(tx, 'update', { name, id, changed: ['readAt'] });
  return after;
}
