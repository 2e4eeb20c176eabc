import { listChat } from '../../../../domain/telehealth/sessions/chat.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { ChatList, chatParams, chatQuery, fromChatMessage } from './video-session-chat.wire.ts';

export function sessionChatRoutes({ get }: Endpoints): void {
  get('/video-session/:GUID/chat', {
    tag: 'Video sessions',
    operationId: 'listVideoSessionChat',
    beyondDocument: true,
    summary: 'List the chat messages of a video session',
    description: 'Sorted oldest first. Messages of visits with a restricted or blocked chart are omitted.',
    params: chatParams,
    query: chatQuery,
    response: ChatList,
    handle: async ({ tx, params, query, request }) => writePage(request, await listChat(tx, params.GUID, query), fromChatMessage),
  });
}
