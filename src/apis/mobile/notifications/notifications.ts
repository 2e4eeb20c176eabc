import { forbidden } from '../../../domain/errors.ts';
import { parseFeedCursor } from '../../../domain/notifications/notification-feed.ts';
import { findNotification, listNotifications, markNotification } from '../../../domain/notifications/notifications.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { eventStream } from '../../../http/streams/event-streams.ts';
import type { NotificationStreams } from '../../../http/streams/notification-streams.ts';
import { writePage } from '../shared.wire.ts';
import {
  fromFeedNotification,
  fromNotification,
  NotificationList,
  NotificationResponse,
  NotificationUpdate,
  notificationParams,
  notificationsQuery,
} from './notifications.wire.ts';

export function notificationRoutes(endpoints: Endpoints, streams: NotificationStreams): void {
  const { get, put, download } = endpoints.group({ tag: 'Notifications', beyondDocument: true });
  get('/notifications', {
    operationId: 'listNotifications',
    summary: 'List notifications',
    description: 'Sorted newest first.',
    query: notificationsQuery,
    response: NotificationList,
    handle: async ({ tx, query, request }) => writePage(request, await listNotifications(tx, query, query), fromNotification),
  });

  download(
    '/notifications/stream',
    eventStream({
      operationId: 'streamNotifications',
      beyondDocument: true,
      summary: 'Stream notifications',
      description:
        'Server-sent events for apps without push support. Each event is named notification, and its data has uuid, kind, subject and created_at. With Last-Event-ID, the stream begins with all notifications after that event. The stream ends when the token or the session does; reconnect with a new token.',
      tag: 'Notifications',
      open: async ({ caller: { organizationId, userId, sessionId }, lastEventId, endsAt }) => {
        if (userId === null || sessionId === null) throw forbidden('wrong_token', 'Notifications are for a user who signed in.');
        const cursor = lastEventId === null ? null : parseFeedCursor(lastEventId);
        return streams.follow({ organizationId, userId, sessionId, cursor, endsAt, write: fromFeedNotification });
      },
    }),
  );

  put('/notifications/:uuid', {
    operationId: 'updateNotification',
    summary: 'Update a notification: mark it as read',
    description: 'With read false, marks it as unread.',
    params: notificationParams,
    body: NotificationUpdate,
    bodyOptional: true,
    response: NotificationResponse,
    etag: true,
    current: async ({ tx, params }) => ({ data: fromNotification(await findNotification(tx, params.uuid)) }),
    handle: async ({ tx, params, body }) => ({
      data: fromNotification(await markNotification(tx, params.uuid, body.read)),
    }),
  });
}
