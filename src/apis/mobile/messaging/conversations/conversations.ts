import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { AGENT_SCOPES } from '../../../../domain/identity/clients/client-scopes.ts';
import { answerConversation } from '../../../../domain/messaging/conversations/conversation-answers.ts';
import {
  listConversations,
  listConversationTexts,
  readConversationText,
} from '../../../../domain/messaging/conversations/conversations.ts';
import { fileText } from '../../../../domain/messaging/conversations/filing.ts';
import { previewMessage, queuedText } from '../../../../domain/messaging/inbox/message-preview.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { dryRunQuery, fromPreview, isDryRun, MessagePreviewResponse } from '../../message-preview.wire.ts';
import { writePage } from '../../shared.wire.ts';
import {
  AnswerRequest,
  ConversationList,
  ConversationTextList,
  ConversationTextResponse,
  conversationParams,
  conversationsQuery,
  FileRequest,
  fromConversation,
  fromConversationText,
  messageParams,
  messagesQuery,
  toAnswer,
  toConversationFilter,
} from './conversations.wire.ts';

/** Conversations: what the practice and a telephone number have texted each other, whoever it was about. */
export function conversationRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { get, post, put } = endpoints.group({ tag: 'Conversations', beyondDocument: true });
  get('/conversations', {
    operationId: 'listConversations',
    summary: 'List conversations by text',
    description:
      'One per telephone number, sorted by newest text. Scheduled texts and texts of patients with restricted or blocked charts are excluded.',
    query: conversationsQuery,
    response: ConversationList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listConversations(tx, toConversationFilter(query), query), (one) => fromConversation(request, one)),
  });

  get('/conversations/:number/messages', {
    operationId: 'listConversationMessages',
    summary: 'List the texts of a conversation',
    description: 'Sent and received texts, newest first.',
    params: conversationParams,
    query: messagesQuery,
    response: ConversationTextList,
    handle: async ({ tx, params, query, request }) => {
      const of = { number: params.number, contactId: query.contact };
      return writePage(request, await listConversationTexts(tx, of, query), (text) => fromConversationText(request, text));
    },
  });

  post('/conversations/:number/messages', {
    operationId: 'answerConversation',
    scope: AGENT_SCOPES.write,
    summary: 'Answer in a conversation',
    description:
      'Write your own words, or name a canned reply or a template. Quiet hours apply; 409 if the number or its patient has opted out. The text is sent from the practice’s number that the conversation used last. 404 if the number has no texts and belongs to no patient or contact.',
    params: conversationParams,
    query: dryRunQuery,
    body: AnswerRequest,
    response: ConversationTextResponse,
    status: 201,
    trial: {
      isAsked: isDryRun,
      response: MessagePreviewResponse,
      handle: async ({ tx, params, body }) => {
        const send = async () => queuedText(await answerConversation(tx, params.number, toAnswer(body)));
        return fromPreview(await previewMessage(tx, keyring, send));
      },
    },
    handle: async ({ tx, params, body, request }) => {
      const { id } = await answerConversation(tx, params.number, toAnswer(body));
      return { data: fromConversationText(request, await readConversationText(tx, { number: params.number, id })) };
    },
  });

  put('/conversations/:number/messages/:id', {
    operationId: 'fileConversationMessage',
    summary: 'File a text of a conversation with another patient',
    description:
      'Its open inbox entries move with it. 409 for a text that is waiting, is about an appointment or has a link, since those belong to their patient.',
    params: messageParams,
    body: FileRequest,
    response: ConversationTextResponse,
    etag: true,
    current: async ({ tx, params, request }) => ({
      data: fromConversationText(request, await readConversationText(tx, params)),
    }),
    handle: async ({ tx, params, body, request }) => {
      await fileText(tx, params, body.patient_uuid);
      return { data: fromConversationText(request, await readConversationText(tx, params)) };
    },
  });
}
