import { releaseNumber } from '../../../../domain/messaging/numbers/number-release.ts';
import {
  assignNumber,
  checkAvailability,
  listPracticeNumbers,
  type NumberKind,
  type NumberSale,
} from '../../../../domain/messaging/numbers/practice-numbers.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { chatParams, fromNumber, NumberAttachment, NumberList, NumberResponse, numberParams, numbersQuery } from './numbers.wire.ts';

/** One use of a number, with its paths and the name of its resource in operation ids. */
interface NumberUse {
  kind: NumberKind;
  noun: string;
  resource: string;
  list: `/${string}`;
  ofChat: `/${string}/:chat_id`;
  one: `/${string}/:uuid`;
}

const FAX: NumberUse = {
  kind: 'fax',
  noun: 'fax',
  resource: 'FaxNumber',
  list: '/fax-numbers',
  ofChat: '/fax-numbers/chat/:chat_id',
  one: '/fax-numbers/:uuid',
};

/** Numbers on which callers leave a message for the person on call. */
const VOICE_PAGER: NumberUse = {
  kind: 'voice_pager',
  noun: 'voice-pager',
  resource: 'VoicePagerNumber',
  list: '/voice-pager-numbers',
  ofChat: '/voice-pager-numbers/chat/:chat_id',
  one: '/voice-pager-numbers/:uuid',
};

export function assignedNumberRoutes(endpoints: Endpoints, sale: NumberSale): void {
  for (const use of [FAX, VOICE_PAGER]) routesOfUse(endpoints, sale, use);
}

function routesOfUse(endpoints: Endpoints, sale: NumberSale, use: NumberUse): void {
  const { get, post, remove } = endpoints.group({ tag: 'Numbers' });
  const { kind, noun, resource } = use;

  get(use.list, {
    operationId: `list${resource}s`,
    summary: `List ${noun} numbers`,
    description:
      'Sorted by id. A refused number is listed with the reason until you delete it; a released one while the release can be cancelled.',
    query: numbersQuery,
    response: NumberList,
    handle: async ({ tx, query, request }) => writePage(request, await listPracticeNumbers(tx, { kind }, query), fromNumber),
  });

  post(use.list, {
    operationId: `create${resource}`,
    summary: `Create a ${noun} number from a number of your organization`,
    description: `Converts a plain number of the practice, except its last one, which sends its texts (409 \`last_plain_number\`).
A number of this kind gets the new call group, the release of a released one is cancelled, and a number that the practice does not have is bought.
\`POST /available-numbers\` makes it plain again. Admins only.`,
    roles: ['admin'],
    body: NumberAttachment,
    response: NumberResponse,
    status: 201,
    lookup: ({ body: { number }, request }) => checkAvailability(sale, request.caller.organizationId, number),
    handle: async ({ tx, body: { number, chat_id }, lookupResult }) => ({
      data: fromNumber(await assignNumber(tx, { number, kind, chatId: chat_id }, lookupResult)),
    }),
  });

  get(use.ofChat, {
    operationId: `list${resource}sOfChat`,
    summary: `List the ${noun} numbers of a call group`,
    description: 'Sorted by id.',
    params: chatParams,
    query: numbersQuery,
    response: NumberList,
    handle: async ({ tx, params, query, request }) =>
      writePage(request, await listPracticeNumbers(tx, { kind, chatId: params.chat_id }, query), fromNumber),
  });

  remove(use.one, {
    operationId: `delete${resource}`,
    summary: `Release a ${noun} number`,
    description: `For 24 hours the number still works and is listed as releasing. Creating it again as a fax, voice-pager or plain number cancels the
release. After that the carrier may sell it to somebody else. Its calls and messages are kept. Admins only.`,
    roles: ['admin'],
    params: numberParams,
    handle: ({ tx, params }) => releaseNumber(tx, kind, params.uuid),
  });
}
