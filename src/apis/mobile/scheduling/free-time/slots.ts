import { AGENT_SCOPES } from '../../../../domain/identity/clients/client-scopes.ts';
import { HOLD_MINUTES, holdSlot, releaseHold } from '../../../../domain/scheduling/booking/claims.ts';
import { listSlots } from '../../../../domain/scheduling/free-time/slots.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { fromHold, fromSlot, HoldRequest, HoldResponse, holdParams, SlotList, slotsQuery, toSlotSearch } from './slots.wire.ts';

export function slotRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Slots', beyondDocument: true });
  get('/slots', {
    operationId: 'listSlots',
    scope: AGENT_SCOPES.read,
    summary: 'List free times',
    description: 'Sorted by start, provider and office. To book one, send `slot` or, if you hold it, `hold` to `POST /appointments`.',
    query: slotsQuery,
    response: SlotList,
    handle: async ({ tx, query, request }) => writePage(request, await listSlots(tx, toSlotSearch(query), query), fromSlot),
  });

  post('/slots/hold', {
    operationId: 'holdSlot',
    scope: AGENT_SCOPES.write,
    summary: 'Hold a free time',
    description: 'Nobody else can hold or book it until the hold ends. Hold it again to extend the hold from now; it keeps its id.',
    body: HoldRequest,
    response: HoldResponse,
    status: 201,
    handle: async ({ tx, body }) => ({
      data: fromHold(await holdSlot(tx, body.slot, body.minutes ?? HOLD_MINUTES.usual)),
    }),
  });

  remove('/slots/hold/:uuid', {
    operationId: 'releaseHold',
    summary: 'Release a hold early',
    description: 'You can release your own holds.',
    params: holdParams,
    handle: ({ tx, params }) => releaseHold(tx, params.uuid),
  });
}
