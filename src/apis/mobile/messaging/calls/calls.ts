import { findCallGroup } from '../../../../domain/messaging/calls/call-groups.ts';
import { listIncomingCalls } from '../../../../domain/messaging/calls/incoming-calls.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { CallGroupResponse, CallList, callGroupParams, callsQuery, fromCall, fromCallGroup, toCallFilter } from './calls.wire.ts';
import { voicePagerRoutes } from './voice-pagers.ts';

export function callRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Calls' });

  get('/chats/:chat_id/call-group-data', {
    operationId: 'getCallGroup',
    summary: 'Read a call group',
    description: 'The members in ring order, and the numbers that ring them. Users who have left are not included.',
    params: callGroupParams,
    response: CallGroupResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromCallGroup(await findCallGroup(tx, params.chat_id)) }),
  });

  // The list of operations misspells the path; both spellings work, and the document shows the listed one.
  for (const path of ['/incomming-call-log', '/incoming-call-log']) {
    get(path, {
      operationId: 'listIncomingCalls',
      isAlias: path === '/incoming-call-log',
      summary: 'List incoming calls',
      description: 'Newest first. Also served at `/incoming-call-log`.',
      query: callsQuery,
      response: CallList,
      handle: async ({ tx, query, request }) => writePage(request, await listIncomingCalls(tx, toCallFilter(query), query), fromCall),
    });
  }

  voicePagerRoutes(endpoints);
}
