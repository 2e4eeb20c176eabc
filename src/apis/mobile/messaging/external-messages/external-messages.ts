import type { Keyring } from '../../../../database/encryption/keyring.ts';
import {
  listExternalMessages,
  readExternalMessage,
  sendExternalMessage,
  withdrawExternalMessage,
} from '../../../../domain/messaging/external-messages/external-messages.ts';
import { previewMessage } from '../../../../domain/messaging/inbox/message-preview.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { dryRunQuery, fromPreview, isDryRun, MessagePreviewResponse } from '../../message-preview.wire.ts';
import { writePage } from '../../shared.wire.ts';
import {
  ExternalMessageList,
  ExternalMessageRequest,
  ExternalMessageResponse,
  externalMessageParams,
  externalMessagesQuery,
  fromExternalMessage,
  ignoredCounts,
  toExternalMessage,
} from './external-messages.wire.ts';

/** Messages behind a link that expires. */
export function externalMessageRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { get, post, remove } = endpoints.group({ tag: 'External messages' });
  post('/external-messages', {
    operationId: 'createExternalMessage',
    summary: 'Create a message behind a link and send the link',
    description:
      'The text or mail contains only the link, nothing of the message. The link works until the message expires or is withdrawn.',
    query: dryRunQuery,
    body: ExternalMessageRequest,
    ignored: ignoredCounts,
    response: ExternalMessageResponse,
    status: 201,
    etag: true,
    trial: {
      isAsked: isDryRun,
      response: MessagePreviewResponse,
      handle: async ({ tx, body, request }) => {
        const sending = { keyring, origin: readOrigin(request), now: new Date() };
        return fromPreview(await previewMessage(tx, keyring, () => sendExternalMessage(tx, toExternalMessage(body), sending)));
      },
    },
    handle: async ({ tx, body, request }) => {
      const sending = { keyring, origin: readOrigin(request), now: new Date() };
      return { data: fromExternalMessage(request, await sendExternalMessage(tx, toExternalMessage(body), sending)) };
    },
  });

  get('/external-messages', {
    operationId: 'listExternalMessages',
    beyondDocument: true,
    summary: 'List messages behind links',
    description: 'Newest first, including expired and withdrawn messages.',
    query: externalMessagesQuery,
    response: ExternalMessageList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listExternalMessages(tx, query), (message) => fromExternalMessage(request, message)),
  });

  const current = get('/external-messages/:external_message', {
    operationId: 'getExternalMessage',
    summary: 'Read a message behind a link, and how often it was opened',
    params: externalMessageParams,
    response: ExternalMessageResponse,
    etag: true,
    handle: async ({ tx, params, request }) => ({
      data: fromExternalMessage(request, await readExternalMessage(tx, params.external_message)),
    }),
  });

  remove('/external-messages/:external_message', {
    operationId: 'withdrawExternalMessage',
    beyondDocument: true,
    summary: 'Withdraw a message',
    description: 'Its link stops working, and a notice that is still waiting is not sent. The record stays.',
    params: externalMessageParams,
    current,
    handle: ({ tx, params }) => withdrawExternalMessage(tx, params.external_message, new Date()),
  });
}
