import {
  changeCannedReply,
  createCannedReply,
  deleteCannedReply,
  findCannedReply,
  listCannedReplies,
} from '../../../../domain/messaging/texts/canned-replies.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  CannedReplyList,
  CannedReplyRequest,
  CannedReplyResponse,
  cannedRepliesQuery,
  cannedReplyParams,
  fromCannedReply,
} from './canned-replies.wire.ts';

export function cannedReplyRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Canned replies' });
  get('/canned-replies', {
    operationId: 'listCannedReplies',
    beyondDocument: true,
    summary: 'List canned replies',
    description: 'By id.',
    query: cannedRepliesQuery,
    response: CannedReplyList,
    handle: async ({ tx, query, request }) => writePage(request, await listCannedReplies(tx, query), fromCannedReply),
  });

  post('/canned-replies', {
    operationId: 'createCannedReply',
    summary: 'Create a canned reply',
    description: 'Available to everybody in the organization.',
    body: CannedReplyRequest,
    response: CannedReplyResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => ({ data: fromCannedReply(await createCannedReply(tx, body.message)) }),
  });

  const current = get('/canned-replies/:id', {
    operationId: 'getCannedReply',
    summary: 'Read a canned reply',
    params: cannedReplyParams,
    response: CannedReplyResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromCannedReply(await findCannedReply(tx, params.id)) }),
  });

  put('/canned-replies/:id', {
    operationId: 'updateCannedReply',
    beyondDocument: true,
    summary: 'Update a canned reply',
    description: 'Texts sent with it do not change.',
    params: cannedReplyParams,
    body: CannedReplyRequest,
    response: CannedReplyResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => ({
      data: fromCannedReply(await changeCannedReply(tx, params.id, body.message)),
    }),
  });

  remove('/canned-replies/:id', {
    operationId: 'deleteCannedReply',
    beyondDocument: true,
    summary: 'Delete a canned reply',
    params: cannedReplyParams,
    current,
    handle: ({ tx, params }) => deleteCannedReply(tx, params.id),
  });
}
