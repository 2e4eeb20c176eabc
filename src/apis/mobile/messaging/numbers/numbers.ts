import {
  checkAvailability,
  MOST_OFFERED,
  type NumberSale,
  purchaseNumber,
  searchAvailableNumbers,
} from '../../../../domain/messaging/numbers/practice-numbers.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { assignedNumberRoutes } from './assigned-numbers.ts';
import {
  AvailableNumberList,
  availableNumbersQuery,
  fromAvailable,
  fromNumber,
  NumberPurchase,
  NumberResponse,
  toNumberSearch,
} from './numbers.wire.ts';

export function numberRoutes(endpoints: Endpoints, sale: NumberSale): void {
  const { get, post } = endpoints.group({ tag: 'Numbers' });

  get('/available-numbers', {
    operationId: 'listAvailableNumbers',
    summary: 'List numbers to buy',
    description: `Sorted by number: up to ${MOST_OFFERED} that the carrier currently offers, counted in \`meta.total\`. Pages beyond them are empty.`,
    query: availableNumbersQuery,
    response: AvailableNumberList,
    handle: async ({ tx, query, request }) => {
      const { carrier } = await sale.findSenders(tx.organizationId);
      return writePage(request, await searchAvailableNumbers(tx.prisma, carrier, toNumberSearch(query), query), fromAvailable);
    },
  });

  post('/available-numbers', {
    operationId: 'purchaseNumber',
    summary: 'Purchase a number, or make a number of your organization plain again',
    description: `It is reserved for the practice immediately and bought within seconds: until then its state is ordered.
A fax or voice-pager number of the practice becomes plain again, or the kind in \`type\`; the release of a released one is cancelled. A practice has at most 100 numbers
unless the operator sets another limit (409 \`too_many_numbers\`). Admins only.`,
    roles: ['admin'],
    stepUp: true,
    body: NumberPurchase,
    response: NumberResponse,
    status: 201,
    lookup: ({ body: { number }, request }) => checkAvailability(sale, request.caller.organizationId, number),
    handle: async ({ tx, body: { number, type, chat_id }, lookupResult }) => ({
      data: fromNumber(await purchaseNumber(tx, { number, kind: type ?? 'plain', chatId: chat_id }, lookupResult)),
    }),
  });

  assignedNumberRoutes(endpoints, sale);
}
