import { listVoiceMessages } from '../../../../domain/messaging/calls/voice-messages.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromVoiceMessage,
  toVoiceMessageFilter,
  VoiceMessageList,
  voiceMessageSearch,
  voiceMessagesChatParams,
  voiceMessagesQuery,
} from './voice-pagers.wire.ts';

/** Messages that callers left on a voice pager. A `chat` in these paths is a call group: users who are called in turn. */
export function voicePagerRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Voice pagers' });
  get('/voice-pager-number-messages', {
    operationId: 'listVoicePagerMessages',
    summary: 'List voice-pager messages',
    description: 'Newest first.',
    query: voiceMessagesQuery,
    response: VoiceMessageList,
    handle: async ({ tx, query, request }) => writePage(request, await listVoiceMessages(tx, {}, query), fromVoiceMessage(request)),
  });

  get('/voice-pager-number-messages/Search', {
    operationId: 'searchVoicePagerMessages',
    summary: 'Search voice-pager messages',
    description: 'Newest first.',
    query: voiceMessageSearch,
    response: VoiceMessageList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listVoiceMessages(tx, toVoiceMessageFilter(query), query), fromVoiceMessage(request)),
  });

  get('/voice-pager-numbers-messages/chat/:chat', {
    operationId: 'listVoicePagerMessagesOfChat',
    summary: 'List the voice-pager messages of a call group',
    description: 'Newest first.',
    params: voiceMessagesChatParams,
    query: voiceMessagesQuery,
    response: VoiceMessageList,
    handle: async ({ tx, params, query, request }) =>
      writePage(request, await listVoiceMessages(tx, { chatId: params.chat }, query), fromVoiceMessage(request)),
  });
}
