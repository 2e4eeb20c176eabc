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

/** Fax numbers. */
export function faxNumberRoutes({ get, postAfterLookup, delete: remove }: Endpoints, carrier: Carrier): void {
  get('/fax-numbers', {
    operationId: 'listFaxNumbers',
    summary: 'List fax numbers',
    description: 'By id. One that the carrier refused stays, with the reason, until somebody deletes it.',
    tag: 'Numbers',
    query: numbersQuery,
    response: NumberList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listPracticeNumbers(db, caller, { kind: 'fax' }, query), fromNumber),
  });

  postAfterLookup('/fax-numbers', {
    operationId: 'createFaxNumber',
    summary: 'Make a number a fax number',
    description: 'A number that the practice has and that does nothing else. One that it does not have is bought, by an admin.',
    tag: 'Numbers',
    body: NumberAttachment,
    response: NumberResponse,
    status: 201,
    lookup: ({ body: { number } }) => checkAvailability(carrier, number),
    handle: async ({ db, caller, body: { number, chat_id }, lookupResult }) => ({
      data: fromNumber(await assignNumber(db, caller, { number, kind: 'fax', chatId: chat_id ?? null }, lookupResult)),
    }),
  });

  get('/fax-numbers/chat/:chat_id', {
    operationId: 'listFaxNumbersOfChat',
    summary: 'List the fax numbers of a call group',
    description: 'By id.',
    tag: 'Numbers',
    params: chatParams,
    query: numbersQuery,
    response: NumberList,
    handle: async ({ db, caller, params, query, request }) =>
      writePage(request, await listPracticeNumbers(db, caller, { kind: 'fax', chatId: params.chat_id }, query), fromNumber),
  });

  remove('/fax-numbers/:uuid', {
    operationId: 'deleteFaxNumber',
    summary: 'Give a fax number back',
    description: 'The carrier may sell it to somebody else from then on. What came in on it stays. For admins.',
    tag: 'Numbers',
    roles: ['admin'],
    params: numberParams,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, params }) => {
      await releaseNumber(db, caller, 'fax', params.uuid);
      return null;
    },
  });
}
