import { listRules, replaceRules } from '../../../../domain/messaging/visit-messages/rules.ts';
import { listVisitMessages, skipVisitMessage } from '../../../../domain/messaging/visit-messages/visit-messages.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromMessage,
  fromRules,
  MessageList,
  messageParams,
  messagesQuery,
  RulesRequest,
  RulesResponse,
  toRules,
  visitParams,
} from './visit-messages.wire.ts';

/** Automatic messages about visits: what the practice has set, and those of one visit. */
export function visitMessageRoutes(endpoints: Endpoints): void {
  const { get, put, remove } = endpoints.group({ tag: 'Visit messages', beyondDocument: true });
  const current = get('/visit-messages', {
    operationId: 'listVisitMessageRules',
    summary: 'List the automatic messages about visits',
    description: 'The list is empty until the practice turns messages on. Admins only.',
    roles: ['admin'],
    response: RulesResponse,
    etag: true,
    handle: async ({ tx }) => fromRules(await listRules(tx)),
  });

  put('/visit-messages', {
    operationId: 'updateVisitMessageRules',
    summary: 'Update the automatic messages about visits',
    description: `Replaces the whole list. A rule for an appointment type overrides rules of the same kind for all types, and can turn them off.
Each message goes by text to patients who accept texts, otherwise by mail, in their language and after quiet hours. Messages due
before their rule was set, or before the visit was booked or moved, are not sent. Admins only.`,
    roles: ['admin'],
    body: RulesRequest,
    response: RulesResponse,
    etag: true,
    current,
    handle: async ({ tx, body }) => fromRules(await replaceRules(tx, toRules(body))),
  });

  get('/appointments/:uuid/messages', {
    operationId: 'listVisitMessages',
    summary: 'List sent and planned messages about a visit',
    description: 'Sorted by due time; also for a cancelled visit. Texts that staff sent are in the list of texts.',
    params: visitParams,
    query: messagesQuery,
    response: MessageList,
    handle: async ({ tx, params, query, request }) => writePage(request, await listVisitMessages(tx, params.uuid, query), fromMessage),
  });

  remove('/appointments/:uuid/messages/:message', {
    operationId: 'skipVisitMessage',
    summary: 'Skip a message about a visit',
    description: 'It will not be sent. 409 `message_sent` if it was sent, or may have been sent.',
    params: messageParams,
    handle: ({ tx, params }) => skipVisitMessage(tx, params.uuid, params.message),
  });
}
