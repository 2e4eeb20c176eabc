import { z } from 'zod';
import type { FeedNotification } from '../../../domain/notifications/notification-feed.ts';
import { writeFeedCursor } from '../../../domain/notifications/notification-feed.ts';
import type { ShownNotification } from '../../../domain/notifications/notifications.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { writeEvent } from '../../../http/streams/event-streams.ts';
import { bit, flag, instant, longId, paging } from '../../../http/wire/wire-types.ts';
import { one, wrapList } from '../shared.wire.ts';

const SubjectShape = z.strictObject({
  type: z
    .string()
    .describe(
      'checkin_review, inbox_item, monitoring_alert, organization, chart_opening, or, for a knock, video_session or waiting_room_visit',
    ),
  uuid: z.int(),
});

export const NotificationShape = z
  .strictObject({
    uuid: z.int(),
    kind: z
      .string()
      .describe(
        'checkin_review.created; visit.knocked: somebody waits to be admitted; inbox_item.waiting: an inbox item waits for an acknowledgment; inbox_item.assigned: an inbox item was assigned to you; monitoring_alert.opened: a patient has an alert; monitoring_alert.escalated: an alert was not acknowledged in time; accounts.locked: wrong passwords locked accounts of the practice; text.withdrawn: a text that you sent will not be sent; chart.opened: a restricted chart was opened in an emergency (for privacy officers)',
      ),
    subject: SubjectShape,
    created_at: instant(),
    pushed_at: instant().nullable().describe('When a push service first accepted the notification for one of your devices'),
    read_at: instant().nullable(),
  })
  .meta({ id: 'NotificationRecord' });

export const NotificationResponse = one(NotificationShape).meta({ id: 'NotificationResponse' });
export const NotificationList = wrapList(NotificationShape).meta({ id: 'NotificationList' });

export const NotificationUpdate = z.object({ read: flag().default(true).describe('True by default') }).meta({ id: 'NotificationUpdate' });

export const notificationParams = z.object({ uuid: longId().describe('Notification id') });
export const notificationsQuery = z.object({
  unread: bit().default(false).describe('1: only unread notifications'),
  ...paging,
});

const fromSubject = ({ subjectType, subjectId }: Pick<ShownNotification, 'subjectType' | 'subjectId'>) => ({
  type: subjectType,
  uuid: subjectId,
});

export function fromNotification(notification: ShownNotification): z.input<typeof NotificationShape> {
  return {
    uuid: notification.id,
    kind: notification.kind,
    subject: fromSubject(notification),
    created_at: writeInstant(notification.createdAt),
    pushed_at: writeInstant(notification.pushedAt),
    read_at: writeInstant(notification.readAt),
  };
}

/** A notification as a server-sent event of the notification stream. */
export function fromFeedNotification(notification: FeedNotification): string {
  const { id: uuid, kind, createdAt, cursor } = notification;
  const data = { uuid, kind, subject: fromSubject(notification), created_at: writeInstant(createdAt) };
  return writeEvent({ id: writeFeedCursor(cursor), event: 'notification', data });
}
