import {
  assignNumber,
  checkAvailability,
  listPracticeNumbers,
  releaseNumber,
} from '../../../../domain/messaging/numbers/practice-numbers.ts';
import type { Carrier } from '../../../../gateways/carrier.ts';
import type { Endpoints } from '../../../../http/declare-endpoints.ts';
import { NoContent } from '../../people/sign-in.wire.ts';
import { writePage } from '../../shared.wire.ts';
import { chatParams, fromNumber, NumberAttachment, NumberList, NumberResponse, numberParams, numbersQuery } from './numbers.wire.ts';

/** Numbers on which callers leave a message for the person on call. */
export function voicePagerNumberRoutes({ get, postAfterLookup, delete: remove }: Endpoints, carrier: Carrier): void {
  get('/voice-pager-numbers', {
    operationId: 'listVoicePagerNumbers',
    summary: 'List voice-pager numbers',
    description: 'By id. One that the carrier refused stays, with the reason, until somebody deletes it.',
    tag: 'Numbers',
    query: numbersQuery,
    response: NumberList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listPracticeNumbers(db, caller, { kind: 'voice_pager' }, query), fromNumber),
  });

  postAfterLookup('/voice-pager-numbers', {
    operationId: 'createVoicePagerNumber',
    summary: 'Make a number a voice-pager number',
    description: 'A number that the practice has and that does nothing else. One that it does not have is bought, by an admin.',
    tag: 'Numbers',
    body: NumberAttachment,
    response: NumberResponse,
    status: 201,
    lookup: ({ body: { number } }) => checkAvailability(carrier, number),
    handle: async ({ db, caller, body: { number, chat_id }, lookupResult }) => ({
      data: fromNumber(await assignNumber(db, caller, { number, kind: 'voice_pager', chatId: chat_id ?? null }, lookupResult)),
    }),
  });

  get('/voice-pager-numbers/chat/:chat_id', {
    operationId: 'listVoicePagerNumbersOfChat',
    summary: 'List the voice-pager numbers of a call group',
    description: 'By id.',
    tag: 'Numbers',
    params: chatParams,
    query: numbersQuery,
    response: NumberList,
    handle: async ({ db, caller, params, query, request }) =>
      writePage(request, await listPracticeNumbers(db, caller, { kind: 'voice_pager', chatId: params.chat_id }, query), fromNumber),
  });

  remove('/voice-pager-numbers/:uuid', {
    operationId: 'deleteVoicePagerNumber',
    summary: 'Give a voice-pager number back',
    description: 'The carrier may sell it to somebody else from then on. What came in on it stays. For admins.',
    tag: 'Numbers',
    roles: ['admin'],
    params: numberParams,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, params }) => {
      await releaseNumber(db, caller, 'voice_pager', params.uuid);
      return null;
    },
  });
}
