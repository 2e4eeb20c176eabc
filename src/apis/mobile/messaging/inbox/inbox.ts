import { acknowledgeInboxItem, assignInboxItem, closeInboxItem } from '../../../../domain/messaging/inbox/inbox-actions.ts';
import { listInbox, readInboxItem } from '../../../../domain/messaging/inbox/inbox-list.ts';
import { readTextAlerts, setTextAlerts } from '../../../../domain/messaging/inbox/text-alert-setting.ts';
import type { Tx } from '../../../../domain/tx.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { callGroupParams } from '../calls/calls.wire.ts';
import {
  AcknowledgeRequest,
  AssignRequest,
  CloseRequest,
  fromInboxItem,
  fromInboxItemWithEntries,
  InboxItemResponse,
  InboxList,
  inboxParams,
  inboxQuery,
  TextAlertsRequest,
  TextAlertsResponse,
  toInboxFilter,
} from './inbox.wire.ts';

const currentItem = async ({ tx, params }: { tx: Tx; params: { uuid: number } }) => ({
  data: fromInboxItemWithEntries(await readInboxItem(tx, params.uuid)),
});

/** The inbox: conversations of call groups that wait for a person, and who looks after them. */
export function inboxRoutes(endpoints: Endpoints): void {
  const { get, post, put } = endpoints.group({ tag: 'Inbox', beyondDocument: true });
  get('/inbox', {
    operationId: 'listInbox',
    summary: 'List inbox items',
    description:
      'One item per conversation: open urgent ones first, then those with the newest entry. Texts that were not handled automatically, declined appointments, voice-pager messages, monitoring alerts and undelivered texts open an item, or join the open item of their conversation. Acknowledging or closing an item acknowledges its alerts.',
    query: inboxQuery,
    response: InboxList,
    handle: async ({ tx, query, request }) => writePage(request, await listInbox(tx, toInboxFilter(query), query), fromInboxItem),
  });

  get('/inbox/:uuid', {
    operationId: 'getInboxItem',
    summary: 'Read an inbox item with its entries',
    params: inboxParams,
    response: InboxItemResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromInboxItemWithEntries(await readInboxItem(tx, params.uuid)) }),
  });

  post('/inbox/:uuid/assign', {
    operationId: 'assignInboxItem',
    summary: 'Assign an inbox item to a user, or unassign it',
    description:
      'Notifies the user. Assigning it to yourself acknowledges it. Another user has the practice’s full period to acknowledge it before the next in ring order is notified.',
    params: inboxParams,
    body: AssignRequest,
    response: InboxItemResponse,
    etag: true,
    current: currentItem,
    handle: async ({ tx, params, body }) => {
      await assignInboxItem(tx, params.uuid, body.user_uuid);
      return { data: fromInboxItemWithEntries(await readInboxItem(tx, params.uuid)) };
    },
  });

  post('/inbox/:uuid/acknowledge', {
    operationId: 'acknowledgeInboxItem',
    summary: 'Acknowledge an inbox item',
    description: 'You take responsibility for it. Escalation of the entries so far ends.',
    params: inboxParams,
    body: AcknowledgeRequest,
    bodyOptional: true,
    response: InboxItemResponse,
    etag: true,
    current: currentItem,
    handle: async ({ tx, params, body }) => {
      await acknowledgeInboxItem(tx, params.uuid, body.entry_count ?? undefined);
      return { data: fromInboxItemWithEntries(await readInboxItem(tx, params.uuid)) };
    },
  });

  post('/inbox/:uuid/close', {
    operationId: 'closeInboxItem',
    summary: 'Close an inbox item',
    description: 'With a note of what was done. Later entries open another item.',
    params: inboxParams,
    body: CloseRequest,
    bodyOptional: true,
    response: InboxItemResponse,
    etag: true,
    current: currentItem,
    handle: async ({ tx, params, body }) => {
      await closeInboxItem(tx, params.uuid, { note: body.note, seenEntries: body.entry_count ?? undefined });
      return { data: fromInboxItemWithEntries(await readInboxItem(tx, params.uuid)) };
    },
  });

  put('/chats/:chat_id/text-alerts', {
    operationId: 'setTextAlerts',
    summary: 'Set whether you get texts about the inbox of your call group',
    description:
      'For each notification about the group’s items you also get a text, at any time of day. It names only the practice and the group.',
    params: callGroupParams,
    body: TextAlertsRequest,
    response: TextAlertsResponse,
    etag: true,
    current: async ({ tx, params }) => ({
      data: { chat_id: params.chat_id, text_alerts: await readTextAlerts(tx, params.chat_id) },
    }),
    handle: async ({ tx, params, body }) => ({
      data: { chat_id: params.chat_id, text_alerts: await setTextAlerts(tx, params.chat_id, body.text_alerts) },
    }),
  });
}
